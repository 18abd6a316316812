"""How much work a call does, in lines of Python: the same on every machine, unlike its time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class TooMuchWork(BaseException):
    """Not an `Exception`: the code under test must not catch it."""


def count_steps(call: Callable[[], object], limit: int) -> int:
    """The lines that were executed; `TooMuchWork` ends a call that needs more than `limit`."""
    steps = 0

    def trace(_frame: FrameType, event: str, _arg: Any) -> Any:
        nonlocal steps
        if event == "line":
            steps += 1
            if steps > limit:
                raise TooMuchWork(f"more than {limit:,} lines")
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return steps
