"""A queue for something scarce that its users share fairly, however much each of them asks for."""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from typing import Any, Generic, NamedTuple, TypeVar

Item = TypeVar("Item")


class Waiter(NamedTuple):
    finish: float
    number: int
    """In the order of arrival, for those that would finish at the same time."""
    owner: str
    cost: float
    item: asyncio.Future[Any]


class FairQueue(Generic[Item]):
    """Weighted fair queueing: an item goes to the waiter who would finish first if all owners were served at once.

    So an owner's second request waits for the others' first ones, short work comes before long, and nobody waits
    forever.
    """

    def __init__(self) -> None:
        self._items: list[Item] = []
        """The last one put back is used first."""
        self._waiting: list[Waiter] = []
        self._owners: Counter[str] = Counter()
        """How many requests of each owner wait."""
        self._finish: dict[str, float] = {}
        """When each owner's last request would be finished, in virtual time."""
        self._now = 0.0
        """Virtual time: what an owner that always waits has been served so far."""
        self._number = 0

    def __len__(self) -> int:
        """The number of requests that wait."""
        return self._owners.total()

    def put(self, item: Item) -> None:
        self._items.append(item)
        self._serve()

    async def get(self, owner: str = "", cost: float = 0.0) -> Item:
        """An item for work that costs about `cost`, in any unit; put it back afterwards."""
        waiter = self._enter(owner, cost)
        self._serve()
        try:
            item: Item = await waiter.item
        except asyncio.CancelledError:
            if waiter.item.cancelled():
                self._leave(owner)
            else:
                self.put(waiter.item.result())
            raise
        return item

    def _enter(self, owner: str, cost: float) -> Waiter:
        if not self._owners:  # nobody has been kept waiting, so what was used before does not matter
            self._finish.clear()
        finish = self._finish[owner] = max(self._now, self._finish.get(owner, 0.0)) + cost
        self._number += 1
        self._owners[owner] += 1
        waiter = Waiter(finish, self._number, owner, cost, asyncio.get_running_loop().create_future())
        heapq.heappush(self._waiting, waiter)
        return waiter

    def _serve(self) -> None:
        while self._items and self._waiting:
            waiter = heapq.heappop(self._waiting)
            if not waiter.item.cancelled():
                self._now += waiter.cost / len(self._owners)
                if len(self._finish) > 2 * len(self._owners) + 64:  # those whose work is done have nothing to make up
                    self._finish = {owner: at for owner, at in self._finish.items() if at > self._now}
                self._leave(waiter.owner)
                waiter.item.set_result(self._items.pop())

    def _leave(self, owner: str) -> None:
        self._owners[owner] -= 1
        if not self._owners[owner]:
            del self._owners[owner]
