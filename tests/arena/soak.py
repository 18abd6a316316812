"""`python -m tests.arena.soak`: a hundred unreliable agents play at once for minutes.

The exit status says how it went; `--kills` kills the server as often meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

import httpx2

from ..restartable_server import RestartableServer
from .crowd import Habits, World
from .ledger import Ledger, check_store
from .wanderers import Wanderer

SHOWN = 30
"""Problems that are printed."""
COUNTS = ("ludus_live_tables", "ludus_queue_waiting", "ludus_socket_connections")
PATIENCE = 120.0
"""Seconds that a busy machine is given."""


class Plan(NamedTuple):
    agents: int
    seconds: float
    seed: int
    kills: int = 0
    turn: float = 5.0
    """Seconds for a turn in the fast lane; the standard lane has twice as many."""
    lonely: float = 3.0
    turns: int = 0
    """At least so many before each kill and before the end, however slow the machine is."""
    habits: Habits = Habits()

    def settings(self) -> dict[str, object]:
        return {
            "fast_turn_seconds": self.turn,
            "standard_turn_seconds": 2 * self.turn,
            "bot_fallback_seconds": self.lonely,
            "bot_pause": 0,
            "registrations": 1_000_000,
            "agent_rate_limit": 1_000_000,
            "max_sockets": 100_000,
            "most_refusals": 1_000,
            "log_level": "warning",
        }


class Report(NamedTuple):
    problems: list[str]
    matches: int
    reasons: Counter[str]
    tally: Counter[str]
    seconds: float


async def run(plan: Plan, say: Callable[[str], None]) -> Report:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        victim = RestartableServer(Path(folder), plan.settings())
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=plan.agents)
        try:
            async with httpx2.AsyncClient(timeout=60, limits=limits) as http:
                world = World(victim, http, plan.habits)
                reasons = await _go(plan, world, say)
        finally:
            victim.kill_all()
    return Report(world.problems, reasons.total(), reasons, world.count, time.monotonic() - began)


async def _go(plan: Plan, world: World, say: Callable[[str], None]) -> Counter[str]:
    await world.victim.start()
    crowd = [Wanderer(world, number, Random(f"{plan.seed} {number}")) for number in range(plan.agents)]
    async with asyncio.TaskGroup() as group:
        for agent in crowd:
            group.create_task(agent.live())
        for part in range(plan.kills + 1):
            before = world.turns
            await asyncio.sleep(plan.seconds / (plan.kills + 1))
            await _await_turns(world, before + plan.turns)
            matches = set().union(*(agent.known for agent in crowd))
            say(f"{len(matches)} matches, {world.turns} turns, {len(world.problems)} problems")
            if part < plan.kills:
                await world.victim.kill()
                await world.victim.start()
        world.is_closing = True
    reasons = await _audit(world, crowd)
    status = await world.victim.stop()
    if status or world.victim.errors:
        world.problems.append(f"the server ended with {status}: {world.victim.log[-3000:]}")
    world.problems += check_store(world.victim.data)
    return reasons


async def _await_turns(world: World, turns: int) -> None:
    until = time.monotonic() + PATIENCE
    while world.turns < turns and time.monotonic() < until:
        await asyncio.sleep(0.1)


async def _audit(world: World, crowd: list[Wanderer]) -> Counter[str]:
    ledger = Ledger(world.victim.url, world.http)
    await ledger.check_matches(set().union(*(agent.known for agent in crowd)))
    for agent in crowd:
        await ledger.check_agent(agent.id, agent.known)
    ledger.problems += [f"{name} is not 0 in the end" for name in await _await_quiet(world)]
    world.problems += ledger.problems
    return ledger.reasons


async def _await_quiet(world: World) -> list[str]:
    """What is not 0 when the server has had time to notice that everybody has gone."""
    until = time.monotonic() + PATIENCE
    while True:
        page = (await world.http.get(f"{world.victim.url}/metrics")).text
        left = [name for name in COUNTS if f"\n{name} 0.0\n" not in page]
        if not left or time.monotonic() > until:
            return left
        await asyncio.sleep(0.1)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--agents", type=int, default=100)
    options.add_argument("--seconds", type=float, default=180)
    options.add_argument("--kills", type=int, default=0)
    options.add_argument("--seed", type=int, default=None)
    given = options.parse_args()
    seed = Random().getrandbits(32) if given.seed is None else given.seed
    say(f"{given.agents} agents for {given.seconds:.0f} s, {given.kills} kills, seed {seed}")
    report = asyncio.run(run(Plan(given.agents, given.seconds, seed, given.kills), say))
    say(f"{report.matches} matches in {report.seconds:.0f} s, ended by {dict(report.reasons.most_common())}")
    for what, many in sorted(report.tally.items()):
        say(f"  {many} {what}")
    for problem in report.problems[:SHOWN]:
        say(f"PROBLEM  {problem}")
    say("all is well" if not report.problems else f"{len(report.problems)} problems")
    return 1 if report.problems else 0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
