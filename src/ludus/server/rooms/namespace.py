"""One Socket.IO namespace: hands everything that arrives to the door."""

from __future__ import annotations

import asyncio
from typing import Any

import socketio
from socketio.exceptions import ConnectionRefusedError as Refused

from ludus.core.errors import LudusError
from ludus.server.http.errors import public
from ludus.server.rooms.gateway import Rooms


class RoomNamespace(socketio.AsyncNamespace):  # type: ignore[misc]  # python-socketio is untyped
    def __init__(self, game: str, rooms: Rooms) -> None:
        super().__init__(f"/{game}")
        self._game = game
        self._rooms = rooms
        self._leaving: set[asyncio.Task[None]] = set()

    async def trigger_event(self, event: str, *args: Any) -> Any:
        sid = args[0]
        # While python-socketio lets a client in or out, it is not connected: from one that is, these are mere words.
        if event in ("connect", "disconnect") and not self.server.manager.is_connected(sid, self.namespace):
            if event == "connect":
                return await self._connect(sid, args[1], args[2] if len(args) > 2 else None)
            return self._part(sid)
        return await self._rooms.receive(sid, str(event), args[1] if len(args) > 1 else None)

    def _part(self, sid: str) -> None:
        """Not waited for: it may be a message to this very client, sent with its room locked, that found it gone."""
        task = asyncio.create_task(self._rooms.disconnect(sid))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _connect(self, sid: str, environ: dict[str, Any], auth: object) -> None:
        try:
            await self._rooms.connect(sid, self._game, environ, auth)
        except LudusError as error:
            problem = public(error)
            raise Refused(problem.message, {"code": problem.code, "message": problem.message}) from None
