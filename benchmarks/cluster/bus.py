"""`python -m benchmarks.cluster.bus`: what a note costs the process that publishes it and each one that hears it.

Two processes on a Redis of our own: this one publishes, a child listens. Costs are the CPU time of each, so other work
on the machine matters little; latencies are by the clock, from `publish` to the listener in the other process.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import uvloop
from tests.redis_server import redis_server

from benchmarks.report import heading, machine, row
from ludus.bus.memory import MemoryBus
from ludus.bus.redis import RedisBus
from ludus.service.ports.bus import Bus, Note, TableChanged

NOTES, TABLES = 20_000, 1000
SECONDS = 4
"""At each rate."""
QUICK = 20
"""How many times fewer in a quick run."""
RATES = (20, 200, 1000, 5000)
"""Notes a second."""


class Cost(NamedTuple):
    publisher: float
    """CPU time of a note in microseconds."""
    listener: float
    p50: float
    """Milliseconds."""
    p99: float
    rate: float
    """Notes a second."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.cluster.bus", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    fewer = QUICK if parser.parse_args().quick else 1
    print(f"Measured {machine()}.\n")
    heading("in one process", "µs CPU")
    for name, publish in (("awaiting the listener", awaited), ("in the background", dispatched)):
        row(name, f"{uvloop.run(publish(NOTES // fewer)):.1f}")
    print()
    heading("between two processes", "µs CPU sent", "µs CPU heard", "p50 ms", "p99 ms", "notes/s")
    with redis_server() as server:
        for rate in (*RATES, None):
            cost = measure(server.url, rate, (rate * SECONDS if rate else NOTES) // fewer)
            row(f"{rate} a second" if rate else "as fast as it can", *cells(cost))


def cells(cost: Cost) -> list[str]:
    return [f"{cost.publisher:.1f}", f"{cost.listener:.1f}", f"{cost.p50:.2f}", f"{cost.p99:.2f}", f"{cost.rate:,.0f}"]


async def awaited(number: int) -> float:
    heard, listen = listener()
    started = time.process_time()
    for note in notes(number):
        await listen(note)
        await asyncio.sleep(0)
    return per_note(started, number, len(heard))


async def dispatched(number: int) -> float:
    bus = MemoryBus()
    heard, listen = listener()
    bus.subscribe(listen)
    started = time.process_time()
    for note in notes(number):
        await bus.publish(note)
        await asyncio.sleep(0)
    await bus.drain()
    return per_note(started, number, len(heard))


def per_note(started: float, number: int, heard: int) -> float:
    assert heard == number
    return (time.process_time() - started) / number * 1e6


def listener() -> tuple[list[Note], Callable[[Note], Awaitable[None]]]:
    heard: list[Note] = []

    async def listen(note: Note) -> None:
        heard.append(note)

    return heard, listen


def notes(number: int) -> list[Note]:
    return [TableChanged(f"018bcfe5-6800-7b0f-bbc9-{count % TABLES:012}", 2 + count) for count in range(number)]


def measure(url: str, rate: int | None, number: int) -> Cost:
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("spawn").Process(target=hear, args=(url, number, there))
    child.start()
    try:
        here.recv()
        return uvloop.run(send(url, rate, number, here))
    finally:
        child.join(30)
        child.kill()


async def send(url: str, rate: int | None, number: int, child: Connection) -> Cost:
    bus = await connected(url, "publisher")
    cpu = time.process_time()
    await publish_all(MemoryBus(), rate, number)
    other = time.process_time() - cpu
    began, cpu = time.perf_counter(), time.process_time()
    published = await publish_all(bus, rate, number)
    await asyncio.to_thread(child.poll, 60)
    took, spent = time.perf_counter() - began, time.process_time() - cpu - other
    heard, listened = child.recv()
    await bus.stop()
    lags = sorted(at - published[TableChanged(*note)] for note, at in heard)
    assert TableChanged(*heard[-1][0]) in published and (rate is None or len(lags) > number * 0.9)
    return Cost(
        publisher=spent / number * 1e6,
        listener=listened / number * 1e6,
        p50=lags[len(lags) // 2] * 1000,
        p99=lags[len(lags) * 99 // 100] * 1000,
        rate=number / took,
    )


async def publish_all(bus: Bus, rate: int | None, number: int) -> dict[Note, float]:
    """Returns when each was published."""
    published: dict[Note, float] = {}
    began = time.perf_counter()
    for count, note in enumerate(notes(number)):
        if rate is not None:
            await asyncio.sleep(max(0.0, began + count / rate - time.perf_counter()))
        elif count % 100 == 0:
            await asyncio.sleep(0)
        published[note] = time.perf_counter()
        await bus.publish(note)
    return published


def hear(url: str, number: int, parent: Connection) -> None:
    uvloop.run(_hear(url, number, parent))


async def _hear(url: str, number: int, parent: Connection) -> None:
    bus = await connected(url, "listener")
    heard: list[tuple[Any, float]] = []
    last, done = notes(number)[-1], asyncio.Event()
    cpu = 0.0

    async def listen(note: Note) -> None:
        nonlocal cpu
        if not heard:
            cpu = time.process_time()
        heard.append((tuple(note), time.perf_counter()))
        if note == last:
            done.set()

    bus.subscribe(listen)
    parent.send("here")
    await done.wait()
    parent.send((heard, time.process_time() - cpu))
    await bus.stop()


async def connected(url: str, name: str) -> Bus:
    bus = RedisBus(url, f"{name} {time.time_ns()}")
    await bus.start()
    while not bus.is_connected:
        await asyncio.sleep(0.05)
    return bus


if __name__ == "__main__":
    main()
