"""What the agents of a soak share: a server that may be killed, their habits, and how each of them asks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any, NamedTuple

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from ..restartable_server import RestartableServer

Json = dict[str, Any]
GAMES = ("checkers", "backgammon")
LOST = (OSError, ConnectionClosed, InvalidHandshake, httpx2.TransportError, EOFError)
"""What it looks like when the connection or the whole server is gone; a `TimeoutError` is an `OSError` too."""


class Habits(NamedTuple):
    """How often, of one."""

    vanish: float = 0.04
    """For the rest of a match."""
    drop: float = 0.08
    """A connection, after a turn."""
    repeat: float = 0.06
    """An action that was sent already, or the wish for a match."""
    blunder: float = 0.04
    """An action that cannot be taken."""
    resign: float = 0.1
    leave: float = 0.1
    """A queue."""
    bot: float = 0.1
    """Ask for a bot of the house."""
    both: float = 0.1
    """Wait in both lanes of a game."""
    pause: float = 0.5
    """Most seconds until a dropped connection is opened again."""


class World:
    """What all agents of a run share."""

    def __init__(self, victim: RestartableServer, http: httpx2.AsyncClient, habits: Habits) -> None:
        self.victim = victim
        self.http = http
        self.habits = habits
        self.is_closing = False
        self.count: Counter[str] = Counter()
        self.problems: list[str] = []

    @property
    def turns(self) -> int:
        return self.count["turns over HTTP"] + self.count["turns over sockets"]


class Caller:
    """One agent's way to the server, which may be gone at any moment."""

    def __init__(self, world: World, name: str, rng: Random) -> None:
        self.world = world
        self.name = name
        self.rng = rng
        self.id = ""
        self._key = ""

    async def register(self) -> None:
        new = await self.ask("POST", "/api/agents", {"name": self.name})
        self.id, self._key = new["id"], new["apiKey"]

    def is_in_the_mood(self, share: float) -> bool:
        return self.rng.random() < share

    def complain(self, problem: object) -> None:
        self.world.problems.append(f"{self.name} ({self.id}): {problem}")

    async def ask(self, method: str, path: str, body: Json | None = None, *allowed: int) -> Json:
        """Tried until the server answers; every request of an agent may be repeated."""
        while True:
            await self.world.victim.up.wait()
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            try:
                answer = await self.world.http.request(method, self.world.victim.url + path, json=body, headers=headers)
            except LOST:
                self.world.count["requests lost"] += 1
                await asyncio.sleep(0.1)
                continue
            if answer.status_code == 409 and path == "/api/agents":
                body = {"name": f"{self.name} again"}  # it was registered, but the answer was lost
                continue
            assert answer.status_code in (200, 201, *allowed), f"{method} {path}: {answer.status_code} {answer.text}"
            found: Json = answer.json()
            return found

    @asynccontextmanager
    async def socket(self, path: str) -> AsyncIterator[ClientConnection]:
        await self.world.victim.up.wait()
        where = "ws" + self.world.victim.url.removeprefix("http") + path
        headers = {"Authorization": f"Bearer {self._key}"}
        async with connect(where, additional_headers=headers, compression=None, close_timeout=1) as socket:
            yield socket
