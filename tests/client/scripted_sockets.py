"""A real WebSocket server that plays a script, next to scripted HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import httpx2
from tests.client.scripted import OVER, Scripted
from tests.wire.views import BACKGAMMON
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response

from ludus.client import Arena
from ludus.client.http import RetryPolicy

Scene = Callable[["ArenaSocket"], Awaitable[None]]


class ArenaSocket:
    """The arena's end of one socket."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket

    async def send(self, kind: str, **fields: Any) -> None:
        await self.socket.send(json.dumps({"type": kind, **fields}))

    async def send_turn(self, sequence: int) -> None:
        await self.send("your_turn", sequence=sequence, view=BACKGAMMON, turnEndsAt="2030-01-01T00:00:00.000Z")

    async def send_end(self) -> None:
        await self.send("game_over", **OVER, view=BACKGAMMON)
        await self.socket.wait_closed()

    async def receive(self) -> dict[str, Any]:
        heard: dict[str, Any] = json.loads(await self.socket.recv())
        return heard


@asynccontextmanager
async def scripted_arena(requests: Scripted, *scenes: Scene | int) -> AsyncIterator[Arena]:
    """Each socket plays the next scene, or is refused if that is a status."""
    left = list(scenes)

    async def play(socket: ServerConnection) -> None:
        scene = left.pop(0)
        assert not isinstance(scene, int)
        assert socket.request and socket.request.headers["authorization"] == "Bearer key"
        arena_socket = ArenaSocket(socket)
        await arena_socket.send("connected", agentId="me")
        await scene(arena_socket)

    def refuse(socket: ServerConnection, request: Request) -> Response | None:
        return socket.respond(scene, '{"error": "x"}') if left and isinstance(scene := left[0], int) else None

    async with serve(play, "127.0.0.1", 0, process_request=refuse) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        transport, retry = httpx2.MockTransport(requests), RetryPolicy(3, first=0.001, longest=0.001)
        url = f"http://127.0.0.1:{port}"
        async with Arena(url, "key", transport=transport, retry=retry, rng=Random(1)) as arena:
            async with asyncio.timeout(30):
                yield arena
    assert not [scene for scene in left if not isinstance(scene, int)], "scenes left over"
