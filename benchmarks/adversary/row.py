"""One row of the table: a fresh server, the good players, an attack, and what became of them."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.adversary.attacks import BY_NAME
from benchmarks.adversary.processes import begin, read, running
from benchmarks.adversary.server import Server, serve

LEAD = 5.0
"""Seconds of play before the attack."""
AFTER = 10.0
"""Seconds of play after it, in which the server should recover."""
SAMPLE = 0.25
ATTACKER = "127.20.0.1"


class Setting(NamedTuple):
    folder: Path
    games: int
    seconds: float
    stored: int
    """Finished games in the database, for attacks that need them."""
    workers: int = 1
    """Server processes."""


def slashed(figures: Sequence[float], digits: int) -> str:
    return " / ".join(f"{figure:,.{digits}f}" for figure in figures)


class Latency(NamedTuple):
    """In milliseconds; one that was never answered counts as long as it has waited."""

    p50: float
    p99: float
    number: int

    @classmethod
    def of(cls, times: Sequence[float]) -> Latency:
        if not times:
            return cls(float("nan"), float("nan"), 0)
        p50, p99 = np.quantile(times, (0.5, 0.99))
        return cls(float(p50), float(p99), len(times))

    def __str__(self) -> str:
        return slashed((self.p50, self.p99), 1) if self.number else "none"


class Memory(NamedTuple):
    """Of the processes that serve, in MB."""

    start: float
    peak: float
    after: float

    def __str__(self) -> str:
        return slashed(self, 0)


class Cpu(NamedTuple):
    """Seconds during the attack; the good players' are those of their whole run."""

    server: float
    attacker: float
    players: float

    def __str__(self) -> str:
        return slashed(self, 1)


class Row(NamedTuple):
    name: str
    before: Latency
    during: Latency
    newcomers: Latency
    turned_away: int
    broken: list[str]
    unanswered: int
    memory: Memory
    cpu: Cpu
    written: float
    """MB by which the server's data grew meanwhile."""
    got: str

    @staticmethod
    def columns() -> tuple[str, ...]:
        return (
            "attack",
            "a move before it, p50 / p99 ms",
            "during it",
            "newcomers, p50 / p99 ms",
            "games lost or broken",
            "server's memory at start / peak / 10 s after, MB",
            "CPU of server / attacker / players, s",
            "data grew by, MB",
            "what the attacker got",
        )

    def cells(self) -> tuple[object, ...]:
        newcomers = f"{self.newcomers}" + (f", {self.turned_away} not served" if self.turned_away else "")
        lost = f"{len(self.broken)}" + (f", {self.unanswered} moves unanswered" if self.unanswered else "")
        kinds = f" ({'; '.join(sorted(set(self.broken))[:3])})" if self.broken else ""
        return (
            self.name,
            self.before,
            self.during,
            newcomers,
            lost + kinds,
            self.memory,
            self.cpu,
            f"{self.written:.1f}",
            self.got,
        )


def measure(name: str, attacks: Mapping[str, int], setting: Setting, addresses: Sequence[str] = ()) -> Row:
    """`attacks` are numbers of connections by name; none for a quiet row."""
    folder = setting.folder / name
    folder.mkdir()
    chosen = [BY_NAME[each] for each in attacks]
    handles = max((attack.handles for attack in chosen), default=0)
    easy = ["easy"] if any(attack.has_easy_bot for attack in chosen) else []
    stored_games = setting.stored if any(attack.needs_stored_games for attack in chosen) else 0
    with serve(folder, handles, setting.workers, stored_games) as server:
        plan = {"port": server.port, "seconds": setting.seconds, "addresses": list(addresses), "attacks": attacks}
        players = (server.port, setting.games, *easy)
        with (
            running("players", *players) as good,
            running("attacker", json.dumps(plan)) if attacks else nullcontext() as bad,
        ):
            began = time.monotonic()
            sleep_until(began + LEAD)
            start, cpu, stored = server.memory_mb(), server.cpu_seconds(), server.stored_mb()
            attacked = time.monotonic()
            if bad:
                begin(bad)
            peak = highest(server, attacked + setting.seconds)
            server_cpu, ended = server.cpu_seconds() - cpu, time.monotonic()
            written = server.stored_mb() - stored
            bad_report = read(bad) if bad else None
            peak = max(peak, highest(server, ended + AFTER))
            after = server.memory_mb()
            stopped = time.monotonic()
            begin(good)
            report = read(good)
    return Row(
        name,
        Latency.of(waits(report["moves"], [], began, attacked, stopped)),
        Latency.of(waits(report["moves"], report["unanswered"], attacked, ended, stopped)),
        Latency.of(waits(report["newcomers"], [], attacked, ended, stopped)),
        sum(ms is None for at, ms in report["newcomers"] if attacked <= at < ended),
        report["broken"],
        len([at for at in report["unanswered"] if at < ended]),
        Memory(start, max(start, peak), after),
        Cpu(server_cpu, bad_report["cpu_s"] if bad_report else 0.0, report["cpu_s"]),
        written,
        describe(bad_report, report["easy"], attacked, ended) if bad_report else "",
    )


def waits(
    timed: Sequence[tuple[float, float | None]], unanswered: Sequence[float], since: float, until: float, now: float
) -> list[float]:
    """The times in milliseconds of what was sent in that span."""
    answered = [ms for at, ms in timed if since <= at < until and ms is not None]
    return answered + [(now - at) * 1e3 for at in unanswered if since <= at < until]


def describe(
    report: Mapping[str, Any], easy: Sequence[tuple[float, float | None]], attacked: float, ended: float
) -> str:
    parts = [f"{report['served']:,} served"]
    for what in ("refused", "closed"):
        parts += [f"{number:,} {what} ({code})" for code, number in sorted(report[what].items())]
    parts += [f"{value:,.0f} {name}" for name, value in report["more"].items()]
    parts += [f"{report['bytes_in'] / 1e6:.1f} MB"]
    parts += [f"stopped: {problem}" for problem in report["failed"]]
    if answers := [ms for at, ms in easy if attacked <= at < ended and ms is not None]:
        parts.append(f"easy answered after {np.median(answers) / 1e3:.1f} s, at worst {max(answers) / 1e3:.1f} s")
    return ", ".join(parts)


def highest(server: Server, until: float) -> float:
    """The server's highest memory until then."""
    peak = 0.0
    while time.monotonic() < until:
        peak = max(peak, server.memory_mb())
        time.sleep(SAMPLE)
    return peak


def sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.monotonic()))
