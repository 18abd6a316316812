"""`python -m tests.soak`: half an hour of games on two processes, PostgreSQL and Redis, with nothing failing.

Players come and go at a steady rate. Memory, tasks, file handles and connections must not grow; `--minutes` sets
another length. Exits with 1 if there was a problem.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import time

import asyncpg

from ..arena.soak.client import Habits, SoakRun
from ..chaos.__main__ import SHOWN, say, spread
from ..chaos.cluster.run import Chaos, ClusterPlan, run
from ..chaos.state import Plan, RunState
from .resources import Sample, growth, median, sample

SAMPLES = 120
"""Taken in a soak."""
ENDING = 300.0
"""Seconds for the last games."""


class Soak(Chaos):
    """Takes samples instead of breaking things."""

    async def disturb(self, rooms: RunState, arena: SoakRun) -> None:
        members = self.site.servers.members
        taken: list[list[Sample]] = [[] for _ in members]
        connection = await asyncpg.connect(rooms.server.database)
        pause, began = self.plan.seconds / SAMPLES, time.monotonic()
        for number in range(SAMPLES):
            await asyncio.sleep(max(0.0, began + (number + 1) * pause - time.monotonic()))
            backends = await connection.fetchval(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ludus'"
            )
            for member, samples in zip(members, taken, strict=True):
                page = (await rooms.http.get(f"{member.url}/metrics")).text
                samples.append(sample(member.pid, page) | {"connections to PostgreSQL": backends})
            if number % 10 == 9:
                self.say(f"{(time.monotonic() - began) / 60:4.1f} min  {len(rooms.acks)} commands  {_shown(taken)}")
        await connection.close()
        for number, samples in enumerate(taken, 1):
            rooms.problems += [f"server {number}: {problem}" for problem in growth(samples)]


def _shown(taken: list[list[Sample]]) -> str:
    last = [samples[-10:] for samples in taken]
    return ", ".join(f"{name} {' and '.join(f'{median(each, name):.0f}' for each in last)}" for name in taken[0][-1])


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--seed", type=int, default=None)
    given = options.parse_args()
    seed = random.randrange(1 << 32) if given.seed is None else given.seed
    seconds = 60 * given.minutes
    rooms = Plan(
        kills=0, guests=40, members=8, bot_players=4, seed=seed, warn=20.0, idle=40.0, reconnect=40.0, thinking=1.0,
        limit=seconds + ENDING, roles=("plays",),
    )  # fmt: skip
    plan = ClusterPlan(rooms, agents=40, faults=(), seconds=seconds, habits=Habits(think=1.0))
    say(f"{plan.games} games at once on {plan.processes} processes for {given.minutes:g} minutes, seed {seed}")
    report = asyncio.run(run(plan, say, Soak))
    say(f"{report.tables} games, {report.events} events, {report.acks} commands, {report.actions} actions of agents")
    say(f"from sending to acknowledgement: {spread(report.answer_seconds(in_faults=False))}")
    for problem in report.problems[:SHOWN]:
        say(f"PROBLEM  {problem}")
    say("nothing grew" if not report.problems else f"{len(report.problems)} problems")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
