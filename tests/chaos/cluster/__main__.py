"""`python -m tests.chaos.cluster`: hundreds of games on two processes, PostgreSQL and Redis, while each of them fails.

The faults of processes, database, bus and network come one after the other, for about six minutes; ten at most.
Exits with 1 if there was a problem.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys

from ...arena.soak.client import Habits
from ..__main__ import SHOWN, say, spread
from ..state import Plan
from . import faults
from .run import ClusterPlan, ClusterReport, run

LIMIT = 600.0
"""Seconds for everything."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=330, help="how long faults go on; each happens once at least")
    options.add_argument("--seed", type=int, default=None, help="of the players' choices and of what fails")
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--only", default="", help="faults whose name contains this")
    given = options.parse_args()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    chosen = [fault for fault in faults.ALL if given.only in fault.name]
    plan = ClusterPlan(
        Plan(
            kills=0,
            guests=120,
            members=24,
            bot_players=8,
            seed=seed,
            warn=20.0,
            idle=40.0,
            reconnect=40.0,
            thinking=8.0,
            answer=5.0,
            limit=LIMIT,
        ),
        agents=100,
        faults=chosen,
        seconds=given.seconds,
        processes=given.processes,
        habits=Habits(vanish=0.02, think=8.0),
    )
    say(f"{plan.games} games at once on {plan.processes} processes, {len(chosen)} kinds of faults, seed {seed}")
    report = asyncio.run(run(plan, say))
    for figure in figures(report):
        say(figure)
    for problem in report.problems[:SHOWN]:
        say(f"PROBLEM  {problem}")
    say("nothing was lost" if not report.problems else f"{len(report.problems)} problems")
    return 1 if report.problems else 0


def figures(report: ClusterReport) -> list[str]:
    kinds, count = report.kinds, report.tally
    return [
        f"{len(report.survived)} faults in {report.seconds:.0f} s",
        f"{report.tables} games, {report.events} events stored",
        f"{report.acks} commands acknowledged to players, {report.actions} actions to agents",
        "each is stored exactly once, and in order, unless a problem says so",
        f"{count['sent again']} commands sent again, of which {count['done before']} had been carried out before",
        f"{report.messages} messages received in rooms, each once and in order unless a problem says so",
        f"{report.webhooks} webhooks received",
        f"{kinds['timed_out']} games lost on time, {kinds['warned']} warnings",
        f"from sending to acknowledgement during faults: {spread(report.answer_seconds(in_faults=True))}",
        f"the same between faults: {spread(report.answer_seconds(in_faults=False))}",
    ]


if __name__ == "__main__":
    sys.exit(main())
