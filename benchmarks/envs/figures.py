"""Rows of the final table."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    what: str
    ours: str
    peer: str = ""
    ratio: str = ""
    aim: str = ""


def ratio(what: str, ours: float, peer: float, name: str, aim: float = 0) -> Row:
    """Ours over a peer's, noting a missed aim."""
    times = ours / peer
    shown = f"{times:.2f}" if times < 1 else f"{times:.1f}" if times < 20 else f"{times:.0f}"
    return Row(what, f"{ours:,.0f}", f"{peer:,.0f} ({name})", shown, aim_text(times, aim))


def aim_text(value: float, aim: float) -> str:
    if not aim:
        return ""
    return f"≥ {aim:g}" if value >= aim else f"≥ {aim:g}, missed"
