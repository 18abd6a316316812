"""A load of games, the server killed under it again and again, and what can be said afterwards."""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import httpx2

from .audit import Audit
from .person import MARGIN, Person
from .victim import Victim, end_group, survivors
from .world import GAMES, Plan, World

WORKERS_GONE = 60.0
"""Seconds within which the workers of a killed server have to notice, also where the machine is busy."""
LOADED = 60.0
"""Seconds within which as many players as there are tables should have sat down or come back."""


class Report(NamedTuple):
    problems: list[str]
    kills: int
    tables: int
    events: int
    kinds: Counter[str]
    tally: Counter[str]
    acks: int
    messages: int
    starts: list[float]
    """Seconds from a new process to an open server."""
    resumed: list[float]
    """Seconds from an open server to a player back at the table."""
    late: list[float]
    """Seconds by which deadlines were late."""
    seconds: float


async def run(plan: Plan, say: Callable[[str], None]) -> Report:
    """All of it, within the plan's limit; what went wrong is in the report."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        victim = Victim(Path(folder), plan.settings())
        try:
            async with asyncio.timeout(plan.limit), httpx2.AsyncClient(timeout=60) as http:
                world = World(plan, victim, victim.tenant_key(), http)
                audit = Audit(world)
                await _go(world, audit, say)
        finally:
            victim.sweep_away()
        return _report(world, audit, time.monotonic() - began)


async def _go(world: World, audit: Audit, say: Callable[[str], None]) -> None:
    await world.victim.start()
    async with asyncio.TaskGroup() as people:
        for person in _people(world):
            people.create_task(person.live())
        for number in range(world.plan.kills):
            await _kill(world, audit, is_first=not number)
            say(_progress(world, audit, number + 1))
        await asyncio.sleep(world.plan.idle)  # so that whoever idled before the last kill loses after it
        world.is_closing = True
    await _await_quiet(world)
    status = await world.victim.stop()
    if status:
        world.object(f"the server ended with status {status}")
    for trace in world.victim.errors:
        world.object(f"the server's log has an error: {trace[-3000:]}")
    await audit.finish()


def _people(world: World) -> list[Person]:
    plan = world.plan
    kinds = {"guest": plan.guests, "member": plan.members, "friend": plan.bot_friends}
    return [
        Person(world, f"{game[0]}{kind}{number}", game, kind)
        for game in GAMES
        for kind, many in kinds.items()
        for number in range(many)
    ]


async def _kill(world: World, audit: Audit, *, is_first: bool) -> None:
    """One more death, an audit of what it left, and a restart."""
    plan, rng, victim = world.plan, world.rng, world.victim
    if rng.random() < plan.quick and not is_first:
        await asyncio.sleep(rng.uniform(0.05, 0.6))
    else:
        await _await_load(world)
        await asyncio.sleep(rng.uniform(*plan.uptime))
    group = victim.pid
    await victim.kill()
    await audit.look()
    await asyncio.sleep(rng.uniform(0, plan.pause))
    await victim.start()
    await _check_orphans(world, group)


async def _await_load(world: World) -> None:
    """Until there is something to lose: a slow machine takes its time to seat everybody."""
    before, until = world.arrivals, time.monotonic() + LOADED
    while world.arrivals < before + world.plan.tables and time.monotonic() < until:
        await asyncio.sleep(0.05)


async def _check_orphans(world: World, group: int) -> None:
    """Nothing that a killed server had started goes on without it."""
    until = time.monotonic() + WORKERS_GONE
    while survivors(group):
        if time.monotonic() > until:
            world.object(f"{len(survivors(group))} processes outlive the server that started them")
            end_group(group)
            return
        await asyncio.sleep(0.1)


async def _await_quiet(world: World) -> None:
    """Until the house has ended the games that nobody sits at any more."""
    until = world.victim.uptime + max(world.plan.reconnect, world.plan.idle) + MARGIN
    while world.victim.uptime < until:
        page = (await world.http.get(f"{world.victim.url}/metrics")).text
        found = re.search(r"^ludus_live_tables (\S+)$", page, re.MULTILINE)
        if found and float(found[1]) == 0:
            return
        await asyncio.sleep(0.2)


def _progress(world: World, audit: Audit, kill: int) -> str:
    outage = world.victim.outages[-1]
    opened = (outage.open_at - outage.spawned_at) / 1000
    return (
        f"kill {kill}/{world.plan.kills} · {audit.tables} tables · {len(world.acks)} acknowledged · "
        f"{world.count['resumed']} resumed · open again after {opened:.1f} s · {len(world.problems)} problems"
    )


def _report(world: World, audit: Audit, seconds: float) -> Report:
    return Report(
        problems=world.problems,
        kills=len(world.victim.outages),
        tables=audit.tables,
        events=audit.events,
        kinds=audit.kinds(),
        tally=world.count,
        acks=len(world.acks),
        messages=sum(len(diary.pages) for diary in world.diaries),
        starts=[(outage.open_at - outage.spawned_at) / 1000 for outage in world.victim.outages],
        resumed=world.resumed,
        late=[ms / 1000 for ms in audit.late.values()],
        seconds=seconds,
    )
