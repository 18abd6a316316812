"""A bare python-socketio server, tuned like ours: acknowledges an event and forwards it to the other player.

The event `echo` forwards its payload. `show` sends both players what a room sends in the middle of a game, which
separates the cost of traffic from that of rules and storage.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import sys
from typing import Any

import orjson
import socketio
import uvicorn

GC_THRESHOLDS = (50_000, 50, 50)


class Json:
    """orjson with the interface that python-socketio expects."""

    @staticmethod
    def dumps(value: Any, **_options: Any) -> str:
        return orjson.dumps(value).decode()

    @staticmethod
    def loads(text: str, **_options: Any) -> Any:
        return orjson.loads(text)


class TextPacket(socketio.packet.Packet):  # type: ignore[misc]  # python-socketio is untyped
    """Does not search messages for binary parts."""

    uses_binary_events = False
    json = Json


class Echo(socketio.AsyncNamespace):  # type: ignore[misc]  # python-socketio is untyped
    def __init__(self, namespace: str) -> None:
        super().__init__(namespace)
        self.waiting: dict[str, str] = {}
        self.others: dict[str, str] = {}

    async def on_join(self, sid: str, pair: str) -> dict[str, bool]:
        """The second of a pair to join starts the game."""
        if other := self.waiting.pop(pair, None):
            self.others |= {sid: other, other: sid}
            for one in (other, sid):
                await self.emit("started", {}, to=one)
        else:
            self.waiting[pair] = sid
        await self.enter_room(sid, pair)
        return {"ok": True}

    async def on_echo(self, sid: str, message: dict[str, Any]) -> dict[str, bool]:
        await self.emit("made", message, to=self.others[sid])
        return {"ok": True}

    async def on_show(self, sid: str, message: dict[str, Any]) -> dict[str, bool]:
        await self.emit("made", mid_game(message), room=message["roomId"])
        return {"ok": True}


def mid_game(message: dict[str, Any]) -> dict[str, Any]:
    """A payload of the size and shape of `game:move:made` in the middle of a game."""
    pieces = [{"player": player, "type": "man"} for player in ("red", "black")] * 7
    history = [{"move": message["move"], "playerId": message["playerId"], "timestamp": 1}] * 30
    return message | {"board": pieces + [None] * 50, "currentTurn": 0, "becameKing": False, "moveHistory": history}


async def main() -> None:
    gc.set_threshold(*GC_THRESHOLDS)
    server = socketio.AsyncServer(
        async_mode="asgi", async_handlers=False, json=Json, serializer=TextPacket, cors_allowed_origins="*"
    )
    server.register_namespace(Echo("/checkers"))
    config = uvicorn.Config(
        socketio.ASGIApp(server), ws="websockets-sansio", ws_per_message_deflate=False, log_level="warning"
    )
    # Declared as TCP, so that asyncio disables Nagle's algorithm on accepted connections.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(1024)
    print(f"listening on port {listener.getsockname()[1]}", flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
