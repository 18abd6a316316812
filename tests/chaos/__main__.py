"""`make chaos`: forty games at once and thirty kills, then twelve games and seven faults; about eight minutes.

Exits with 1 if there was a problem.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
from collections.abc import Sequence

from . import faults
from .run import Report, run
from .state import Plan

SHOWN = 30
"""Problems that are printed."""
UPTIME = (7.0, 10.0)
"""Seconds between kills. In the first five of them no clock runs; with fewer, players who idle would never lose, and
soon there would be no moves to lose either."""
LIMIT = 450.0
"""Seconds for all kills."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kills", type=int, default=30, help="0 leaves them out")
    options.add_argument("--no-faults", action="store_true", help="leave out the faults")
    options.add_argument("--seed", type=int, default=None, help="of the players' and the killer's choices")
    given = options.parse_args()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    problems = run_kills(given.kills, seed) if given.kills else []
    problems += [] if given.no_faults else run_faults(seed)
    for problem in problems[:SHOWN]:
        say(f"PROBLEM  {problem}")
    say("nothing was lost" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


def run_kills(kills: int, seed: int) -> list[str]:
    plan = Plan(
        kills=kills,
        guests=18,
        members=18,
        bot_players=4,
        seed=seed,
        uptime=UPTIME,
        warn=2.5,
        idle=5.0,
        reconnect=5.0,
        limit=LIMIT,
    )
    say(f"{plan.tables} games at once, {plan.kills} kills, seed {plan.seed}")
    report = asyncio.run(run(plan, say))
    for figure in figures(report):
        say(figure)
    return report.problems


def run_faults(seed: int) -> list[str]:
    plan = Plan(kills=0, guests=4, members=4, bot_players=2, seed=seed, thinking=1.5, roles=("plays",))
    say(f"{plan.tables} games at once, faults of {plan.fault:.0f} s, limits of {plan.idle:.0f} s")
    results = asyncio.run(faults.run_all(plan, say))
    acks, events = sum(result.acks for result in results), sum(result.events for result in results)
    say(f"{acks} acknowledged, {events} events stored, no game lost unless a problem says so")
    return [problem for result in results for problem in result.problems]


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
