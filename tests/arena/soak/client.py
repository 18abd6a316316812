"""The state of a soak, its agents' habits, and a client for a server that may be killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any, NamedTuple

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from ...load import LoadRun
from ...restartable_server import RestartableServer

Json = dict[str, Any]
LOST = (OSError, ConnectionClosed, InvalidHandshake, httpx2.TransportError, EOFError)
"""Raised when the connection or the server is gone; `TimeoutError` is an `OSError` too."""


class Habits(NamedTuple):
    """Probabilities."""

    vanish: float = 0.04
    """Leave for the rest of a match."""
    drop: float = 0.08
    """Drop the connection after a turn."""
    repeat: float = 0.06
    """Repeat an action or a request for a match."""
    blunder: float = 0.04
    """Send an illegal action."""
    resign: float = 0.1
    leave: float = 0.1
    """Leave the queue."""
    bot: float = 0.1
    """Ask for a house bot."""
    both: float = 0.1
    """Wait in both lanes."""
    pause: float = 0.5
    """Longest pause before reconnecting, in seconds."""
    think: float = 0.0
    """Longest time for a turn, in seconds."""


class Accepted(NamedTuple):
    """An action that the server accepted."""

    match: str
    agent: str
    sequence: int


class SoakRun(LoadRun):
    def __init__(self, server: RestartableServer, http: httpx2.AsyncClient, habits: Habits) -> None:
        super().__init__(server, http)
        self.habits = habits
        self.accepted: list[Accepted] = []

    @property
    def turns(self) -> int:
        return self.count["turns over HTTP"] + self.count["turns over sockets"]


class SoakClient:
    """One agent's connections to the server, which may be gone at any moment."""

    def __init__(self, run: SoakRun, name: str, rng: Random) -> None:
        self.run = run
        self.name = name
        self.rng = rng
        self.id = ""
        self._key = ""

    async def register(self) -> None:
        new = await self.ask("POST", "/api/agents", {"name": self.name})
        self.id, self._key = new["id"], new["apiKey"]

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    async def think(self) -> None:
        await asyncio.sleep(self.rng.uniform(0, self.run.habits.think))

    def report_problem(self, problem: object) -> None:
        self.run.report_problem(f"{self.name} ({self.id}): {problem}")

    async def ask(self, method: str, path: str, body: Json | None = None, *allowed: int) -> Json:
        """Retries until the server answers; every request of an agent is safe to repeat."""
        while True:
            await self.run.server.up.wait()
            headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
            try:
                answer = await self.run.http.request(method, self.run.server.url + path, json=body, headers=headers)
            except LOST:
                self.run.count["requests lost"] += 1
                await asyncio.sleep(0.1)
                continue
            if answer.status_code == 503:  # nothing can be stored just now
                self.run.count["requests refused for now"] += 1
                await asyncio.sleep(0.25)
                continue
            if answer.status_code == 409 and path == "/api/agents":
                body = {"name": f"{self.name} again"}  # registered, but the response was lost
                continue
            assert answer.status_code in (200, 201, *allowed), f"{method} {path}: {answer.status_code} {answer.text}"
            found: Json = answer.json()
            return found

    @asynccontextmanager
    async def socket(self, path: str) -> AsyncIterator[ClientConnection]:
        await self.run.server.up.wait()
        where = "ws" + self.run.server.url.removeprefix("http") + path
        headers = {"Authorization": f"Bearer {self._key}"}
        async with connect(where, additional_headers=headers, compression=None, close_timeout=1) as socket:
            yield socket
