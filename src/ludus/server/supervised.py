"""A server process that a supervisor has started: what the two tell each other over standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Final

from ludus.server.settings import Settings

READY_LINE: Final = "ready"
"""On standard output, when the process takes games. All other lines are for people."""


def settings_of(number: int, settings: Settings) -> Settings:
    """Of one process of several: they share what the machine has for bots, and each has a private port."""
    engines = max(1, settings.bot_workers // settings.workers) if settings.bot_workers else 0
    port = settings.internal_port and settings.internal_port + number - 1
    return settings.model_copy(update={"bot_workers": engines, "internal_port": port})


class SupervisorLink:
    def __init__(self, name: str) -> None:
        """`name` is that of this process in the log."""
        self.name = name

    def report_ready(self) -> None:
        sys.stdout.write(f"{READY_LINE}\n")
        sys.stdout.flush()

    def watch(self, stop: Callable[[], None]) -> None:
        """Calls `stop` when the supervisor has ended, however it did: nobody would restart or stop this process."""
        loop = asyncio.get_running_loop()

        def on_end() -> None:
            loop.remove_reader(sys.stdin)
            stop()

        loop.add_reader(sys.stdin, on_end)
