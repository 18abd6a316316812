"""The soak in short; `make soak` is the long one."""

from __future__ import annotations

import asyncio

from .soak.__main__ import Plan, soak
from .soak.client import Habits

HABITS = Habits(vanish=0.25, pause=0.2)
SHORT = Plan(agents=24, seconds=6, seed=5, kills=1, turn=4.0, bot_fallback=1.0, turns=150, habits=HABITS)


def test_unreliable_agents_leave_nothing_behind() -> None:
    report = asyncio.run(soak(SHORT, print))
    assert report.problems == []
    assert report.matches >= SHORT.agents // 2
    assert report.reasons["timeout"] and report.reasons["resignation"]
    assert report.tally["turns over HTTP"] and report.tally["turns over sockets"]
    assert report.tally["connections dropped"] and report.tally["vanished"]
