"""Server processes of one platform on PostgreSQL and Redis, all started here, and the CPU time of each part."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.redis_server import RedisServer, redis_server
from tests.storage.cluster import postgres_cluster

from benchmarks.arena.ours import ENV as AGENTS_ENV
from benchmarks.rooms.ours import ENV, LUDUS, Ludus
from benchmarks.rooms.process import Server, client_core, serve, server_core

SECRET = "the processes of a benchmark share these words"
DURABLE = ""
"""PostgreSQL's own defaults: a commit waits for the disk."""


class Backends(NamedTuple):
    """The database and the bus: where they are, and their first processes."""

    database: str
    database_pid: int
    redis: RedisServer

    @property
    def addresses(self) -> dict[str, str]:
        """What a server with default limits needs."""
        return {"LUDUS_DATABASE": self.database, "LUDUS_BUS": self.redis.url, "LUDUS_SECRET": SECRET}

    @property
    def env(self) -> dict[str, str]:
        """The same without limits, which would slow down the players of a benchmark."""
        return AGENTS_ENV | ENV | self.addresses

    def cpu_seconds(self) -> tuple[float, float]:
        """Of database and bus."""
        return Server(self.database_pid, 0).cpu_seconds(), Server(self.redis.pid, 0).cpu_seconds()


class Platform(NamedTuple):
    servers: Sequence[Server]

    @property
    def ports(self) -> str:
        return ",".join(server.ports for server in self.servers)

    @property
    def first(self) -> Server:
        return self.servers[0]

    def cpu_seconds(self) -> float:
        return sum(server.cpu_seconds() for server in self.servers)

    def memory_bytes(self) -> int:
        return sum(server.memory_bytes() for server in self.servers)


class ClusterLudus(Ludus):
    """Sessions of a tenant in the shared database."""

    def __init__(self, backends: Backends, folder: Path) -> None:
        super().__init__()
        command = [*LUDUS, "tenant", "create", "bench", "--json", "--data", str(folder / "operator")]
        self.key = json.loads(subprocess.check_output(command, env=os.environ | backends.env, text=True))["liveKey"]


@contextmanager
def backends() -> Iterator[Backends]:
    with postgres_cluster(DURABLE) as database, redis_server() as redis:
        yield Backends(database.url, database.pids[0], redis)


@contextmanager
def platform(backends: Backends, processes: int, folder: Path) -> Iterator[Platform]:
    """The first process on the servers' core, the second on the players' core."""
    cores = (server_core(), client_core())
    with ExitStack() as stack:
        servers = []
        for number in range(processes):
            own = folder / f"server{number}"
            own.mkdir(parents=True)
            command = [*LUDUS, "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(own / "data")]
            core = cores[number % len(cores)]
            servers.append(stack.enter_context(serve(command, backends.env, own / "log.txt", core)))
        yield Platform(servers)
