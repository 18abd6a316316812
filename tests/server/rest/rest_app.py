"""A whole server without a port, on a database in a folder, with a clock that is set by hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import httpx2
from tests.service.parts import ALWAYS, random_play

from ludus.engines.engine import Line
from ludus.engines.review import Assessment, review
from ludus.engines.study import CubeEquities
from ludus.server.app import Server
from ludus.server.settings import Settings
from ludus.service.analysis import to_data
from ludus.service.lobby import Seeker
from ludus.service.ports.writes import PutAnalysis
from ludus.service.records import Analysis, Delivery
from ludus.service.sessions import pool_of
from ludus.service.table import Table
from ludus.service.tenants import NewTenant

NOW = 1_700_000_000_000
ADDRESS = "203.0.113.7"
HOOK = "http://127.0.0.1:9/hook"
ANN, BEN = {"id": "ann", "displayName": "Ann"}, {"id": "ben", "displayName": "Ben"}

Answer = httpx2.Response


class ManualClock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.ms = NOW

    def now(self) -> int:
        return self.ms

    def monotonic(self) -> int:
        return self.ms


class RestApp:
    """A tenant's back end, and the people it sends."""

    def __init__(self, server: Server, clock: ManualClock, client: httpx2.AsyncClient, tenant: NewTenant) -> None:
        self.server, self.platform, self.clock = server, server.platform, clock
        self.client, self.tenant = client, tenant

    async def ask(self, method: str, path: str, *, key: str | None = None, origin: str = "", **more: Any) -> Answer:
        """A request with the live key, unless another is given; an empty one is none."""
        key = self.tenant.live_key if key is None else key
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        if origin:
            headers["Origin"] = origin
        return await self.client.request(method, path, headers=headers, **more)

    async def create(self, *, key: str | None = None, **fields: Any) -> Any:
        """A session that has to be made."""
        answer = await self.ask("POST", "/v1/sessions", key=key, json={"game": "checkers", "players": [ANN], **fields})
        assert answer.status_code == 201, answer.text
        return answer.json()

    async def join(self, made: Mapping[str, Any], player: Mapping[str, str] = BEN) -> Any:
        """The friend's token for a private room, which has to be given."""
        body = {"roomCode": made["roomCode"], "game": made["game"], "player": player}
        answer = await self.ask("POST", "/v1/sessions/join", json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def show(self, made: Mapping[str, Any], key: str | None = None) -> Any:
        answer = await self.ask("GET", f"/v1/sessions/{made['sessionId']}?game={made['game']}", key=key)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def seat(self, *tokens: str) -> Table:
        """What the sockets do with these tokens: the last one completes a table."""
        table = None
        for token in tokens:
            session, claims = await self.platform.sessions.admit(token)
            seat = self.platform.sessions.seat(session, claims)
            pool, has_limit, variant = pool_of(session), session.has_afk_limit, session.variant
            guest = Seeker(seat, session.game, session.mode, pool, 1500.0, has_limit, None, variant=variant)
            if session.match_type == "bot":
                return await self.platform.lobby.play_bot(guest, session.bot_level)
            table = (await self.platform.lobby.join(guest)).table
        assert table is not None
        return table

    async def play(self, table: Table, most: int = 10_000, seed: int = 1) -> Table:
        """Plays on by chance, a second a move, to the end or for so many moves."""
        rng = Random(seed)
        for _ in range(most):
            if table.mover is None:
                break
            self.clock.ms += 1000
            table = (await self.platform.tables.execute(table.id, random_play(table, rng))).table
        return table

    async def analyse(self, table: Table, engine: str) -> None:
        """Stores what an engine would that likes the first move of each list best."""

        def ask(position: Any, past: Sequence[Any], lines: int, roll: object) -> Assessment:
            found = [Line(move, 0.5 - 0.2 * i) for i, move in enumerate(table.game.rules.moves(position)[:lines])]
            cube = None if roll else CubeEquities(0.2, 0.5, 1.0, (0.6, 0.1, 0.0, 0.1, 0.0), 1.5)
            return Assessment(found, cube, 0.4 if roll else None, 0.25)

        moves = to_data(table.game, review(table.game, ask))
        await self.server.store.commit(PutAnalysis(Analysis(table.id, engine, moves, 1)))

    async def deliveries(self) -> list[Delivery]:
        """All webhooks that wait, in order."""
        return list(await self.server.store.deliveries_due(2 * NOW, 10_000))


@asynccontextmanager
async def open_app(folder: Path, hook: str | None = None, **settings: Any) -> AsyncIterator[RestApp]:
    """An app of a tenant, whose webhooks, if it wants any, stay in the store; nothing happens by itself."""
    clock = ManualClock()
    server = Server(
        Settings(data=str(folder), webhook_private=True, **{"rate_limit": 10_000, "cpu_share": 1000, **settings}), clock
    )
    server.platform.clock.grace = ALWAYS
    server.platform.lobby.is_waiting = lambda _player: True  # though nobody has a connection
    transport = httpx2.ASGITransport(server, raise_app_exceptions=False, client=(ADDRESS, 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://ludus") as client:
        await server.store.open()
        try:
            yield RestApp(server, clock, client, await server.tenants.create("App", hook))
        finally:
            await server.store.close()
