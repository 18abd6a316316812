"""Processor cores."""

from __future__ import annotations

import os


def cores() -> int:
    """The number of cores this process may use; all of them if the system doesn't say, as on macOS and Windows."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
