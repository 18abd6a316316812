"""A short kill test; `make chaos` runs the long one."""

from __future__ import annotations

import asyncio

from .run import run
from .state import Plan

SHORT = Plan(
    kills=3,
    guests=2,
    members=2,
    bot_players=1,
    seed=4,
    uptime=(0.8, 1.6),
    pause=0.4,
    warn=2.0,
    idle=7.0,
    reconnect=9.0,
    thinking=0.05,
    patience=1,
    limit=400.0,
)


def test_a_server_that_is_killed_again_and_again_loses_nothing() -> None:
    report = asyncio.run(run(SHORT, print))
    assert report.problems == []
    assert report.kills == SHORT.kills
    assert report.tally["resumed"] >= SHORT.tables
    assert report.kinds["left"] and report.kinds["returned"]  # idling is left to chance, and to the long run
    assert report.acks and report.messages
