"""Sends webhooks from the outbox to the tenants' back ends, at least once each.

Undelivered ones are rows in the store, so a restart loses none. A restart between an answer and its record sends the
same delivery again; the receiver recognizes it by its id.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Coroutine
from random import Random
from typing import Any, Final

import structlog

from ludus.core.errors import LudusError
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import PutDelivery
from ludus.service.records import Delivery
from ludus.service.webhooks.client import Client
from ludus.service.webhooks.delivery import (
    DeliveryQueue,
    attempted,
    headers,
    next_attempt,
    webhook_secret,
)

PROMPT_SECONDS: Final = 1.0
"""How fast a healthy receiver answers."""
FIRST_READ: Final = 256
POLL_SECONDS: Final = 1.0
PAUSE_SECONDS: Final = 0.02
"""The minimum between two reads of the store, so that a burst of events costs one read."""
MAX_PAUSE_SECONDS: Final = 5.0
"""The maximum, however long the last read took."""

log = structlog.get_logger("ludus.webhooks")


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
        shards: Callable[[], Collection[str] | None] = lambda: None,
    ) -> None:
        """`on_attempt` is called after each recorded attempt; `pause` is in seconds; `shards` are this process's."""
        self._store, self._clock, self._client = store, clock, client
        self._secret, self._prefix = secret, prefix
        self._retries, self._pause, self._rng = retries, pause, rng
        self._queue = queue or DeliveryQueue()
        self._on_attempt = on_attempt
        self._shards = shards
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
        is_failing = False
        while not self._stopping:
            self._wake.clear()
            began = ended = now()
            try:
                await self._read_due()
                ended = now()
                is_failing = False
            except Exception as error:
                if not is_failing:  # the first in a row; an unreachable database is no bug
                    log.error("the outbox cannot be read", error=str(error), exc_info=not isinstance(error, OSError))
                is_failing = True
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
        due = await self._store.deliveries_due(self._clock.now(), self._depth, self._shards())
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
