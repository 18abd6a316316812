"""Carries webhooks from the store to the tenants' back ends, each at least once.

What is not yet delivered is a row of the store, so a restart loses nothing; one that falls between an answer and its
record sends the same delivery again, and the receiver knows it by its id.
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
from ludus.service.webhooks.delivery import ALL_LANES, Lanes, attempted, headers, next_attempt, webhook_secret

if TYPE_CHECKING:
    import httpcore2

ANSWER_SECONDS: Final = 10.0
CONNECT_SECONDS: Final = 4.0
"""For one address of a host; there may be others."""
READ_AT_MOST: Final = 4096
"""Bytes of an answer: enough to keep the connection after a polite one."""
SOON: Final = 1.0
"""Seconds within which a receiver in good health answers."""
READ_FIRST: Final = 256
POLL_SECONDS: Final = 1.0
BREATH_SECONDS: Final = 0.02
"""Between two looks into the store at least, so that a burst of news costs one look."""
LONG_BREATH_SECONDS: Final = 5.0
"""Between two looks at most, though the machine may have stood still during the last one."""

log = structlog.get_logger("ludus.courier")


class NoAnswer(LudusError):
    """The receiver could not be reached, or said nothing in time."""

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
        lanes: Lanes | None = None,
        heard: Callable[[Delivery], None] = ignore,
    ) -> None:
        """`heard` is told of each delivery after an attempt was recorded; `pause` is in seconds."""
        self._store, self._clock, self._client = store, clock, client
        self._secret, self._prefix = secret, prefix
        self._retries, self._pause, self._rng = retries, pause, rng
        self._lanes = lanes or Lanes()
        self._heard = heard
        self._wake = asyncio.Event()
        self._stopping = False
        self._depth = READ_FIRST
        self._has_more = False
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self._spawn(self._work())

    def wake(self) -> None:
        """Something was queued: no need to wait for the next look."""
        self._wake.set()

    async def stop(self, within: float) -> None:
        """Starts nothing more and waits so many seconds for what is under way; the rest is left for the next start."""
        self._stopping = True
        self._wake.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=within)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self._client.close()

    async def _work(self) -> None:
        now = asyncio.get_running_loop().time
        while not self._stopping:
            self._wake.clear()
            began = ended = now()
            try:
                await self._look()
                ended = now()
            except Exception:
                log.exception("the outbox cannot be read")
                await asyncio.sleep(POLL_SECONDS)
            self._send_out()
            await asyncio.sleep(min(max(BREATH_SECONDS, 10 * (ended - began)), LONG_BREATH_SECONDS))
            await self._rest()

    async def _rest(self) -> None:
        try:
            await asyncio.wait_for(self._wake.wait(), POLL_SECONDS)
        except TimeoutError:
            return

    async def _look(self) -> None:
        """Reads what is due, and deeper where all that was read belongs to tenants whose queues are full."""
        due = await self._store.deliveries_due(self._clock.now(), self._depth)
        added = self._lanes.add(due)
        self._has_more = len(due) == self._depth
        if not self._has_more:
            self._depth = max(READ_FIRST, min(self._depth, 2 * len(due)))
        elif not added:
            self._depth *= 2
        if self._has_more and not 0 < added < len(due) // 2:  # there is more to take in, or to look behind
            self._wake.set()

    def _send_out(self) -> None:
        while not self._stopping and (delivery := self._lanes.take()):
            self._spawn(self._carry(delivery))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _carry(self, delivery: Delivery) -> None:
        well: bool | None = None
        try:
            well = await self._attempt(delivery)
        except Conflict:
            log.info("another process has counted this attempt", delivery=delivery.id)
        except Exception:
            log.exception("an attempt was not recorded", delivery=delivery.id)
            await asyncio.sleep(max(self._pause, POLL_SECONDS))  # it is due still, and would go out again at once
        finally:
            if self._lanes.done(delivery, well=well) and self._has_more:
                self._wake.set()
            self._send_out()

    async def _attempt(self, delivery: Delivery) -> bool | None:
        """Whether the receiver is well; None if somebody else has dealt with the delivery since it was read."""
        if await self._store.delivery(delivery.id) != delivery:
            return None
        began = asyncio.get_running_loop().time()
        problem = await self._problem(delivery)
        took = asyncio.get_running_loop().time() - began
        wait = next_attempt(delivery.attempts + 1, self._retries, self._pause, self._rng)
        after = attempted(delivery, problem, self._clock.now(), wait)
        await self._store.commit(PutDelivery(after))
        said = log.debug if problem is None else log.warning
        said(
            "webhook",
            delivery=after.id,
            tenant=after.tenant,
            event_name=after.event,
            state=after.state,
            problem=problem,
        )
        self._heard(after)
        return problem is None and took < SOON

    async def _problem(self, delivery: Delivery) -> str | None:
        """What went wrong with sending it, if anything did."""
        signing = webhook_secret(self._secret, delivery.tenant)
        sent = headers(delivery, signing, self._prefix, self._clock.now())
        try:
            status = await self._client.post(delivery.url, sent, delivery.body.encode())
        except LudusError as error:
            return str(error)
        return None if 200 <= status < 300 else f"answered {status}"


class PinnedClient:
    """Posts to public addresses only: each connection goes to an address that was looked up and checked for it.

    Redirects are not followed and no proxy is asked, since either could lead elsewhere.
    """

    def __init__(self, *, allow_private: bool = False, seconds: float = ANSWER_SECONDS, lookup: Lookup | None = None):
        self._allow_private = allow_private
        self._seconds = seconds
        self._lookup = lookup or look_up
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
                await read_a_little(got)
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
        """Made when there is something to send: it takes a while to load."""
        import httpcore2

        if self._pool is None:
            self._pool = httpcore2.AsyncConnectionPool(
                ssl_context=httpcore2.default_ssl_context(),
                max_connections=None,
                max_keepalive_connections=ALL_LANES,
                keepalive_expiry=30.0,
                network_backend=cast("httpcore2.AsyncNetworkBackend", Pinned(httpcore2.AnyIOBackend(), self._resolve)),
            )
        return self._pool

    async def _resolve(self, host: str, port: int) -> Sequence[str]:
        return await resolve_public(host, port, self._lookup, allow_private=self._allow_private)


class Pinned:
    """The network as httpcore sees it, where a name leads only to addresses that were checked.

    The name itself stays in the Host header and is what the receiver's certificate must be for.
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


async def read_a_little(answer: httpcore2.Response) -> None:
    read = 0
    async for part in answer.aiter_stream():
        read += len(part)
        if read > READ_AT_MOST:
            return


async def look_up(host: str, port: int) -> Sequence[str]:
    """All addresses of a host. In a thread of its own: a slow name server then holds up no other, nor our stopping."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Sequence[str]] = loop.create_future()

    def tell(addresses: Sequence[str], problem: Exception | None) -> None:
        if not found.done():
            found.set_result(addresses) if problem is None else found.set_exception(problem)

    def ask() -> None:
        addresses: Sequence[str] = ()
        problem: Exception | None = None
        try:
            answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            addresses = list(dict.fromkeys(str(answer[4][0]) for answer in answers))
        except (OSError, UnicodeError) as error:
            problem = OSError(f"{host} is not known: {error}")
        with contextlib.suppress(RuntimeError):  # the platform has closed meanwhile, and nobody waits
            loop.call_soon_threadsafe(tell, addresses, problem)

    threading.Thread(target=ask, name="ludus-lookup", daemon=True).start()
    return await found
