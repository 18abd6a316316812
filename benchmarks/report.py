"""What every benchmark prints: where and when it ran, and rows of a Markdown table for RESULTS.md."""

from __future__ import annotations

import datetime
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def machine() -> str:
    """Today, the processor and the Python of this run."""
    return f"{datetime.date.today()}, {os.cpu_count()} cores of {_chip()}, Python {platform.python_version()}"


def _chip() -> str:
    """The processor by its full name where Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def cpu_seconds(work: Callable[[], Any], *, best_of: int = 3) -> float:
    """The least CPU time of a few runs: a busy machine only ever adds to it."""
    times = []
    for _ in range(best_of):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def heading(*columns: str) -> None:
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * len(columns))


def row(*cells: object) -> None:
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
