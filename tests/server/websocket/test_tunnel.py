"""The two ends of a tunnel."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.connections.transport import FakeClock, FakeTransport

from ludus.server.connections.backlog import Backlogs
from ludus.server.connections.gate import STALL_SECONDS, Gate, Slot
from ludus.server.websocket.tunnel import ANSWER_SECONDS, ClientEnd, TunnelEnd

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Tunnel:
    """Made when a client's connection, at the gate, is joined with one to another process."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.closed: list[str] = []
        self.gate = Gate(10, 10, Backlogs(1 << 20, 1 << 20), on_close=self.closed.append, clock=self.clock)
        self.client, self.process = FakeTransport(), FakeTransport("192.0.2.9")
        self.connections: set[Any] = set()
        self.far = TunnelEnd()
        self.far.connection_made(self.process)
        slot = self.gate.enter(self.client, self, "192.0.2.1")
        assert isinstance(slot, Slot)
        self.near = ClientEnd(self.client, slot, self.connections, self.far)

    def time_out(self, reason: str) -> None:
        raise AssertionError(reason)

    def wait(self, seconds: float) -> None:
        self.clock.now += seconds
        self.gate.sweep()


async def test_bytes_leave_at_the_other_end() -> None:
    tunnel = Tunnel()
    tunnel.near.data_received(b"to the process")
    tunnel.far.data_received(b"to the client")
    assert (tunnel.process.written, tunnel.client.written) == (b"to the process", b"to the client")


async def test_an_end_that_cannot_send_holds_up_the_other() -> None:
    tunnel = Tunnel()
    tunnel.near.pause_writing()
    assert (tunnel.process.is_paused, tunnel.client.is_paused) == (True, False)
    tunnel.near.resume_writing()
    tunnel.far.pause_writing()
    assert (tunnel.process.is_paused, tunnel.client.is_paused) == (False, True)
    tunnel.far.resume_writing()
    assert not tunnel.client.is_paused


async def test_a_client_that_reads_nothing_is_cut_off() -> None:
    tunnel = Tunnel()
    tunnel.far.data_received(b"much")
    tunnel.client.unread = 1 << 16
    tunnel.near.pause_writing()
    tunnel.wait(STALL_SECONDS)
    assert tunnel.client.is_aborted and tunnel.closed == ["slow_reader"]


async def test_a_process_that_does_not_answer_is_not_waited_for() -> None:
    tunnel = Tunnel()
    tunnel.wait(ANSWER_SECONDS)
    assert tunnel.client.is_aborted


async def test_a_client_that_was_answered_may_be_silent() -> None:
    tunnel = Tunnel()
    tunnel.far.data_received(b"HTTP/1.1 101 Switching Protocols")
    tunnel.wait(100 * ANSWER_SECONDS)
    assert not tunnel.client.is_closing()


async def test_the_end_of_either_side_is_the_end_of_both() -> None:
    for side in ("near", "far"):
        tunnel = Tunnel()
        getattr(tunnel, side).connection_lost(None)
        assert (tunnel.process if side == "near" else tunnel.client).is_closing()


async def test_the_place_at_the_gate_is_free_again_when_the_client_has_left() -> None:
    tunnel = Tunnel()
    assert len(tunnel.gate) == len(tunnel.connections) == 1
    tunnel.near.connection_lost(None)
    assert len(tunnel.gate) == len(tunnel.connections) == 0
    assert tunnel.near.ended.done()


async def test_a_server_that_stops_ends_its_tunnels() -> None:
    tunnel = Tunnel()
    for connection in list(tunnel.connections):
        connection.shutdown()
    assert tunnel.client.is_closing()
