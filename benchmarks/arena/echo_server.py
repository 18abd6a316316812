"""Bare Starlette, tuned like ours: forwards what one player sends to the other, over WebSockets and HTTP.

With the word `traffic` it answers with as much as a turn of checkers has, to show what of its price is traffic.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import sys

import orjson
import uvicorn
import uvloop
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

GC_THRESHOLDS = (20_000, 10, 10)
JSON = "application/json"
PIECES = [{"player": "dark", "king": False, "position": square} for square in range(1, 17)]
VIEW = {
    "board": [PIECES[:4] + [None] * 4] * 4 + [[None] * 8] * 4,
    "legalMoves": [{"from": 1, "to": 5, "captures": []}] * 8,
}


class Echo:
    def __init__(self, *, is_traffic: bool) -> None:
        self._is_traffic = is_traffic
        self._sockets: dict[str, list[WebSocket]] = {}
        self._said: dict[str, tuple[int, bytes]] = {}
        self._waiting: dict[str, asyncio.Future[None]] = {}

    async def game(self, socket: WebSocket) -> None:
        await socket.accept()
        pair = self._sockets.setdefault(socket.path_params["id"], [])
        pair.append(socket)
        try:
            while True:
                text = await socket.receive_text()
                other = pair[1] if socket is pair[0] else pair[0]
                await other.send_text(self._answer(text.encode()).decode() if self._is_traffic else text)
        except WebSocketDisconnect:
            self._sockets.pop(socket.path_params["id"], None)

    async def act(self, request: Request) -> Response:
        id, body = request.path_params["id"], await request.body()
        number, _ = self._said.get(id, (1, b""))
        self._said[id] = (number + 1, self._answer(body) if self._is_traffic else body)
        if waiting := self._waiting.pop(id, None):
            waiting.set_result(None)
        return Response(self._said[id][1], media_type=JSON)

    async def state(self, request: Request) -> Response:
        id, after = request.path_params["id"], int(request.query_params["afterSequence"])
        if self._said.get(id, (1, b""))[0] <= after:
            self._waiting[id] = asyncio.get_running_loop().create_future()
            await self._waiting[id]
        return Response(self._said[id][1], media_type=JSON)

    def _answer(self, data: bytes) -> bytes:
        found = orjson.loads(data)
        return orjson.dumps({"type": "action", "sequence": found["sequence"], "view": VIEW})


async def main() -> None:
    gc.set_threshold(*GC_THRESHOLDS)
    echo = Echo(is_traffic="traffic" in sys.argv)
    app = Starlette(
        routes=[
            WebSocketRoute("/ws/game/{id}", echo.game),
            Route("/api/matches/{id}/action", echo.act, methods=["POST"]),
            Route("/api/matches/{id}/state", echo.state),
        ]
    )
    config = uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    # Declared as TCP, so that asyncio disables Nagle's algorithm on accepted connections.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(4096)
    print(f"listening on port {listener.getsockname()[1]}", flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
