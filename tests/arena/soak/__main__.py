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

from ...restartable_server import RestartableServer
from .agent import SoakAgent
from .audit import Audit, check_store
from .client import Habits, SoakRun

SHOWN = 30
"""Problems printed."""
COUNTS = ("ludus_live_tables", "ludus_queue_waiting", "ludus_socket_connections")
PATIENCE = 120.0
"""Seconds, for a busy machine."""


class Plan(NamedTuple):
    agents: int
    seconds: float
    seed: int
    kills: int = 0
    turn: float = 5.0
    """Seconds for a turn in the fast lane; the standard lane has twice as many."""
    bot_fallback: float = 3.0
    turns: int = 0
    """The least before each kill and before the end, however slow the machine is."""
    habits: Habits = Habits()

    def settings(self) -> dict[str, object]:
        return {
            "fast_turn_seconds": self.turn,
            "standard_turn_seconds": 2 * self.turn,
            "bot_fallback_seconds": self.bot_fallback,
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


async def soak(plan: Plan, say: Callable[[str], None]) -> Report:
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        server = RestartableServer(Path(folder), plan.settings())
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=plan.agents)
        try:
            async with httpx2.AsyncClient(timeout=60, limits=limits) as http:
                run = SoakRun(server, http, plan.habits)
                reasons = await _go(plan, run, say)
        finally:
            server.kill_all()
    return Report(run.problems, reasons.total(), reasons, run.count, time.monotonic() - began)


async def _go(plan: Plan, run: SoakRun, say: Callable[[str], None]) -> Counter[str]:
    await run.server.start()
    agents = [SoakAgent(run, number, Random(f"{plan.seed} {number}")) for number in range(plan.agents)]
    async with asyncio.TaskGroup() as group:
        for agent in agents:
            group.create_task(agent.play())
        for part in range(plan.kills + 1):
            before = run.turns
            await asyncio.sleep(plan.seconds / (plan.kills + 1))
            await _await_turns(run, before + plan.turns)
            matches = set().union(*(agent.known for agent in agents))
            say(f"{len(matches)} matches, {run.turns} turns, {len(run.problems)} problems")
            if part < plan.kills:
                await run.server.kill()
                await run.server.start()
        run.is_closing = True
    reasons = await _audit(run, agents)
    status = await run.server.stop()
    if status or run.server.errors:
        run.problems.append(f"the server ended with {status}: {run.server.log[-3000:]}")
    run.problems += check_store(run.server.data)
    return reasons


async def _await_turns(run: SoakRun, turns: int) -> None:
    until = time.monotonic() + PATIENCE
    while run.turns < turns and time.monotonic() < until:
        await asyncio.sleep(0.1)


async def _audit(run: SoakRun, agents: list[SoakAgent]) -> Counter[str]:
    audit = Audit(run.server.url, run.http)
    await audit.check_matches(set().union(*(agent.known for agent in agents)))
    for agent in agents:
        await audit.check_agent(agent.id, agent.known)
    audit.problems += [f"{name} is not 0 in the end" for name in await _await_quiet(run)]
    run.problems += audit.problems
    return audit.reasons


async def _await_quiet(run: SoakRun) -> list[str]:
    """The gauges that aren't 0 once the server has had time to notice that all clients left."""
    until = time.monotonic() + PATIENCE
    while True:
        page = (await run.http.get(f"{run.server.url}/metrics")).text
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
    report = asyncio.run(soak(Plan(given.agents, given.seconds, seed, given.kills), say))
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
