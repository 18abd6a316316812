"""A short form of the cluster's chaos; `make chaos` runs the long one."""

from __future__ import annotations

import asyncio

from ...arena.soak.client import Habits
from ..state import Plan
from . import faults
from .run import ClusterPlan, run

NAMES = (
    "a process killed",
    "a process suspended for longer than its lease",
    "connections cut",
    "Redis killed",
    "PostgreSQL's connections ended",
)
SHORT = ClusterPlan(
    Plan(
        kills=0,
        guests=4,
        members=2,
        bot_players=0,
        seed=5,
        warn=10.0,
        idle=25.0,
        reconnect=25.0,
        thinking=0.3,
        answer=4.0,
        limit=400.0,
        roles=("plays",),
    ),
    agents=6,
    faults=[fault for fault in faults.ALL if fault.name in NAMES],
    habits=Habits(vanish=0.0, think=0.3),
)


def test_a_cluster_in_which_one_part_after_the_other_fails_loses_nothing() -> None:
    report = asyncio.run(run(SHORT, print))
    assert report.problems == []
    assert {each.name for each in report.survived} == set(NAMES)
    assert report.acks and report.actions and report.webhooks
