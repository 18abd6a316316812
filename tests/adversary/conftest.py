"""A server with its default limits but one, good games on it, and attackers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from benchmarks.adversary.attack import Attack, Field
from benchmarks.adversary.wire import Connection
from benchmarks.rooms.games import games_of

from ludus.server.settings import DEFAULTS

from ..server_process import PATIENCE, ServerProcess
from .good_games import GoodGames

A = TypeVar("A", bound=Attack)
READS = 100
"""Requests a minute for one client: so few that a busy machine gets there, and more than good players need."""


class Arena:
    """`attack` runs an attack from an address of its own until it has had the given effect."""

    def __init__(self, server: ServerProcess, runner: asyncio.Runner) -> None:
        self.server = server
        self._runner = runner
        self._port = int(server.url.rpartition(":")[2])
        self._games = runner.run(GoodGames.begin(self._port, games_of(120, 1)[0]))
        self._attacks = 0
        self._held_up_before = 0.0
        self._asked = 0

    def attack(self, kind: Callable[[Field], A], connections: int, until: Callable[[A], bool]) -> A:
        self._attacks += 1
        field = Field(self._port, (f"127.20.{self._attacks}.1",), connections, f"127.21.{self._attacks}.1")
        return self._runner.run(self._attack(kind(field), until))

    async def _attack(self, attack: A, until: Callable[[A], bool]) -> A:
        await attack.prepare()
        self._held_up_before = self._held_up_in_all()
        attacking = asyncio.create_task(attack.run())
        try:
            async with asyncio.timeout(PATIENCE):
                await self._games.play()
                while not until(attack):
                    assert not attacking.done(), attacking.exception()
                    await asyncio.sleep(0.05)
                await self._games.play()
        except TimeoutError:
            raise AssertionError(f"{attack.served} served, refused {attack.refused}, closed {attack.closed}") from None
        finally:
            attacking.cancel()
            await asyncio.gather(attacking, return_exceptions=True)
        await self._games.play()
        return attack

    def held_up(self) -> float:
        """How many requests and packets were slowed down or refused since the attack began.

        Don't ask often: the question is a request too.
        """
        return self._held_up_in_all() - self._held_up_before

    def _held_up_in_all(self) -> float:
        self.await_new_metrics()
        return self.metric("ludus_cpu_slowed_total") + self.metric("ludus_cpu_refused_total")

    def metric(self, name: str) -> float:
        lines = self.server.request("GET", "/metrics").text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith((f"{name} ", f"{name}{{")))

    def await_new_metrics(self) -> None:
        """The server may answer with metrics that are a moment old; from here on they are no older than this call."""
        self.server.request("GET", "/health")
        self._asked += 1
        self.wait_for('ludus_http_requests_total{method="GET",route="/health",status="200"}', self._asked)

    def wait_for(self, name: str, value: float) -> None:
        """Until a metric has this value; the server may notice the end of a connection a moment later."""
        until = time.monotonic() + PATIENCE
        while (found := self.metric(name)) != value:
            assert time.monotonic() < until, f"{name} is {found}"
            time.sleep(0.02)


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    idle = 10 * PATIENCE  # good players move only now and then
    settings = {"afk_seconds": idle, "cpu_share": DEFAULTS["cpu_share"], "agent_rate_limit": READS}
    server = ServerProcess(tmp_path_factory.mktemp("attacked") / "data", **settings)
    with asyncio.Runner() as runner:
        yield Arena(server, runner)
        runner.run(close_all())
    server.close()


async def close_all() -> None:
    for connection in list(Connection.opened):
        connection.close()
    await asyncio.sleep(0)  # for the transports to close their sockets
