"""python-socketio's asyncio client, on a loop in a thread, so that tests can be synchronous."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlencode

import aiohttp
import socketio
from aiohttp.connector import Connection
from socketio.exceptions import BadNamespaceError

from .player import WAIT, ClientKind, Endpoint, Player, Refused


class PythonClients:
    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._sessions: list[aiohttp.ClientSession] = []

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(WAIT + 5)

    def session(self) -> aiohttp.ClientSession:
        """Sessions come from here and are closed here.

        The library leaves its own open when it is refused, and opens another when one that it was given is closed
        before its last request.
        """
        session = aiohttp.ClientSession(response_class=Response)
        self._sessions.append(session)
        return session

    def close(self) -> None:
        self.run(self._close_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _close_all(self) -> None:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)
        for session in self._sessions:
            await session.close()
        await asyncio.sleep(0.1)  # lets closed connections leave the loop


class Response(aiohttp.ClientResponse):
    """Read at once, because the library drops some responses unread and leaves their connections open."""

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        started = await super().start(connection)
        if self.status == 200:
            await self.read()
        return started


class PythonPlayer(Player):
    def __init__(self, loop: PythonClients, name: str, kind: ClientKind, place: Endpoint) -> None:
        super().__init__(name, kind, place)
        self._loop = loop

    def connect(self) -> None:
        self._loop.run(self._connect())

    async def _connect(self) -> None:
        self._client = socketio.AsyncClient(reconnection=False, http_session=self._loop.session)
        refusal = asyncio.get_running_loop().create_future()
        for name, listener in (
            ("*", self._on_event),
            ("connect", self._on_connect),
            ("connect_error", refusal.set_result),
            ("disconnect", self._on_disconnect),
        ):
            self._client.on(name, listener, namespace=self.place.namespace)
        attempt = asyncio.ensure_future(self._connect_client())
        await asyncio.wait([attempt, refusal], return_when=asyncio.FIRST_COMPLETED)
        if refusal.done():
            await self._cancel(attempt)
            raise Refused(refusal.result())
        await attempt
        assert self._client.transport() == self.kind.transports[-1]

    async def _connect_client(self) -> None:
        await self._client.connect(
            f"{self.place.url}?{urlencode(self.place.query)}",
            auth=self.place.auth,
            transports=self.kind.transports,
            namespaces=[self.place.namespace],
            socketio_path=self.place.path,
            wait_timeout=WAIT,
        )

    async def _cancel(self, attempt: asyncio.Task[None]) -> None:
        """Refused while polling, the library waits for an answer to its last poll; we do not."""
        waiting = [attempt, self._client.eio.read_loop_task]
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)

    async def _on_connect(self) -> None:
        self.note(lambda: setattr(self, "is_connected", True))

    async def _on_event(self, name: str, *args: Any) -> None:
        self.note(lambda: self.receive(name, list(args)))

    async def _on_disconnect(self, reason: str) -> None:
        self.note(lambda: setattr(self, "is_connected", False))

    def send(self, name: str, *args: Any) -> None:
        # Like the JavaScript client, does nothing once the connection is closed.
        with contextlib.suppress(BadNamespaceError):
            self._loop.run(self._client.emit(name, args, namespace=self.place.namespace))

    def call(self, name: str, *args: Any) -> Any:
        return self._loop.run(self._client.call(name, args, namespace=self.place.namespace, timeout=WAIT))

    def disconnect(self) -> None:
        self._loop.run(self._leave())
        self.wait_for_the_end()

    async def _leave(self) -> None:
        """The library waits for its last poll to be answered, which may take half a minute; we do not."""
        writer, reader = self._client.eio.write_loop_task, self._client.eio.read_loop_task
        leaving = asyncio.ensure_future(self._client.disconnect())
        if self.kind.transport == "polling":
            await asyncio.wait([writer])
            reader.cancel()
        await asyncio.wait([leaving, reader])

    def drop(self) -> None:
        """With polling there is no connection to cut, so the player disconnects."""
        if self.kind.transport == "polling":
            return self.disconnect()
        self._loop.run(self._client.eio.disconnect(abort=True))
        return self.wait_for_the_end()
