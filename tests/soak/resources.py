"""What a process holds, sample after sample, and whether that grows (Linux only)."""

from __future__ import annotations

import os
import re
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

PAGE = os.sysconf("SC_PAGE_SIZE")
TOLERANCE = 1.1
"""How much more than before is not growth yet: load varies, and caches fill."""
SLACK: Mapping[str, float] = {
    "memory, MB": 16,
    "tasks": 20,
    "file handles": 20,
    "sockets": 20,
    "connections to PostgreSQL": 5,
}
"""More by as much is not growth either, since small numbers vary more."""

Sample = dict[str, float]


def sample(pid: int, metrics: str) -> Sample:
    """Of a server, by its `/metrics` and what the system knows of it."""
    return {
        "memory, MB": int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE / 1e6,
        "tasks": gauge(metrics, "ludus_tasks"),
        "file handles": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "sockets": gauge(metrics, "ludus_socket_connections"),
    }


def gauge(page: str, name: str) -> float:
    found = re.search(rf"^{name} (\S+)$", page, re.MULTILINE)
    assert found, f"no {name} in the metrics"
    return float(found[1])


def growth(samples: Sequence[Sample]) -> list[str]:
    """What the last quarter has more of than the second one, in words; the first is for warming up."""
    quarter = len(samples) // 4
    assert quarter, "too few samples"
    problems = []
    for name in samples[0]:
        before, after = (median(samples[start : start + quarter], name) for start in (quarter, len(samples) - quarter))
        if after > before * TOLERANCE + SLACK[name]:
            problems.append(f"{name}: {before:.0f} in the second quarter, {after:.0f} in the last")
    return problems


def median(samples: Sequence[Sample], name: str) -> float:
    return statistics.median(each[name] for each in samples)
