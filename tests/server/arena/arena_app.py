"""The arena without a network: a real platform on SQLite, its routes behind the real middleware, agents over HTTP."""

from __future__ import annotations

import json
import secrets
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import httpx2
from starlette.applications import Starlette
from starlette.types import ASGIApp
from tests.service.parts import FakeClock
from tests.service.platforms import TIMEOUTS, FirstMove, advance, analyses_of, erasures_of, open_platform, run_in

from ludus.server.arena.app import Arena
from ludus.server.connections.backlog import Backlogs
from ludus.server.http import middleware
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings
from ludus.server.web import claim
from ludus.service.agents import Agents
from ludus.service.matches import Matches
from ludus.service.platform import Platform, Timeouts

HOST = "http://arena.example"
ADDRESS = "203.0.113.7"

Answer = httpx2.Response
Json = dict[str, Any]


class Agent:
    """A program with a key."""

    def __init__(self, app: ArenaApp, registration: Json) -> None:
        self._app = app
        self.registration = registration
        self.id: str = registration["id"]
        self.key: str = registration["apiKey"]
        self.rng = Random(1)

    async def ask(self, method: str, path: str, body: Any = None) -> Answer:
        return await self._app.ask(method, path, body, key=self.key)

    async def must(self, method: str, path: str, body: Any = None) -> Any:
        """An answer that has to be good."""
        answer = await self.ask(method, path, body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def queue(self, game: str, **more: Any) -> Any:
        return await self.must("POST", "/api/matchmaking/queue", {"gameId": game, **more})

    async def state(self, match: str, query: str = "") -> Any:
        return await self.must("GET", f"/api/matches/{match}/state{query}")

    async def act(self, match: str, sequence: int, action: Any) -> Answer:
        return await self.ask("POST", f"/api/matches/{match}/action", {"sequence": sequence, "action": action})

    async def resign(self, match: str) -> None:
        """Said until it is taken: a bot may move between the look at the sequence and the word."""
        sequence = (await self.state(match))["sequence"]
        while (answer := await self.act(match, sequence, {"type": "resign"})).status_code == 409:
            sequence = answer.json()["currentSequence"]
        assert answer.json()["state"]["reason"] == "resignation", answer.text

    def choose(self, state: Json) -> Json:
        """An action by chance, as it is offered; without an offer, the pass."""
        if not state["view"]["legalMoves"]:
            return {"type": "move", "moves": []}
        move = self.rng.choice(state["view"]["legalMoves"])
        return {"type": "move", "moves": move} if state["gameId"] == "backgammon" else {"type": "move", **move}

    async def play(self, match: str) -> Any:
        """A move by chance; the state after it."""
        state = await self.state(match)
        assert state["status"] == "your_turn"
        answer = await self.act(match, state["sequence"], self.choose(state))
        assert answer.status_code == 200, answer.text
        return answer.json()["state"]


class ArenaApp:
    def __init__(
        self, platform: Platform, clock: FakeClock, client: httpx2.AsyncClient, arena: Arena, asgi: ASGIApp
    ) -> None:
        self.platform, self.clock, self.client, self.arena, self.asgi = platform, clock, client, arena, asgi
        self._names = (f"Agent {number}" for number in count(1))

    async def ask(self, method: str, path: str, body: Any = None, *, key: str = "", **headers: str) -> Answer:
        """`body` is JSON, or bytes as they are."""
        if key:
            headers["Authorization"] = f"Bearer {key}"
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        return await self.client.request(method, path, content=content, headers=headers)

    async def get(self, path: str) -> Any:
        """A public resource, which must exist."""
        answer = await self.ask("GET", path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def agent(self, name: str = "", model: str | None = None) -> Agent:
        answer = await self.ask("POST", "/api/agents", {"name": name or next(self._names), "model": model})
        assert answer.status_code == 201, answer.text
        return Agent(self, answer.json())

    async def pair(self, game: str = "checkers", lane: str = "fast") -> tuple[str, Agent, Agent]:
        """A match of two new agents, the one to move in front."""
        one, two = await self.agent(), await self.agent()
        assert (await one.queue(game, lane=lane))["status"] == "queued"
        match = (await two.queue(game, lane=lane))["matchId"]
        is_first = (await one.state(match))["status"] == "your_turn"
        return match, *((one, two) if is_first else (two, one))

    async def win(self, match: str, winner: Agent, loser: Agent) -> None:
        """The loser resigns, after enough moves for the game to be rated."""
        await self.play_out(match, winner, loser, most=10)
        await loser.resign(match)

    async def play_out(self, match: str, *agents: Agent, most: int = 10_000) -> Json:
        """Plays random moves, to the end or this many; returns the last state the mover received."""
        by_id = {agent.id: agent for agent in agents}
        state: Json = await agents[0].state(match)
        for _ in range(most):
            if state["status"] == "game_over":
                break
            self.clock.wait(1)
            state = await by_id[state["view"]["currentPlayer"]].play(match)
        return state

    async def spend(self, seconds: float) -> None:
        await advance(self.platform, self.clock, seconds)


@asynccontextmanager
async def open_app(
    folder: Path, clock: FakeClock, timeouts: Timeouts = TIMEOUTS, **settings: Any
) -> AsyncIterator[ArenaApp]:
    async with open_platform(folder, clock, FirstMove(), timeouts=timeouts) as platform:
        agents = Agents(
            platform.store,
            clock,
            lambda: str(uuid.uuid4()),
            lambda: secrets.token_hex(32),
            lambda: secrets.token_hex(8),
        )
        chosen = Settings(**{"agent_rate_limit": 100_000, "registrations": 1000, "cpu_share": 1000, **settings})
        limit = RequestLimit(chosen.agent_rate_limit, lambda: clock.now() / 1000)
        erasures = erasures_of(platform, agents, clock)
        matches, backlogs = (
            Matches(platform, chosen.most_refusals),
            Backlogs(chosen.max_queued, chosen.max_queued_total),
        )
        analyses = analyses_of(platform, clock)
        arena = Arena(platform, agents, matches, Metrics(), clock, chosen, limit, erasures, backlogs, analyses)
        routes = [*arena.routes(), *claim.routes(agents, limit)]
        asgi = middleware.wrap(Starlette(routes=routes), chosen, arena.metrics)
        platform.bus.subscribe(arena.on_note)
        transport = httpx2.ASGITransport(asgi, raise_app_exceptions=False, client=(ADDRESS, 1))
        async with httpx2.AsyncClient(transport=transport, base_url=HOST) as client:
            yield ArenaApp(platform, clock, client, arena, asgi)
        await analyses.stop()


@asynccontextmanager
async def open_strict_app(folder: Path, clock: FakeClock) -> AsyncIterator[ArenaApp]:
    strict: dict[str, Any] = {"agent_rate_limit": 5, "registrations": 3, "most_refusals": 3, "fast_turn_seconds": 2.5}
    async with open_app(folder, clock, **strict) as app:
        yield app


with_app = run_in(open_app)
"""A test whose first argument is the app."""
with_strict_app = run_in(open_strict_app)
"""The same with few requests, registrations and refusals allowed."""
