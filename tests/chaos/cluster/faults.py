"""What can happen to a cluster: to its processes, its database, its bus and the network in front of it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from random import Random
from typing import Final, NamedTuple

import asyncpg

from ...redis_server import RedisServer
from ...restartable_server import RestartableServer
from ...storage.cluster import Cluster
from .servers import ServerCluster

LEASE: Final = 5.0
"""Seconds for which a process counts as alive without a word of it."""
LATE: Final = 0.3
"""Seconds by which a slow network delays each packet."""
CUT: Final = 0.5
"""The share of the connections that a fault of the network concerns."""


class Site(NamedTuple):
    """Everything that can fail."""

    servers: ServerCluster
    database: Cluster
    bus: RedisServer
    rng: Random

    def one(self) -> RestartableServer:
        return self.rng.choice(self.servers.members)


End = Callable[[], Awaitable[None]]
Begin = Callable[[Site], Awaitable[End]]


class Fault(NamedTuple):
    name: str
    begin: Begin
    """Returns what ends it."""
    seconds: float
    stops_clock: bool = False
    """Whether the platform's clock may stand still meanwhile."""


async def _nothing() -> None:
    pass


async def kill_process(site: Site) -> End:
    member = site.one()
    await member.kill()
    return member.start


async def restart_process(site: Site) -> End:
    """As an upgrade does."""
    member = site.one()
    status = await member.stop()
    assert status == 0, f"the server ended with {status}: {member.log[-3000:]}"
    return member.start


async def suspend_process(site: Site) -> End:
    member = site.one()
    os.kill(member.pid, signal.SIGSTOP)

    async def resume() -> None:
        os.kill(member.pid, signal.SIGCONT)

    return resume


def set_clock(number: signal.Signals) -> Begin:
    async def begin(site: Site) -> End:
        os.kill(site.one().pid, number)
        return _nothing

    return begin


async def flush_bus(site: Site) -> End:
    await asyncio.to_thread(site.bus.flush)
    return _nothing


async def suspend_bus(site: Site) -> End:
    site.bus.freeze()

    async def resume() -> None:
        site.bus.thaw()

    return resume


async def kill_bus(site: Site) -> End:
    site.bus.kill()

    async def start() -> None:
        await asyncio.to_thread(site.bus.start)

    return start


async def stop_database(site: Site) -> End:
    await asyncio.to_thread(site.database.stop)

    async def start() -> None:
        await asyncio.to_thread(site.database.start)

    return start


async def end_backends(site: Site) -> End:
    connection = await asyncpg.connect(site.database.url)
    await connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
    )
    await connection.close()
    return _nothing


async def fill_disk(site: Site) -> End:
    """No event can be stored any more."""
    connection = await asyncpg.connect(site.database.url)
    path = await connection.fetchval("SELECT pg_relation_filepath('events')")
    await connection.close()
    await asyncio.to_thread(site.database.limit_files, site.database.file(path).stat().st_size)

    async def free() -> None:
        await asyncio.to_thread(site.database.limit_files, None)

    return free


async def cut_connections(site: Site) -> End:
    for proxy in site.servers.proxies:
        proxy.cut(CUT, site.rng)
    return _nothing


async def delay_packets(site: Site) -> End:
    for proxy in site.servers.proxies:
        proxy.delay = LATE

    async def end() -> None:
        for proxy in site.servers.proxies:
            proxy.delay = 0.0

    return end


async def stall_connections(site: Site) -> End:
    for proxy in site.servers.proxies:
        proxy.stall(CUT, site.rng)

    async def end() -> None:
        for proxy in site.servers.proxies:
            proxy.cut_stalled()

    return end


ALL: Final = (
    Fault("a process killed", kill_process, 2.0),
    Fault("a process suspended for longer than its lease", suspend_process, LEASE + 3),
    Fault("connections cut", cut_connections, 0.0),
    Fault("Redis flushed", flush_bus, 0.0),
    Fault("PostgreSQL's connections ended", end_backends, 0.0, stops_clock=True),
    Fault("Redis killed", kill_bus, 5.0),
    Fault("half-open connections", stall_connections, 6.0),
    Fault("a process restarted", restart_process, 0.0),
    Fault("PostgreSQL stopped at once", stop_database, 4.0, stops_clock=True),
    Fault("a process whose clock is two minutes ahead", set_clock(signal.SIGUSR1), 2.0),
    Fault("Redis suspended", suspend_bus, 6.0),
    Fault("a slow network", delay_packets, 5.0),
    Fault("a process whose clock is set back by an hour", set_clock(signal.SIGUSR2), 2.0),
    Fault("PostgreSQL's disk full", fill_disk, 5.0, stops_clock=True),
)
