"""Games in rooms and in the arena on a cluster in which one thing after the other fails, and a report."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from random import Random
from typing import NamedTuple

import asyncpg
import httpx2

from ...arena.soak.agent import SoakAgent
from ...arena.soak.client import Habits, SoakRun
from ...redis_server import redis_server
from ...rooms.webhook_receiver import WebhookReceiver
from ...server_process import create_tenant
from ...storage.cluster import postgres_cluster
from ..faults import BACK_SECONDS
from ..player import MARGIN
from ..run import players
from ..state import Answer, Plan, RunState
from .audit import ClusterAudit
from .faults import Fault, Site
from .servers import ServerCluster

WEBHOOKS = "/chaos"
CALM = 1.0
"""Seconds between two faults."""
LOADED = 60.0
"""Seconds within which nearly all players should be at a table."""
LONGEST_CONNECT = 10.0


class ClusterPlan(NamedTuple):
    rooms: Plan
    agents: int
    faults: Sequence[Fault]
    seconds: float = 0.0
    """How long faults go on; each happens once at least."""
    processes: int = 2
    turn: float = 40.0
    """Seconds for an agent's turn."""
    habits: Habits = Habits(vanish=0.02)

    @property
    def games(self) -> int:
        return self.rooms.tables + self.agents // 2

    def settings(self, database: str, bus: str) -> dict[str, object]:
        return {
            **self.rooms.settings(),
            "database": database,
            "bus": bus,
            "fast_turn_seconds": self.turn,
            "standard_turn_seconds": self.turn,
            "bot_fallback_seconds": 3.0,
            "registrations": 1_000_000,
            "agent_rate_limit": 1_000_000,
            "most_refusals": 1_000,
            "webhook_private": 1,
            "webhook_retries": 100,
            "webhook_pause_seconds": 0.2,
        }


class Survived(NamedTuple):
    """What a fault did."""

    name: str
    games: int
    refused: int
    """Commands that were refused for now, or had to be sent again."""
    back: float
    """Seconds from its end until there was a move in every game."""
    began: float
    """By the monotonic clock."""
    ended: float


class ClusterReport(NamedTuple):
    problems: list[str]
    survived: list[Survived]
    tables: int
    events: int
    acks: int
    actions: int
    """Accepted actions of agents."""
    messages: int
    webhooks: int
    kinds: Counter[str]
    tally: Counter[str]
    answers: list[Answer]
    seconds: float

    def answer_seconds(self, *, in_faults: bool) -> list[float]:
        """From the first sending of a command to its acknowledgement."""
        spans = [(each.began, each.ended + each.back) for each in self.survived]
        return [
            answer.acked - answer.sent
            for answer in self.answers
            if any(answer.sent <= end and answer.acked >= start for start, end in spans) == in_faults
        ]


async def run(plan: ClusterPlan, say: Callable[[str], None], kind: type[Chaos] | None = None) -> ClusterReport:
    """Runs the plan; problems are in the report."""
    rng = Random(plan.rooms.seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        database = stack.enter_context(postgres_cluster())
        bus = stack.enter_context(redis_server())
        receiver = WebhookReceiver()
        stack.callback(receiver.close)
        settings = plan.settings(database.url, bus.url)
        servers = ServerCluster(folder, settings, plan.processes, rng)
        stack.callback(servers.kill_all)
        return await (kind or Chaos)(plan, Site(servers, database, bus, rng), receiver, say).run()


class Chaos:
    def __init__(self, plan: ClusterPlan, site: Site, receiver: WebhookReceiver, say: Callable[[str], None]) -> None:
        self.plan, self.site, self._receiver, self.say = plan, site, receiver, say
        self._survived: list[Survived] = []

    async def run(self) -> ClusterReport:
        began = time.monotonic()
        servers = self.site.servers
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=self.plan.agents)
        timeout = httpx2.Timeout(self.plan.turn, connect=LONGEST_CONNECT)
        async with asyncio.timeout(self.plan.rooms.limit), httpx2.AsyncClient(timeout=timeout, limits=limits) as http:
            await servers.start()
            tenant = create_tenant(
                servers.members[0].data,
                "chaos",
                self._receiver.url(WEBHOOKS),
                database=servers.database,
                secret=servers.secret,
            )
            rooms = RunState(self.plan.rooms, servers, tenant.live, http)
            arena = SoakRun(servers, http, self.plan.habits)
            arena.problems = rooms.problems
            audit = ClusterAudit(rooms)
            await self._play(rooms, arena)
            await self._await_quiet(rooms)
            await servers.close_proxies()
            if status := await servers.stop():
                rooms.report_problem(f"a server ended with status {status}")
            for trace in servers.errors:
                rooms.report_problem(f"a server's log has an error: {trace[-3000:]}")
            received = {each.headers["x-ludus-delivery"] for each in self._receiver.all(WEBHOOKS)}
            await audit.finish_all(arena.accepted, received)
        return ClusterReport(
            problems=rooms.problems,
            survived=self._survived,
            tables=audit.tables,
            events=audit.events,
            acks=len(rooms.acks),
            actions=len(set(arena.accepted)),
            messages=sum(len(log.entries) for log in rooms.logs),
            webhooks=len(received),
            kinds=audit.kinds(),
            tally=rooms.count + arena.count,
            answers=rooms.answers,
            seconds=time.monotonic() - began,
        )

    async def _play(self, rooms: RunState, arena: SoakRun) -> None:
        agents = [
            SoakAgent(arena, number, Random(f"{self.plan.rooms.seed} {number}")) for number in range(self.plan.agents)
        ]
        async with asyncio.TaskGroup() as tasks:
            for player in players(rooms):
                tasks.create_task(player.live())
            for agent in agents:
                tasks.create_task(agent.play())
            await self.disturb(rooms, arena)
            rooms.is_closing = arena.is_closing = True

    async def disturb(self, rooms: RunState, arena: SoakRun) -> None:
        """One fault after the other."""
        until, faults = time.monotonic() + self.plan.seconds, cycle(self.plan.faults)
        while len(self._survived) < len(self.plan.faults) or time.monotonic() < until:
            await self._await_games(rooms)
            await asyncio.sleep(CALM)
            self._survived.append(await self._survive(rooms, arena, next(faults)))
            self.say(line(self._survived[-1]))

    async def _await_games(self, rooms: RunState) -> None:
        until = time.monotonic() + LOADED
        while len(rooms.played_at.keys() - rooms.over) < 0.7 * self.plan.rooms.tables and time.monotonic() < until:
            await asyncio.sleep(0.05)

    async def _survive(self, rooms: RunState, arena: SoakRun, fault: Fault) -> Survived:
        refused = _refused(rooms, arena)
        going = rooms.played_at.keys() - rooms.over - rooms.stopped
        began = time.monotonic()
        end = await fault.begin(self.site)
        await asyncio.sleep(fault.seconds)
        await end()
        ended = time.monotonic()
        if fault.stops_clock:
            self.site.servers.note_standstill(ended - began)
        while waiting := {room for room in going - rooms.over - rooms.stopped if rooms.played_at[room] < ended}:
            if time.monotonic() > ended + BACK_SECONDS:
                rooms.report_problem(f"{fault.name}: {len(waiting)} of {len(going)} games do not go on")
                break
            await asyncio.sleep(0.05)
        back = max([rooms.played_at[room] - ended for room in going - rooms.stopped], default=0.0)
        return Survived(fault.name, len(going), _refused(rooms, arena) - refused, max(0.0, back), began, ended)

    async def _await_quiet(self, rooms: RunState) -> None:
        """Until the games that all players have left are over, and all webhooks are sent."""
        until = time.monotonic() + max(self.plan.turn, self.plan.rooms.idle) + 2 * MARGIN
        connection = await asyncpg.connect(rooms.server.database)
        query = (
            "SELECT (SELECT count(*) FROM tables WHERE status = 'live')"
            " + (SELECT count(*) FROM deliveries WHERE state = 'waiting') + (SELECT count(*) FROM entries)"
        )
        while await connection.fetchval(query) and time.monotonic() < until:
            await asyncio.sleep(0.2)
        await connection.close()


def _refused(rooms: RunState, arena: SoakRun) -> int:
    return (
        rooms.count["unavailable"]
        + rooms.count["sent again"]
        + arena.count["requests refused for now"]
        + arena.count["requests lost"]
    )


def line(survived: Survived) -> str:
    name, games, refused, back, *_ = survived
    return f"{name:<46} {games:>3} games  {refused:>5} refused or sent again  all back after {back:4.1f} s"
