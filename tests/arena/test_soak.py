"""The soak in short; `make soak` is the long one."""

from __future__ import annotations

import asyncio

from .crowd import Habits
from .soak import Plan, run

HABITS = Habits(vanish=0.25, pause=0.2)
SHORT = Plan(agents=24, seconds=6, seed=5, kills=1, turn=4.0, lonely=1.0, turns=150, habits=HABITS)


def test_a_crowd_of_unreliable_agents_leaves_the_house_in_order() -> None:
    report = asyncio.run(run(SHORT, print))
    assert report.problems == []
    assert report.matches >= SHORT.agents // 2
    assert report.reasons["timeout"] and report.reasons["resignation"]
    assert report.tally["turns over HTTP"] and report.tally["turns over sockets"]
    assert report.tally["connections dropped"] and report.tally["vanished"]
