"""What is queued for a client of Socket.IO."""

from __future__ import annotations

import asyncio

from engineio.packet import CLOSE, MESSAGE, Packet

from ludus.server.connections.backlog import Backlogs, memory_of
from ludus.server.socketio.transport import SendQueue

TEXT = "x" * 1000
PLENTY = 1_000_000


def test_what_is_queued_counts_until_it_is_taken() -> None:
    async def happen() -> None:
        backlogs = Backlogs(PLENTY, PLENTY)
        queue = SendQueue(backlogs)
        for _ in range(3):
            await queue.put(Packet(MESSAGE, TEXT))
        assert backlogs.size == 3 * memory_of(TEXT)
        await queue.get()
        queue.get_nowait()
        assert backlogs.size == memory_of(TEXT)
        queue.release()
        assert backlogs.size == 0

    asyncio.run(happen())


def test_who_leaves_too_much_gets_the_end_and_nothing_else() -> None:
    async def happen() -> None:
        backlogs = Backlogs(3 * memory_of(TEXT), PLENTY)
        queue = SendQueue(backlogs)
        told: list[object] = []
        queue.cut = lambda code, reason: told.append((code, reason))
        queue.on_drop = lambda: told.append("dropped")
        for _ in range(10):
            await queue.put(Packet(MESSAGE, TEXT))
        assert told == [(1008, "too slow"), "dropped"]
        assert backlogs.size == 0 and queue.qsize() == 1
        assert (await queue.get()).packet_type == CLOSE

    asyncio.run(happen())


def test_a_poll_that_waits_gets_the_end_when_another_client_is_dropped_for_the_total() -> None:
    async def happen() -> None:
        backlogs = Backlogs(PLENTY, 3 * memory_of(TEXT))
        big, small = SendQueue(backlogs), SendQueue(backlogs)
        for queue in (big, big, small, small):
            await queue.put(Packet(MESSAGE, TEXT))
        assert backlogs.size == 2 * memory_of(TEXT)
        assert sorted([big.qsize(), small.qsize()]) == [1, 2]

    asyncio.run(happen())
