"""The arena on a port, in a thread of its own, for clients that need one."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple

import uvicorn
from tests.server.arena.arena_app import Agent, ArenaApp, open_app
from tests.service.parts import FakeClock


class ServedArena(NamedTuple):
    url: str
    agent: str
    key: str
    live: str
    """A match of the agent, whose turn it is."""
    over: str
    """Another one, resigned."""
    server: uvicorn.Server

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


@contextmanager
def serve_arena(folder: Path, **settings: Any) -> Iterator[ServedArena]:
    """Requests aren't held for long, and no agent forfeits."""
    found: Queue[ServedArena] = Queue()
    thread = Thread(target=asyncio.run, args=(_host(folder, found, settings),))
    thread.start()
    host = found.get(timeout=60)
    try:
        yield host
    finally:
        host.server.should_exit = True
        thread.join()


async def _host(folder: Path, found: Queue[ServedArena], settings: dict[str, Any]) -> None:
    plenty = {"agent_rate_limit": 1_000_000, "registrations": 1_000_000, "most_refusals": 1_000_000, **settings}
    async with open_app(folder, FakeClock(), **plenty) as app:
        app.arena.hold_seconds = 0.01
        config = uvicorn.Config(app.asgi, lifespan="off", ws="none", log_config=None, access_log=False)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listener]))
            agent, live, over = await _prepared(app)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            found.put(ServedArena(url, agent.id, agent.key, live, over, server))
            await serving


async def _prepared(app: ArenaApp) -> tuple[Agent, str, str]:
    over, one, two = await app.pair("backgammon")
    await app.play_out(over, one, two, most=6)
    await one.resign(over)
    await one.queue("checkers")
    await two.queue("checkers")
    await app.spend(15)
    live = (await one.must("GET", "/api/matchmaking/status?gameId=checkers"))["matchId"]
    mover = one if (await one.state(live))["status"] == "your_turn" else two
    return mover, live, over
