"""A webhook dispatcher between a real store and a real receiver, with a manual clock."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

from tests.service.parts import FakeClock
from tests.service.webhooks.receiver import Receiver

from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutDelivery, PutTenant
from ludus.service.records import Delivery, Tenant
from ludus.service.webhooks.client import PinnedClient
from ludus.service.webhooks.dispatcher import WebhookDispatcher
from ludus.storage import store_for

SECRET = b"platform"
PATIENCE = 90.0
"""Seconds a test waits before it fails."""


class DispatcherHarness:
    """A dispatcher between a store and a receiver; only the clock is fake."""

    def __init__(self, store: Store, receiver: Receiver) -> None:
        self.store, self.receiver, self.clock = store, receiver, FakeClock()
        self.clock.time = time.time_ns() // 1_000_000  # receivers refuse old webhooks
        self.heard: list[Delivery] = []
        self.dispatchers: list[WebhookDispatcher] = []

    def start(self, store: Any = None, seconds: float = PATIENCE, **options: Any) -> WebhookDispatcher:
        client = options.pop("client", None) or PinnedClient(allow_private=True, seconds=seconds)
        own: dict[str, Any] = {"secret": SECRET, "rng": Random(1), "on_attempt": self.heard.append} | options
        dispatcher = WebhookDispatcher(store or self.store, self.clock, client, **own)
        dispatcher.start()
        self.dispatchers.append(dispatcher)
        return dispatcher

    def delivery(
        self, id: str, path: str = "/", tenant: str = "a", session: str = "", host: str = "127.0.0.1"
    ) -> Delivery:
        body, now = json.dumps({"deliveryId": id}), self.clock.now()
        url = self.receiver.url(path, host)
        return Delivery(id, tenant, session or id, "game.move", url, body, "waiting", 0, now, now)

    async def queue(self, *deliveries: Delivery) -> None:
        await self.store.commit(*(PutDelivery(delivery) for delivery in deliveries))
        for dispatcher in self.dispatchers:
            dispatcher.wake()

    async def stored(self, id: str) -> Delivery:
        found = await self.store.delivery(id)
        assert found
        return found

    async def state(self, id: str, state: str, attempts: int) -> Delivery:
        """Waits until the delivery has this state and number of attempts."""

        async def is_so() -> bool:
            return (await self.stored(id))[6:8] == (state, attempts)

        await until(is_so)
        return await self.stored(id)

    async def notified(self, many: int) -> list[Delivery]:
        """The attempts reported, once there are this many: a moment after they were stored."""

        async def is_so() -> bool:
            return len(self.heard) >= many

        await until(is_so)
        return self.heard


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await is_so():
            await asyncio.sleep(0.005)


def go(folder: Path, run: Callable[[DispatcherHarness], Awaitable[None]]) -> None:
    async def work() -> None:
        store = store_for("", folder)
        await store.open()
        await store.commit(*(PutTenant(Tenant(id, id, 0)) for id in ("a", "silent", "well")))
        async with Receiver() as receiver:
            harness = DispatcherHarness(store, receiver)
            try:
                await run(harness)
            finally:
                for dispatcher in harness.dispatchers:
                    await dispatcher.stop(0)
        await store.close()

    asyncio.run(work())
