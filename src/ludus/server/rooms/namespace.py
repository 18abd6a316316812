"""One Socket.IO namespace per game; everything it receives goes to the gateway."""

from __future__ import annotations

import asyncio
from typing import Any

import socketio
from socketio.exceptions import ConnectionRefusedError as Refused

from ludus.server.http.errors import log_internal, public
from ludus.server.rooms.gateway import RoomGateway
from ludus.server.rooms.seats import Ack


class RoomNamespace(socketio.AsyncNamespace):  # type: ignore[misc]  # python-socketio is untyped
    def __init__(self, game: str, gateway: RoomGateway) -> None:
        super().__init__(f"/{game}")
        self._game = game
        self._gateway = gateway
        self._disconnects: set[asyncio.Task[None]] = set()

    async def trigger_event(self, event: str, *args: Any) -> Any:
        sid = args[0]
        # python-socketio triggers these two only for a client that is not connected (yet or any more); a connected
        # client that sends an event of that name gets no special treatment.
        if event in ("connect", "disconnect") and not self.server.manager.is_connected(sid, self.namespace):
            if event == "connect":
                return await self._connect(sid, args[1], args[2] if len(args) > 2 else None)
            return self._disconnect(sid)
        return await self.receive(sid, str(event), args[1] if len(args) > 1 else None)

    async def receive(self, sid: str, event: str, payload: object) -> Ack:
        """Handles one event of a connected client, and returns its acknowledgement."""
        return await self._gateway.receive(sid, event, payload)

    def _disconnect(self, sid: str) -> None:
        """Not awaited: the caller may be a send to this very client, with the lock of its room held."""
        task = asyncio.create_task(self._leave(sid))
        self._disconnects.add(task)
        task.add_done_callback(self._disconnects.discard)

    async def _leave(self, sid: str) -> None:
        try:
            await self._gateway.disconnect(sid)
        except Exception as error:
            log_internal(error, namespace=self.namespace)

    async def _connect(self, sid: str, environ: dict[str, Any], auth: object) -> None:
        try:
            await self._gateway.connect(sid, self._game, environ, auth)
        except Exception as error:  # any other would reach the client without `data`, or not at all
            log_internal(error, namespace=self.namespace)
            problem = public(error)
            raise Refused(problem.message, {"code": problem.code, "message": problem.message}) from None
