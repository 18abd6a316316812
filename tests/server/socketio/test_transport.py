"""What is queued for a client of Socket.IO."""

from __future__ import annotations

import asyncio

from engineio.packet import CLOSE, MESSAGE, Packet

from ludus.server.connections.backlog import Backlogs, memory_of
from ludus.server.socketio.packets import MessagePacket
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


class Socket:
    """A WebSocket that takes frames while it is open."""

    def __init__(self) -> None:
        self.is_open = True
        self.written: list[bytes] = []

    def write(self, frame: bytes) -> bool:
        if self.is_open:
            self.written.append(frame)
        return self.is_open


def test_a_packet_goes_out_at_once_unless_others_wait() -> None:
    async def happen() -> None:
        backlogs, socket = Backlogs(PLENTY, PLENTY), Socket()
        queue = SendQueue(backlogs)
        queue.write = socket.write
        packets = [MessagePacket(b"2%d" % number) for number in range(4)]
        queue.push(packets[0])
        assert socket.written == [packets[0].frame] and backlogs.size == 0
        socket.is_open = False
        queue.push(packets[1])
        socket.is_open = True
        queue.push(packets[2])  # not before the one that waits
        assert len(socket.written) == 1 and backlogs.size == packets[1].memory + packets[2].memory
        assert [await queue.get(), await queue.get()] == packets[1:3]
        queue.is_sending = True
        queue.push(packets[3])
        assert len(socket.written) == 1 and queue.qsize() == 1

    asyncio.run(happen())


def test_without_a_websocket_packets_wait_for_a_poll() -> None:
    async def happen() -> None:
        queue = SendQueue(Backlogs(PLENTY, PLENTY))
        queue.push(MessagePacket(b"2hello"))
        assert (await queue.get()).encode() == "42hello"

    asyncio.run(happen())


def test_after_the_end_nothing_is_written() -> None:
    async def happen() -> None:
        socket = Socket()
        queue = SendQueue(Backlogs(PLENTY, PLENTY))
        queue.write, queue.cut = socket.write, lambda *_: None
        queue.end()
        queue.push(MessagePacket(b"2hello"))
        assert socket.written == [] and queue.qsize() == 1

    asyncio.run(happen())
