"""`make chaos`: forty games at once, thirty kills, under five minutes; exits with 1 if there was a problem."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
from collections.abc import Sequence

from .run import Report, run
from .state import Plan

SHOWN = 30
"""Problems that are printed."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--seed", type=int, default=None, help="of the players' and the killer's choices")
    given = options.parse_args()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    plan = Plan(kills=given.kills, guests=18, members=18, bot_players=4, seed=seed)
    say(f"{plan.tables} games at once, {plan.kills} kills, seed {plan.seed}")
    report = asyncio.run(run(plan, say))
    for client in figures(report):
        say(client)
    for problem in report.problems[:SHOWN]:
        say(f"PROBLEM  {problem}")
    say("nothing was lost" if not report.problems else f"{len(report.problems)} problems")
    return 1 if report.problems else 0


def figures(report: Report) -> list[str]:
    kinds, count = report.kinds, report.tally
    overs = ", ".join(f"{reason[6:]} {many}" for reason, many in sorted(count.items()) if reason.startswith("over: "))
    return [
        f"{report.kills} kills in {report.seconds:.0f} s",
        f"{report.tables} tables, {report.events} events, {count['seats']} seats taken",
        f"{report.acks} acknowledged ({count['game:move']} moves), all stored unless a problem says so",
        f"{count['sent again']} sent again after a kill, of which {count['done before']} had been carried out before",
        f"{report.messages} messages heard, each once and in order unless a problem says so",
        f"ends as players heard them: {overs}",
        f"{kinds['timed_out']} games lost on time, {kinds['warned']} warnings; deadlines late by {spread(report.late)}",
        f"{kinds['left']} times left, {kinds['returned']} times returned, {count['resumed']} connections resumed",
        f"from process to open server: {spread(report.starts)}",
        f"from open server to a player back at the table: {spread(report.resumed)}",
    ]


def spread(seconds: Sequence[float]) -> str:
    if len(seconds) < 2:
        return " ".join(f"{each:.2f} s" for each in seconds) or "-"
    cuts = statistics.quantiles(seconds, n=100, method="inclusive")
    return f"median {cuts[49]:.2f} s, p90 {cuts[89]:.2f} s, p99 {cuts[98]:.2f} s, most {max(seconds):.2f} s"


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
