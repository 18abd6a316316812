"""Bytes that wait for clients are bounded, for each and in all."""

from __future__ import annotations

from ludus.server.connections.backlog import Backlogs, memory_of


class Client:
    def __init__(self, backlogs: Backlogs, name: str, dropped: list[str]) -> None:
        self.backlog = backlogs.open(lambda: dropped.append(name))


def test_a_client_with_too_much_is_dropped_and_counts_no_more() -> None:
    reasons: list[str] = []
    dropped: list[str] = []
    backlogs = Backlogs(100, 1000, reasons.append)
    slow, keen = Client(backlogs, "slow", dropped), Client(backlogs, "keen", dropped)
    keen.backlog.add(100)
    slow.backlog.add(60)
    slow.backlog.add(41)
    assert (dropped, reasons, backlogs.size) == (["slow"], ["send_queue"], 100)
    slow.backlog.add(500)  # what is still being sent to it
    slow.backlog.remove(601)
    assert (dropped, backlogs.size) == (["slow"], 100)


def test_beyond_the_total_the_biggest_go() -> None:
    reasons: list[str] = []
    dropped: list[str] = []
    backlogs = Backlogs(100, 150, reasons.append)
    small, big, newest = (Client(backlogs, name, dropped) for name in ("small", "big", "newest"))
    small.backlog.add(40)
    big.backlog.add(90)
    newest.backlog.add(30)
    assert (dropped, reasons, backlogs.size) == (["big"], ["send_total"], 70)


def test_who_reads_makes_room() -> None:
    dropped: list[str] = []
    backlogs = Backlogs(100, 100)
    client = Client(backlogs, "keen", dropped)
    for _ in range(50):
        client.backlog.add(80)
        client.backlog.remove(80)
    assert (dropped, backlogs.size) == ([], 0)


def test_who_has_left_counts_no_more() -> None:
    dropped: list[str] = []
    backlogs = Backlogs(100, 100)
    client = Client(backlogs, "gone", dropped)
    client.backlog.add(80)
    client.backlog.close()
    Client(backlogs, "next", dropped).backlog.add(90)
    assert (dropped, backlogs.size) == ([], 90)


def test_memory_is_counted_and_not_characters() -> None:
    assert memory_of("é" * 1000) < memory_of("中" * 1000) < memory_of("🂡" * 1000)
    assert memory_of("") > 100  # a million empty messages take memory too
