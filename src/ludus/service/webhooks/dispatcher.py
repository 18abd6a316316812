"""Sends webhooks from the outbox to the tenants' back ends, at least once each.

Undelivered ones are rows in the store, so a restart loses none. A restart between an answer and its record sends the
same delivery again; the receiver recognizes it by its id.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

import structlog

from ludus.core.errors import LudusError
from ludus.service.ports import Clock, Conflict, PutDelivery, Store
from ludus.service.records import Delivery
from ludus.service.webhooks.addresses import Lookup, check_url, resolve_public
from ludus.service.webhooks.delivery import (
    MAX_CONCURRENT,
    DeliveryQueue,
    attempted,
    headers,
    next_attempt,
    webhook_secret,
)

if TYPE_CHECKING:
    import httpcore2

ANSWER_SECONDS: Final = 10.0
CONNECT_SECONDS: Final = 4.0
"""Per address of a host."""
MAX_BODY_READ: Final = 4096
"""Bytes of an answer: enough to reuse the connection after a short one."""
PROMPT_SECONDS: Final = 1.0
"""How fast a healthy receiver answers."""
FIRST_READ: Final = 256
POLL_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 0.02
"""The minimum between two reads of the store, so that a burst of events costs one read."""
MAX_PAUSE_SECONDS: Final = 5.0
"""The maximum, however long the last read took."""

log = structlog.get_logger("ludus.webhooks")


class NoAnswer(LudusError):
    """The receiver could not be reached or did not answer in time."""

    code = "no_answer"


class Client(Protocol):
    async def post(self, url: str, headers: Mapping[str, str], body: bytes) -> int:
        """The status of the answer, or `NoAnswer`."""
        ...

    async def close(self) -> None: ...


def ignore(_: Delivery) -> None:
    pass


class WebhookDispatcher:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        client: Client,
        *,
        secret: bytes,
        rng: Random,
        prefix: str = "Ludus",
        retries: int = 3,
        pause: float = 5.0,
        queue: DeliveryQueue | None = None,
        on_attempt: Callable[[Delivery], None] = ignore,
    ) -> None:
        """`on_attempt` is called after each recorded attempt; `pause` is in seconds."""
        self._store, self._clock, self._client = store, clock, client
        self._secret, self._prefix = secret, prefix
        self._retries, self._pause, self._rng = retries, pause, rng
        self._queue = queue or DeliveryQueue()
        self._on_attempt = on_attempt
        self._wake = asyncio.Event()
        self._stopping = False
        self._depth = FIRST_READ
        self._has_more = False
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._spawn(self._run())

    def wake(self) -> None:
        """Call when something was added to the outbox."""
        self._wake.set()

    async def stop(self, within: float) -> None:
        """Waits up to `within` seconds for attempts in progress; the rest is left for the next start."""
        self._stopping = True
        self._wake.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=within)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._client.close()

    async def _run(self) -> None:
        now = asyncio.get_running_loop().time
        while not self._stopping:
            self._wake.clear()
            began = ended = now()
            try:
                await self._read_due()
                ended = now()
            except Exception:
                log.exception("the outbox cannot be read")
                await asyncio.sleep(POLL_SECONDS)
            self._send_queued()
            await asyncio.sleep(min(max(PAUSE_SECONDS, 10 * (ended - began)), MAX_PAUSE_SECONDS))
            await self._wait()

    async def _wait(self) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), POLL_SECONDS)
        except TimeoutError:
            return

    async def _read_due(self) -> None:
        """Queues what is due; reads deeper if everything read belongs to tenants with full queues."""
        due = await self._store.deliveries_due(self._clock.now(), self._depth)
        added = self._queue.add(due)
        self._has_more = len(due) == self._depth
        if not self._has_more:
            self._depth = max(FIRST_READ, min(self._depth, 2 * len(due)))
        elif not added:
            self._depth *= 2
        if self._has_more and not 0 < added < len(due) // 2:  # there is more to queue or to read
            self._wake.set()

    def _send_queued(self) -> None:
        while not self._stopping and (delivery := self._queue.take()):
            self._spawn(self._send(delivery))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, delivery: Delivery) -> None:
        healthy: bool | None = None
        try:
            healthy = await self._attempt(delivery)
        except Conflict:
            log.info("another process has recorded this attempt", delivery=delivery.id)
        except Exception:
            log.exception("an attempt could not be recorded", delivery=delivery.id)
            await asyncio.sleep(max(self._pause, POLL_SECONDS))  # it is still due and would be sent again at once
        finally:
            if self._queue.done(delivery, healthy=healthy) and self._has_more:
                self._wake.set()
            self._send_queued()

    async def _attempt(self, delivery: Delivery) -> bool | None:
        """Whether the receiver is healthy; None if the delivery has changed since it was read."""
        if await self._store.delivery(delivery.id) != delivery:
            return None
        began = asyncio.get_running_loop().time()
        problem = await self._post(delivery)
        took = asyncio.get_running_loop().time() - began
        wait = next_attempt(delivery.attempts + 1, self._retries, self._pause, self._rng)
        after = attempted(delivery, problem, self._clock.now(), wait)
        await self._store.commit(PutDelivery(after))
        write = log.debug if problem is None else log.warning
        write(
            "webhook",
            delivery=after.id,
            tenant=after.tenant,
            event_name=after.event,
            state=after.state,
            problem=problem,
        )
        self._on_attempt(after)
        return problem is None and took < PROMPT_SECONDS

    async def _post(self, delivery: Delivery) -> str | None:
        """Returns what went wrong, if anything."""
        signing = webhook_secret(self._secret, delivery.tenant)
        sent = headers(delivery, signing, self._prefix, self._clock.now())
        try:
            status = await self._client.post(delivery.url, sent, delivery.body.encode())
        except LudusError as error:
            return str(error)
        return None if 200 <= status < 300 else f"answered {status}"


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
