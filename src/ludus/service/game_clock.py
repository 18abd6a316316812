"""The players' clocks as all APIs send them: the time left, so that clients need not agree with our wall clock."""

from __future__ import annotations

from typing import Any

from ludus.service.table import Table


def clock_now(table: Table, clock: int) -> dict[str, Any]:
    """At a moment in uptime; nothing without clocks."""
    return _clock(table, table.remaining(clock), table.mover, table.delay_left(clock)) if table.is_clocked else {}


def clock_after(table: Table, version: int, running: int | None) -> dict[str, Any]:
    """Just after the event of this version, which started the clock of this seat; nothing without clocks."""
    if not table.is_clocked:
        return {}
    start = table.turn_start_at(version)
    return _clock(table, start.remaining, running, start.delay)


def _clock(table: Table, remaining: tuple[int, int], running: int | None, delay: int) -> dict[str, Any]:
    time_control = table.opening.time_control
    assert time_control is not None
    shown: dict[str, Any] = {"remainingMs": list(remaining), "running": None if running is None else int(running)}
    if time_control.delay:
        shown["delayMs"] = 0 if running is None else delay
    return {"clock": shown}


def time_control_of(table: Table) -> dict[str, Any]:
    """Nothing without a time control."""
    time_control = table.opening.time_control
    return {} if time_control is None else {"timeControl": time_control.to_data()}
