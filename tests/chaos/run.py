"""A load of games, a server that is killed again and again, and a report."""

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

from ..load import GAMES
from ..restartable_server import RestartableServer, end_group, survivors
from ..server_process import create_tenant
from .audit import Audit
from .player import MARGIN, POLL_SECONDS, ChaosPlayer
from .state import Plan, RunState

WORKERS_GONE = 60.0
"""Seconds within which the workers of a killed server must end, even on a busy machine."""
LOADED = 60.0
"""Seconds within which as many players as there are tables should have taken a seat or reconnected."""


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
    """Runs the plan; problems are in the report."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        server = RestartableServer(Path(folder), plan.settings())
        try:
            async with asyncio.timeout(plan.limit), httpx2.AsyncClient(timeout=60) as http:
                state = RunState(plan, server, create_tenant(server.data, "chaos").live, http)
                audit = Audit(state)
                await _go(state, audit, say)
        finally:
            server.kill_all()
        return _report(state, audit, time.monotonic() - began)


async def _go(state: RunState, audit: Audit, say: Callable[[str], None]) -> None:
    await state.server.start()
    async with asyncio.TaskGroup() as tasks:
        for player in players(state):
            tasks.create_task(player.live())
        for number in range(state.plan.kills):
            await _kill(state, audit, is_first=not number)
            say(_progress(state, audit, number + 1))
        await _await_timeouts(state)
        state.is_closing = True
    await await_quiet(state)
    status = await state.server.stop()
    if status:
        state.report_problem(f"the server ended with status {status}")
    for trace in state.server.errors:
        state.report_problem(f"the server's log has an error: {trace[-3000:]}")
    await audit.finish()


def players(state: RunState) -> list[ChaosPlayer]:
    plan = state.plan
    kinds = {"guest": plan.guests, "member": plan.members, "bot_player": plan.bot_players}
    return [
        ChaosPlayer(state, f"{game[0]}{kind}{number}", game, kind)
        for game in GAMES
        for kind, many in kinds.items()
        for number in range(many)
    ]


async def _kill(state: RunState, audit: Audit, *, is_first: bool) -> None:
    """Kills the server, audits what it left, and restarts it."""
    plan, rng, server = state.plan, state.rng, state.server
    if rng.random() < plan.quick and not is_first:
        await asyncio.sleep(rng.uniform(0.05, 0.6))
    else:
        await _await_load(state)
        await asyncio.sleep(rng.uniform(*plan.uptime))
    group = server.pid
    await server.kill()
    await audit.look()
    await asyncio.sleep(rng.uniform(0, plan.pause))
    await server.start()
    await _check_orphans(state, group)


async def _await_load(state: RunState) -> None:
    """Until there is something to lose: a slow machine takes time to seat all players."""
    before, until = state.arrivals, time.monotonic() + LOADED
    while state.arrivals < before + state.plan.tables and time.monotonic() < until:
        await asyncio.sleep(0.05)


async def _check_orphans(state: RunState, group: int) -> None:
    """No process that a killed server started outlives it."""
    until = time.monotonic() + WORKERS_GONE
    while survivors(group):
        if time.monotonic() > until:
            state.report_problem(f"{len(survivors(group))} processes outlive the server that started them")
            end_group(group)
            return
        await asyncio.sleep(0.1)


async def _await_timeouts(state: RunState) -> None:
    """Until players who idled before the last kill have lost; from then on their opponents would resign."""
    idle, until = set(state.idle), time.monotonic() + state.plan.idle + MARGIN
    while not idle <= state.over and time.monotonic() < until:
        await asyncio.sleep(POLL_SECONDS)


async def await_quiet(state: RunState) -> None:
    """Until the server has ended the games that all players have left."""
    until = state.server.uptime + max(state.plan.reconnect, state.plan.idle) + MARGIN
    while state.server.uptime < until:
        page = (await state.http.get(f"{state.server.url}/metrics")).text
        found = re.search(r"^ludus_live_tables (\S+)$", page, re.MULTILINE)
        if found and float(found[1]) == 0:
            return
        await asyncio.sleep(0.2)


def _progress(state: RunState, audit: Audit, kill: int) -> str:
    outage = state.server.outages[-1]
    opened = (outage.open_at - outage.spawned_at) / 1000
    return (
        f"kill {kill}/{state.plan.kills} · {audit.tables} tables · {len(state.acks)} acknowledged · "
        f"{state.count['resumed']} resumed · open again after {opened:.1f} s · {len(state.problems)} problems"
    )


def _report(state: RunState, audit: Audit, seconds: float) -> Report:
    return Report(
        problems=state.problems,
        kills=len(state.server.outages),
        tables=audit.tables,
        events=audit.events,
        kinds=audit.kinds(),
        tally=state.count,
        acks=len(state.acks),
        messages=sum(len(log.entries) for log in state.logs),
        starts=[(outage.open_at - outage.spawned_at) / 1000 for outage in state.server.outages],
        resumed=state.resumed,
        late=[ms / 1000 for ms in audit.late.values()],
        seconds=seconds,
    )
