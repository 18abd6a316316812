"""The port of the clock."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    def now(self) -> int:
        """Milliseconds since 1970; may be set to anything while the process runs."""
        ...

    def monotonic(self) -> int:
        """Milliseconds since any moment, which nobody can set."""
        ...
