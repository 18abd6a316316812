"""The HTTP client of webhooks, which connects only to addresses that were checked."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from ludus.core.errors import LudusError
from ludus.service.webhooks.addresses import Lookup, check_url, resolve_public
from ludus.service.webhooks.delivery import MAX_CONCURRENT

if TYPE_CHECKING:
    import httpcore2

ANSWER_SECONDS: Final = 10.0
CONNECT_SECONDS: Final = 4.0
"""Per address of a host."""
MAX_BODY_READ: Final = 4096
"""Bytes of an answer: enough to reuse the connection after a short one."""


class NoAnswer(LudusError):
    """The receiver could not be reached or did not answer in time."""

    code = "no_answer"


class Client(Protocol):
    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """The status of the answer, or `NoAnswer`."""
        ...

    async def close(self) -> None: ...


class PinnedClient:
    """Posts to public addresses only: each connection goes to an address that was resolved and checked for it.

    Redirects and proxies are not used, since either could lead elsewhere.
    """

    def __init__(self, *, allow_private: bool = False, seconds: float = ANSWER_SECONDS, lookup: Lookup | None = None):
        self._allow_private = allow_private
        self._seconds = seconds
        self._lookup = lookup or resolve_host
        self._pool: httpcore2.AsyncConnectionPool | None = None

    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        import httpcore2

        target = check_url(url, allow_private=self._allow_private)
        place = httpcore2.URL(scheme=target.scheme, host=target.host, port=target.port, target=target.path)
        sent = [("Host", target.authority), ("User-Agent", "Ludus-Webhooks"), *headers.items()]
        status = 0
        try:
            async with (
                asyncio.timeout(self._seconds),
                self._open().stream("POST", place, headers=sent, content=body) as got,
            ):
                status = got.status
                await drain(got)
        except TimeoutError:
            if not status:
                raise NoAnswer(f"no answer within {self._seconds:g} s") from None
        except (OSError, httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.TimeoutException) as error:
            if not status:
                raise NoAnswer(str(error) or type(error).__name__) from error
        return status

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.aclose()

    def _open(self) -> httpcore2.AsyncConnectionPool:
        """Created on first use, since importing it is slow."""
        import httpcore2

        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(
                ssl_context=httpcore2.default_ssl_context(),
                max_connections=None,
                max_keepalive_connections=MAX_CONCURRENT,
                keepalive_expiry=30.0,
                network_backend=cast("httpcore2.AsyncNetworkBackend", Pinned(httpcore2.AnyIOBackend(), self._resolve)),
            )
        return self._pool

    async def _resolve(self, host: str, port: int) -> Sequence[str]:
        return await resolve_public(host, port, self._lookup, allow_private=self._allow_private)


class Pinned:
    """An httpcore network backend that connects only to checked addresses.

    The name stays in the Host header, and the receiver's certificate must be valid for it.
    """

    def __init__(self, network: httpcore2.AsyncNetworkBackend, resolve: Lookup) -> None:
        self._network = network
        self._resolve = resolve

    async def connect_tcp(self, host: str, port: int, **options: Any) -> httpcore2.AsyncNetworkStream:
        import httpcore2

        problem: Exception = OSError(f"{host} has no address")
        for address in await self._resolve(host, port):
            try:
                return await self._network.connect_tcp(address, port, **{**options, "timeout": CONNECT_SECONDS})
            except (httpcore2.NetworkError, httpcore2.TimeoutException) as error:
                problem = error
        raise problem


async def drain(answer: httpcore2.Response) -> None:
    read = 0
    async for part in answer.aiter_stream():
        read += len(part)
        if read > MAX_BODY_READ:
            return


async def resolve_host(host: str, port: int) -> Sequence[str]:
    """All addresses of a host, resolved in its own thread: a slow name server delays neither lookups nor a shutdown."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Sequence[str]] = loop.create_future()

    def report(addresses: Sequence[str], problem: Exception | None) -> None:
        if not found.done():
            found.set_result(addresses) if problem is None else found.set_exception(problem)

    def resolve() -> None:
        addresses: Sequence[str] = ()
        problem: Exception | None = None
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(answer[4][0]) for answer in answers))
        except (OSError, UnicodeError) as error:
            problem = OSError(f"{host} could not be resolved: {error}")
        with contextlib.suppress(RuntimeError):  # the loop was closed in the meantime
            loop.call_soon_threadsafe(report, addresses, problem)

    threading.Thread(target=resolve, name="ludus-lookup", daemon=True).start()
    return await found
