"""Who gets a slot, who makes room, and who is ended for keeping the server waiting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ludus.server.connections import gate as gates
from ludus.server.connections.backlog import Backlogs
from ludus.server.connections.gate import Gate, Slot

from .transport import FakeClock, FakeTransport

ANN, BEN, PROXY = "192.0.2.1", "192.0.2.2", "127.0.0.1"


class Owner:
    def __init__(self, transport: FakeTransport) -> None:
        self._transport = transport
        self.reasons: list[str] = []

    def time_out(self, reason: str) -> None:
        self.reasons.append(reason)
        self._transport.close()


class Party:
    """A gate for four connections, at most two from an address, and all who came."""

    def __init__(self, most: int = 4, unread: int = 1_000_000) -> None:
        self.clock = FakeClock()
        self.closed: list[str] = []
        self.backlogs = Backlogs(unread, unread)
        self.gate = Gate(
            most,
            2,
            self.backlogs,
            is_exempt=lambda address: address == PROXY,
            on_close=self.closed.append,
            clock=self.clock,
        )
        self.backlogs.on_drop = self.gate.note

    def enter(self, address: str) -> tuple[Slot | str, FakeTransport]:
        transport = FakeTransport(address)
        return self.gate.enter(transport, Owner(transport), address), transport

    def admit(self, address: str = ANN) -> tuple[Slot, FakeTransport]:
        slot, transport = self.enter(address)
        assert isinstance(slot, Slot)
        return slot, transport

    def wait(self, seconds: float) -> None:
        self.clock.now += seconds
        self.gate.sweep()


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[Mapping[str, Any]]:
    """What is logged."""
    found: list[Mapping[str, Any]] = []

    class Log:
        def warning(self, _event: str, **fields: Any) -> None:
            found.append(fields)

    monkeypatch.setattr(gates, "log", Log())
    return found


def test_an_address_has_so_many_connections_and_no_more() -> None:
    party = Party()
    slot, _ = party.admit(ANN)
    party.admit(ANN)
    assert party.enter(ANN)[0] == "address_limit"
    party.admit(BEN)
    slot.release()
    slot.release()  # by accident, as when a connection is lost twice
    party.admit(ANN)
    assert party.enter(ANN)[0] == "address_limit"


def test_an_ipv6_network_counts_as_one_address() -> None:
    party = Party()
    party.admit("2001:db8::1")
    party.admit("2001:db8::2")
    assert party.enter("2001:db8::3")[0] == "address_limit"


def test_a_trusted_proxy_is_no_client() -> None:
    party = Party()
    for _ in range(4):
        party.admit(PROXY)
    assert len(party.gate) == 4


def test_who_has_been_without_a_request_for_longest_makes_room() -> None:
    party = Party()
    playing, played_on = party.admit("192.0.2.11")
    playing.begin()
    first, silent = party.admit("192.0.2.12")
    second, other = party.admit("192.0.2.13")
    third, idle = party.admit("192.0.2.14")
    first.begin()
    first.finish()  # so it has waited less than the other two
    party.admit(BEN)
    party.admit(BEN)
    assert (other.is_aborted, idle.is_aborted) == (True, True)
    assert (played_on.is_aborted, silent.is_aborted) == (False, False)
    assert party.closed == ["made_room", "made_room"]
    assert len(party.gate) == 4
    del second, third


def test_nobody_who_is_served_makes_room() -> None:
    party = Party()
    for number in range(4):
        slot, _ = party.admit(f"192.0.2.{10 + number}")
        slot.begin()
    assert party.enter(BEN)[0] == "connection_limit"
    assert len(party.gate) == 4
    slot.release()
    assert isinstance(party.enter(BEN)[0], Slot)  # and those refused don't count for their address


def test_what_is_expected_must_come_in_time() -> None:
    party = Party()
    slot, transport = party.admit()
    slot.expect(10, "head_timeout")
    party.wait(9.9)
    assert not transport.is_closing()
    party.wait(0.1)
    assert transport.is_closing() and party.closed == ["head_timeout"]


def test_what_has_come_is_expected_no_more() -> None:
    party = Party()
    slot, transport = party.admit()
    slot.expect(10, "head_timeout")
    slot.settle()
    party.wait(1000)
    assert not transport.is_closing()


def test_who_stops_reading_is_cut_off() -> None:
    party = Party()
    slot, transport = party.admit()
    transport.unread = 50_000
    slot.pause()
    assert party.backlogs.size == 50_000
    party.wait(gates.STALL_SECONDS)
    assert transport.is_aborted and party.closed == ["slow_reader"]


def test_who_reads_a_trickle_is_cut_off_too() -> None:
    party = Party()
    slot, transport = party.admit()
    transport.unread = 50_000
    slot.pause()
    transport.unread -= gates.STALL_BYTES - 1
    party.wait(gates.STALL_SECONDS)
    assert transport.is_aborted


def test_who_reads_slowly_but_steadily_stays() -> None:
    party = Party()
    slot, transport = party.admit()
    transport.unread = 5 * gates.STALL_BYTES
    slot.pause()
    for _ in range(4):
        transport.unread -= gates.STALL_BYTES
        party.wait(gates.STALL_SECONDS)
    assert not transport.is_aborted
    assert party.backlogs.size == gates.STALL_BYTES
    transport.unread = 0
    slot.resume()
    party.wait(1000)
    assert not transport.is_aborted and party.backlogs.size == 0


def test_a_closed_connection_does_not_stay_for_its_last_bytes() -> None:
    party = Party()
    _, transport = party.admit()
    transport.close()
    party.wait(1)
    assert not transport.is_aborted
    party.wait(gates.LINGER_SECONDS)
    assert transport.is_aborted


def test_the_response_that_takes_the_total_over_the_limit_goes_if_it_is_the_biggest() -> None:
    party = Party(unread=100_000)
    small, kept = party.admit()
    big, gone = party.admit()
    kept.unread, gone.unread = 30_000, 80_000
    small.pause()
    big.pause()
    assert gone.is_aborted and not kept.is_aborted
    assert party.closed == ["send_total"] and party.backlogs.size == 30_000


def test_what_a_lost_connection_had_not_read_counts_no_more() -> None:
    party = Party()
    slot, transport = party.admit()
    transport.unread = 50_000
    slot.pause()
    slot.release()
    assert party.backlogs.size == 0 and len(party.gate) == 0


def test_a_storm_of_refusals_is_one_line_in_the_log(lines: list[Mapping[str, Any]]) -> None:
    party = Party()
    party.admit()
    party.admit()
    for _ in range(500):
        party.enter(ANN)
    party.wait(1)
    party.wait(1)
    assert lines == [{"open": 2, "address_limit": 500}]
    assert len(party.closed) == 500


def test_time_outs_of_well_behaved_clients_are_not_logged(lines: list[Mapping[str, Any]]) -> None:
    """A browser opens connections that it may never use."""
    party = Party()
    slot, _ = party.admit()
    slot.expect(10, "head_timeout")
    party.wait(10)
    assert party.closed == ["head_timeout"] and not lines
