"""A small reverse proxy in a thread: it passes everything under a path on, with the path or without it."""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Any, Final, Self

from aiohttp import ClientSession, WSMsgType, web

HOP_BY_HOP: Final = frozenset({"connection", "content-length", "host", "transfer-encoding", "upgrade"})


class ReverseProxy:
    """Listens on a free port of `host` from the start; `target` is the server's address, which may be set later."""

    def __init__(self, prefix: str, *, strips: bool = False) -> None:
        self.prefix = prefix
        self.strips = strips
        self.target = ""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        """Where people find the server."""
        return f"{self.origin}{self.prefix}"

    def __enter__(self) -> Self:
        self._thread.start()
        self.origin = asyncio.run_coroutine_threadsafe(self._open(), self._loop).result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _open(self) -> str:
        self._session = ClientSession(auto_decompress=False)
        app = web.Application()
        app.router.add_route("*", f"{self.prefix}{{rest:(/.*)?}}" if self.prefix else "/{rest:.*}", self._pass_on)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}"

    async def _close(self) -> None:
        await self._runner.cleanup()
        await self._session.close()

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        path = request.raw_path.removeprefix(self.prefix) or "/" if self.strips else request.raw_path
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP}
        headers["Host"] = request.headers["Host"]
        if request.headers.get("Upgrade", "").lower() == "websocket":
            own = {name: value for name, value in headers.items() if not name.lower().startswith("sec-websocket")}
            return await self._pass_socket_on(request, path, own)
        async with self._session.request(
            request.method, self.target + path, headers=headers, data=await request.read(), allow_redirects=False
        ) as found:
            sent = {name: value for name, value in found.headers.items() if name.lower() not in HOP_BY_HOP}
            return web.Response(body=await found.read(), status=found.status, headers=sent)

    async def _pass_socket_on(self, request: web.Request, path: str, headers: dict[str, str]) -> web.StreamResponse:
        async with self._session.ws_connect(self.target + path, headers=headers) as server:
            client = web.WebSocketResponse()
            await client.prepare(request)
            ways = [asyncio.create_task(_pipe(client, server)), asyncio.create_task(_pipe(server, client))]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            await client.close()
        return client


async def _pipe(source: Any, target: Any) -> None:
    async for message in source:
        if message.type is WSMsgType.TEXT:
            await target.send_str(message.data)
        else:
            await target.send_bytes(message.data)
