"""The summary table: ours beside each peer, with targets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from benchmarks.rooms.measure import Memory, Size, Summary

Found = Mapping[Size, Summary]
MOST_MB = 250
MOST_ECHOES = 3


class Row(NamedTuple):
    what: str
    ours: str
    peer: str = ""
    ratio: str = ""
    aim: str = ""


def compare(
    what: str, ours: float, peer: float, name: str, *, digits: int = 0, least: float = 0, most: float = 0
) -> Row:
    """Ours over a peer's; the target is a minimum or maximum ratio."""
    times = ours / peer
    aim, is_met = (f"≥ {least:g}", times >= least) if least else (f"≤ {most:g}", times <= most) if most else ("", True)
    output = aim if is_met else f"{aim}, missed"
    return Row(what, f"{ours:,.{digits}f}", f"{peer:,.{digits}f} ({name})", f"{times:.2f}", output)


def rows_of_size(size: Size, ours: Summary, peer: Summary, name: str) -> Iterator[Row]:
    if not size.think_us:
        yield compare(f"{size}, moves/s on one core", ours.rate, peer.rate, name, least=1)
    yield compare(f"{size}, CPU of the server, µs a move", ours.cost_us, peer.cost_us, name)
    for what, mine, its, most in (
        ("move seen by the opponent, p50, ms", ours.seen_p50, peer.seen_p50, 0),
        ("move seen by the opponent, p99, ms", ours.seen_p99, peer.seen_p99, 1),
        ("move acknowledged to its player, p99, ms", ours.acked_p99, peer.acked_p99, 0),
    ):
        yield compare(f"{size}, {what}", mine, its, name, digits=2, most=most)
    yield compare(f"{size}, bytes sent to both for a move", ours.bytes_a_move, peer.bytes_a_move, name)


def row_of_echo(size: Size, ours: Summary, echo: Summary, name: str, most: float = 0) -> Row:
    return compare(f"{size}, CPU of the server, µs a move", ours.cost_us, echo.cost_us, name, most=most)


def rows_of_memory(live: int, ours: Memory, peer: Memory, name: str) -> Iterator[Row]:
    aim = f"< {MOST_MB}" if ours.all < MOST_MB * 1e6 else f"< {MOST_MB}, missed"
    what = f"{live:,} live games, memory (PSS), MB"
    yield compare(what, ours.all / 1e6, peer.all / 1e6, name)._replace(aim=aim)
    yield compare(f"{what}, without the bots' processes", ours.own / 1e6, peer.own / 1e6, name)


def rows_of_contract(size: Size, whole: Summary, compact: Summary) -> Iterator[Row]:
    """What clients cost that do not ask for compact moves."""
    name = "compact"
    yield compare(f"{size}, not compact, CPU of the server, µs a move", whole.cost_us, compact.cost_us, name)
    yield compare(f"{size}, not compact, bytes for a move", whole.bytes_a_move, compact.bytes_a_move, name)


def row_of_client(found: Found) -> Row:
    """The load client's own limit, from its CPU time."""
    most = max(figures.client_us for figures in found.values())
    return Row("the load client could do, moves/s", "", f"{1e6 / most:,.0f}")
