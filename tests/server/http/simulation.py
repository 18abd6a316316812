"""Time that passes only when a test says so, or when simulated work takes it; no real time."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable
from functools import partial

from ludus.server.http.cpu_budget import CpuBudget, Payer


class SimulatedTimer:
    def __init__(self, callback: Callable[[], object]) -> None:
        self.callback: Callable[[], object] | None = callback

    def cancel(self) -> None:
        self.callback = None


class Simulation:
    """One core: while work takes time, no timer fires."""

    def __init__(self, share: float = 0.2, total: float = 0.6, steps: int = 4) -> None:
        """`steps` is how often a task is resumed at most before it waits for time."""
        self.now = 1000.0
        self._steps = steps
        self.stolen = 0.0
        """Seconds in which another process had the core."""
        self._timers: list[tuple[float, int, SimulatedTimer]] = []
        self._number = 0
        self.budget = CpuBudget(
            share,
            total,
            now=lambda: self.now,
            stopwatch=lambda: self.now,
            cpu=lambda: self.now - self.stolen,
            call_later=self.call_later,
            sleep=self.sleep,
        )

    def call_later(self, delay: float, callback: Callable[[], object]) -> SimulatedTimer:
        self._number += 1
        timer = SimulatedTimer(callback)
        heapq.heappush(self._timers, (self.now + delay, self._number, timer))
        return timer

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.call_later(seconds, partial(_wake, woken))
        await woken

    async def run(self, seconds: float) -> None:
        """Until so much time has passed."""
        end = self.now + seconds
        await self.settle()
        while self._timers and max(self._timers[0][0], self.now) <= end:
            at, _, timer = heapq.heappop(self._timers)
            self.now = max(self.now, at)
            if timer.callback is not None:
                timer.callback()
            await self.settle()
        self.now = max(self.now, end)

    async def settle(self) -> None:
        """Lets every task run until it waits for time."""
        for _ in range(self._steps):
            await asyncio.sleep(0)

    async def work(self, payer: Payer, seconds: float, price: float | None = None) -> float:
        """Admits and does a piece of work; returns how long it waited."""
        asked = self.now
        await self.budget.admit(payer, seconds if price is None else price)
        waited = self.now - asked
        self.now += seconds
        return waited


def _wake(woken: asyncio.Future[None]) -> None:
    if not woken.done():
        woken.set_result(None)
