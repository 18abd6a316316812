"""A platform to test with: in memory, with a clock that tests move by hand."""

from __future__ import annotations

import asyncio
import inspect
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import wraps
from math import inf
from pathlib import Path
from random import Random
from typing import Any

from tests.service.parts import ALWAYS, FakeClock, first_play

from ludus.bus.memory import MemoryBus
from ludus.core.game import Game
from ludus.engines.engine import Limit, Line
from ludus.engines.review import Assessment
from ludus.engines.study import CubeEquities
from ludus.games import GAMES
from ludus.service.agents import Agents
from ludus.service.analysis import Analyses
from ludus.service.engine_pool import EngineFailed, EnginePool
from ludus.service.erasure import Erasures
from ludus.service.lobby import Seeker
from ludus.service.platform import Platform, Timeouts
from ludus.service.ports.bus import Note
from ludus.service.ports.writes import PutTenant
from ludus.service.records import Session, Tenant
from ludus.service.sessions import NewSession, Ticket, pool_of
from ludus.service.table import Table
from ludus.service.tenants import Tenants
from ludus.service.webhooks.outbox import WebhookOutbox
from ludus.storage import store_for

Test = Callable[..., Awaitable[None]]
Place = Callable[[Path, FakeClock], AbstractAsyncContextManager[Any]]

SECRET = b"a secret of thirty-two bytes....."
TIMEOUTS = Timeouts(bot_pause=0, grace=ALWAYS, settle=0)
ANN = {"id": "ann", "displayName": "Ann"}
BEN = {"id": "ben", "displayName": "Ben"}
CID = {"id": "cid", "displayName": "Cid"}


class FirstMove(EnginePool):
    """Plays the first legal move at once; fails as often as it is set to."""

    def __init__(self, failures: int = 0) -> None:
        super().__init__(1)
        self.failures = failures
        self.asked = 0
        self.seconds = inf
        """What the last move was allowed to take."""

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def choose(
        self,
        game: str,
        position: Any,
        level: str,
        seed: int,
        past: Sequence[Any] = (),
        owner: str = "",
        seconds: float = inf,
    ) -> Any:
        self.asked += 1
        self.seconds = seconds
        if self.asked <= self.failures:
            raise EngineFailed("this bot fails on purpose")
        return await self.answer(game, position, past)

    async def answer(self, game: str, position: Any, past: Sequence[Any]) -> Any:
        return GAMES[game].moves(position)[0]


@asynccontextmanager
async def open_platform(
    folder: Path,
    clock: FakeClock,
    engine_pool: EnginePool | None = None,
    *,
    timeouts: Timeouts = TIMEOUTS,
    is_settled: bool = True,
) -> AsyncIterator[Platform]:
    """An open platform that, once settled, has taken up what was going on, and looks at no deadline by itself."""
    platform = Platform(
        store_for("", folder), MemoryBus(), engine_pool or FirstMove(), SECRET, timeouts, clock=clock, rng=Random(1)
    )
    await platform.open()
    try:
        if is_settled:
            await settle(platform)
        yield platform
    finally:
        await platform.close()


def run_in(place: Place) -> Callable[[Test], Callable[..., None]]:
    """Makes of a coroutine a test that happens in an open place; it may ask for the `clock` as well."""

    def decorate(test: Test) -> Callable[..., None]:
        asked = list(inspect.signature(test).parameters.values())[1:]

        async def happen(folder: Path, given: dict[str, Any]) -> None:
            clock = FakeClock()
            async with place(folder, clock) as found:
                await test(found, **given, **{each.name: clock for each in asked if each.name == "clock"})

        @wraps(test)
        def run(tmp_path: Path, **given: Any) -> None:
            asyncio.run(happen(tmp_path, given))

        folder = inspect.Parameter("tmp_path", inspect.Parameter.KEYWORD_ONLY)
        others = [each.replace(kind=folder.kind) for each in asked if each.name != "clock"]
        run.__signature__ = inspect.Signature([folder, *others])  # type: ignore[attr-defined]  # pytest reads it
        return run

    return decorate


@asynccontextmanager
async def open_to_a_tenant(folder: Path, clock: FakeClock) -> AsyncIterator[Platform]:
    async with open_platform(folder, clock) as platform:
        await found_tenant(platform)
        yield platform


with_platform = run_in(open_to_a_tenant)
"""A test whose first argument is an open platform with one tenant."""


async def settle(platform: Platform) -> None:
    """Waits for the past to be taken up, and stops the sweep: a clock that jumps must not meet it by chance."""
    taking_up, *keeping = platform._tasks
    for task in keeping:
        task.cancel()
    await asyncio.gather(*keeping, return_exceptions=True)
    await taking_up


async def advance(platform: Platform, clock: FakeClock, seconds: float) -> None:
    """Lets time pass, and what is due by then happen. Until the platform is closed it has been open all the time."""
    clock.wait(seconds)
    await platform.lobby.sweep()
    await platform.sweep()
    await platform.bus.drain()


async def advance_with_heartbeats(platform: Platform, clock: FakeClock, seconds: int) -> None:
    """Lets time pass that the store knows the platform to have been open in, so that it can be closed afterwards."""
    for _ in range(seconds):
        clock.wait(1)
        await platform._heartbeat()


def erasures_of(platform: Platform, agents: Agents, clock: FakeClock) -> Erasures:
    """As in a server, with caches of their own for tenants and webhooks."""
    tenants = Tenants(platform.store, clock, lambda: secrets.token_urlsafe(32), SECRET)
    return Erasures(platform, agents, tenants, WebhookOutbox(platform.store, lambda: "1", clock, lambda: None))


def analyses_of(platform: Platform, clock: FakeClock) -> Analyses:
    """By an engine that likes the first move of every list best, and each next one less."""

    async def assess(
        game: str, position: Any, _limit: Limit, _past: Sequence[Any], lines: int, roll: object
    ) -> Assessment:
        found = [Line(move, 0.5 - 0.2 * i) for i, move in enumerate(GAMES[game].moves(position)[:lines])]
        cube = None if roll else CubeEquities(0.2, 0.5, 1.0, (0.6, 0.1, 0.0, 0.1, 0.0), 1.5)
        return Assessment(found, cube, 0.4 if roll else None, 0.25)

    async def load(id: str) -> Game[Any, Any]:
        return (await platform.tables.load(id)).table.game

    return Analyses(assess, platform.store, clock, platform.cluster, load)


async def found_tenant(platform: Platform, id: str = "acme") -> None:
    await platform.store.commit(PutTenant(Tenant(id, id.capitalize(), 0)))


def wanted(**changes: Any) -> NewSession:
    """A live session of checkers for Ann, unless overridden."""
    return NewSession("acme", "checkers", "live", "matchmaking", (ANN,), "easy", True, None)._replace(**changes)


async def enter(platform: Platform, ticket: Ticket) -> Table | None:
    """What the gateway does with a session whose player wants to play."""
    session = await platform.sessions.get(ticket.session.id)
    seat = platform.sessions.seat(session, ticket.claims)
    is_rated = session.mode != "training"
    seeker = Seeker(
        seat,
        session.game,
        session.mode,
        pool_of(session),
        1500.0,
        True,
        None,
        is_rated=is_rated,
        time_control=session.time_control,
    )
    if session.match_type == "bot":
        return await platform.lobby.play_bot(seeker, session.bot_level)
    return (await platform.lobby.join(seeker)).table


async def seated(platform: Platform, **changes: Any) -> tuple[Table, Session, Session]:
    """A table of Ann and Ben, each with a session, and both there."""
    one = await platform.sessions.create(wanted(**changes))
    two = await platform.sessions.create(wanted(players=(BEN,), **changes))
    assert await enter(platform, one) is None
    table = await enter(platform, two)
    assert table is not None
    for seat in (0, 1):
        await platform.presence.arrive(table.id, seat)
    return table, one.session, two.session


async def play(platform: Platform, table: str, moves: int = 1) -> Table:
    """Plays first legal moves for both sides."""
    for _ in range(moves):
        now = (await platform.tables.load(table)).table
        await platform.tables.execute(table, first_play(now))
    return (await platform.tables.load(table)).table


async def play_to_rated(platform: Platform, id: str, moves: int = 5) -> None:
    """Plays first legal moves against a bot, enough for the game to be rated however it ends."""

    def table() -> Table:
        loaded = platform.tables.cached(id)
        assert loaded is not None
        return loaded.table

    for _ in range(moves):
        await until(lambda: table().mover == 0)
        await platform.tables.execute(id, first_play(table()))
    await until(lambda: table().mover == 0)


async def until(condition: Callable[[], bool]) -> None:
    """Waits for something that happens in the background."""
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.001)


class NoteRecorder:
    """Hears all notes of a platform."""

    def __init__(self, platform: Platform) -> None:
        self.notes: list[Note] = []
        platform.bus.subscribe(self._listen)

    async def _listen(self, note: Note) -> None:
        self.notes.append(note)
