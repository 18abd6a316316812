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
from tests.server.arena.stage import Agent, Stage, open_stage
from tests.service.parts import FakeClock


class Host(NamedTuple):
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
def hosted(folder: Path, **settings: Any) -> Iterator[Host]:
    """Nobody is held for long, and nobody forfeits."""
    found: Queue[Host] = Queue()
    thread = Thread(target=asyncio.run, args=(_host(folder, found, settings),))
    thread.start()
    host = found.get(timeout=60)
    try:
        yield host
    finally:
        host.server.should_exit = True
        thread.join()


async def _host(folder: Path, found: Queue[Host], settings: dict[str, Any]) -> None:
    plenty = {"agent_rate_limit": 1_000_000, "registrations": 1_000_000, "most_refusals": 1_000_000, **settings}
    async with open_stage(folder, FakeClock(), **plenty) as stage:
        stage.arena.hold_seconds = 0.01
        config = uvicorn.Config(stage.app, lifespan="off", ws="none", log_config=None, access_log=False)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listener]))
            agent, live, over = await _prepared(stage)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            found.put(Host(url, agent.id, agent.key, live, over, server))
            await serving


async def _prepared(stage: Stage) -> tuple[Agent, str, str]:
    over, one, two = await stage.pair("backgammon")
    await stage.play_out(over, one, two, most=6)
    await one.resign(over)
    await one.queue("checkers")
    await two.queue("checkers")
    await stage.spend(15)
    live = (await one.must("GET", "/api/matchmaking/status?gameId=checkers"))["matchId"]
    mover = one if (await one.state(live))["status"] == "your_turn" else two
    return mover, live, over
