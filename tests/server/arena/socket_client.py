"""WebSocket clients without a network, above the arena's own routes: a client can also stop reading."""

from __future__ import annotations

import asyncio
import json
import secrets
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from tests.service.parts import FakeClock
from tests.service.platforms import FirstMove, analyses_of, erasures_of, open_platform, run_in, until

from ludus.server.arena.app import Arena
from ludus.server.arena.sockets import routes as sockets
from ludus.server.connections.backlog import Backlogs
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings
from ludus.service.agents import Agents
from ludus.service.matches import Matches
from ludus.service.platform import Platform

Frame = dict[str, Any]


class SocketClient:
    """One socket as its client sees it."""

    def __init__(self, app: SocketApp, path: str, key: str | None, address: str = "192.0.2.1") -> None:
        headers = [(b"host", b"arena.example"), *([(b"authorization", f"Bearer {key}".encode())] if key else [])]
        self._scope = {
            "type": "websocket",
            "scheme": "ws",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": headers,
            "client": (address, 4000),
            "server": ("arena.example", 80),
            "subprotocols": [],
            "extensions": {"websocket.http.response": {}},
            "state": {},
        }
        self._coming: asyncio.Queue[Frame] = asyncio.Queue()
        self._coming.put_nowait({"type": "websocket.connect"})
        self.reading = asyncio.Event()
        self.reading.set()
        self.is_open = False
        self.status = 0
        self.body = b""
        self.headers: dict[str, str] = {}
        self.code: int | None = None
        """What the server closed it with."""
        self.frames: list[Frame] = []
        self.task = asyncio.create_task(app.asgi(self._scope, self._coming.get, self._take))

    async def _take(self, message: Any) -> None:
        await self.reading.wait()
        match message["type"]:
            case "websocket.accept":
                self.is_open = True
                self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            case "websocket.send":
                self.frames.append(json.loads(message["text"]))
            case "websocket.close":
                self.code, self.is_open = message["code"], False
                self._coming.put_nowait({"type": "websocket.disconnect", "code": self.code})
            case "websocket.http.response.start":
                self.status = message["status"]
                self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            case "websocket.http.response.body":
                self.body += message["body"]

    def send(self, data: Any) -> None:
        """A frame: an object, or any text or bytes."""
        if isinstance(data, bytes):
            self._coming.put_nowait({"type": "websocket.receive", "bytes": data})
        else:
            text = data if isinstance(data, str) else json.dumps(data)
            self._coming.put_nowait({"type": "websocket.receive", "text": text})

    def act(self, sequence: Any, payload: Any) -> None:
        self.send({"type": "action", "sequence": sequence, "payload": payload})

    def play(self) -> None:
        """The first legal move of the last turn received."""
        turn = self.last("your_turn")
        self.act(turn["sequence"], {"type": "move", **turn["view"]["legalMoves"][0]})

    @property
    def kinds(self) -> list[str]:
        return [frame["type"] for frame in self.frames]

    def all(self, kind: str) -> list[Frame]:
        return [frame for frame in self.frames if frame["type"] == kind]

    def last(self, kind: str) -> Frame:
        return self.all(kind)[-1]

    async def hear(self, *kinds: str) -> None:
        """Until exactly these have come, in this order."""
        await until(lambda: len(self.frames) >= len(kinds))
        assert self.kinds == list(kinds)

    async def end(self) -> None:
        """Until the server is done with it."""
        await asyncio.wait_for(self.task, 60)

    async def leave(self) -> None:
        self._coming.put_nowait({"type": "websocket.disconnect", "code": 1005})
        await self.end()

    async def refusal(self) -> tuple[int, Any]:
        await self.end()
        assert not self.is_open and self.code is None and not self.frames
        return self.status, json.loads(self.body)


class RegisteredAgent:
    """An agent with its key."""

    def __init__(self, id: str, key: str) -> None:
        self.id = id
        self.key = key


class SocketApp:
    """The arena in an open platform, with its agents."""

    def __init__(self, platform: Platform, clock: FakeClock, **settings: Any) -> None:
        self.platform = platform
        agents = Agents(
            platform.store,
            clock,
            lambda: str(uuid.uuid4()),
            lambda: secrets.token_hex(32),
            lambda: secrets.token_hex(8),
        )
        chosen = Settings(**{"cpu_share": 1000, **settings})
        limit = RequestLimit(chosen.agent_rate_limit, lambda: clock.now() / 1000)
        erasures = erasures_of(platform, agents, clock)
        backlogs = Backlogs(chosen.max_queued, chosen.max_queued_total)
        matches, analyses = Matches(platform, 3), analyses_of(platform, clock)
        self.arena = Arena(platform, agents, matches, Metrics(), clock, chosen, limit, erasures, backlogs, analyses)
        self.asgi = Starlette(routes=sockets.routes(self.arena))
        platform.bus.subscribe(self.arena.on_note)
        self._names = (f"agent {number}" for number in count(1))

    async def agent(self) -> RegisteredAgent:
        new = await self.arena.agents.register(next(self._names), None)
        return RegisteredAgent(new.agent.id, new.key)

    async def queue(
        self, who: RegisteredAgent, game: str = "checkers", level: str | None = None, variant: str = "standard"
    ) -> str:
        """The match, if there is one at once."""
        agent = await self.arena.agents.get(who.id)
        table = (await self.arena.matches.queue(agent, game, "fast", level, variant=variant)).table
        return table.id if table else ""

    async def pair(
        self, game: str = "checkers", variant: str = "standard"
    ) -> tuple[str, RegisteredAgent, RegisteredAgent]:
        """A new match and its players, the one to move first in front."""
        agents = [await self.agent(), await self.agent()]
        await self.queue(agents[0], game, variant=variant)
        match = await self.queue(agents[1], game, variant=variant)
        table = (await self.platform.tables.load(match)).table
        assert table.mover is not None
        first = table.seats[table.mover].id
        one, two = sorted(agents, key=lambda agent: agent.id != first)
        return match, one, two

    async def act(self, match: str, who: RegisteredAgent, sequence: int, action: Frame) -> Frame:
        """As over HTTP."""
        at = await self.arena.seat(match, await self.arena.agents.get(who.id))
        return await self.arena.state(await self.arena.play(at, sequence, action))

    async def state(self, match: str, who: RegisteredAgent) -> Frame:
        return await self.arena.state(await self.arena.seat(match, await self.arena.agents.get(who.id)))

    async def play(self, match: str, who: RegisteredAgent) -> Frame:
        state = await self.state(match, who)
        return await self.act(match, who, state["sequence"], {"type": "move", **state["view"]["legalMoves"][0]})

    def open(self, path: str, who: RegisteredAgent | None = None, **more: Any) -> SocketClient:
        return SocketClient(self, path, who.key if who else None, **more)

    async def opened(self, path: str, who: RegisteredAgent | None = None) -> SocketClient:
        """A socket that was accepted and has received a frame."""
        socket = self.open(path, who)
        await until(lambda: bool(socket.frames) or socket.task.done())
        assert socket.is_open or socket.code, (socket.status, socket.body)
        return socket


@asynccontextmanager
async def open_app(folder: Path, clock: FakeClock, **settings: Any) -> AsyncIterator[SocketApp]:
    async with open_platform(folder, clock, FirstMove()) as platform:
        yield SocketApp(platform, clock, **settings)


@asynccontextmanager
async def open_strict_app(folder: Path, clock: FakeClock) -> AsyncIterator[SocketApp]:
    async with open_app(folder, clock, max_sockets=2, max_events=5, agent_rate_limit=4) as app:
        yield app


with_app = run_in(open_app)
"""A test whose first argument is the app."""
with_strict_app = run_in(open_strict_app)


async def settle() -> None:
    """Long enough for all that was said to be heard."""
    for _ in range(50):
        await asyncio.sleep(0)


def version(app: SocketApp, match: str) -> int:
    return app.platform.tables._live[match].table.version
