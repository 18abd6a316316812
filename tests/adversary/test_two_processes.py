"""An attacker who moves to another process when one refuses: limits hold across the cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from benchmarks.adversary.attack import Attack, Field
from benchmarks.adversary.attacks.arena import GameListReads
from benchmarks.adversary.attacks.rooms import GuestGames

from ..redis_server import redis_server
from ..server_pair import ServerPair
from ..server_process import PATIENCE
from ..storage.cluster import cluster
from .conftest import close_all

pytestmark = pytest.mark.slow

A = TypeVar("A", bound=Attack)
READS, GAMES = 600, 40
"""Far more than a process admits before it learns what the other one has counted."""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerPair]:
    with cluster() as database, redis_server() as redis:
        limits = {"agent_rate_limit": READS, "guest_games": GAMES}
        servers = ServerPair(tmp_path_factory.mktemp("pair") / "servers", database, redis.url, **limits)
        yield servers
        servers.close()


async def refused_at(kind: Callable[[Field], A], port: int, address: str, code: str) -> A:
    """An attack of one connection, up to the first refusal."""
    attack = kind(Field(port, (address,), 1, address))
    attacking = asyncio.create_task(attack.run())
    try:
        async with asyncio.timeout(PATIENCE):
            while not attack.refused[code]:
                assert not attacking.done(), attacking.exception()
                await asyncio.sleep(0.005)
    finally:
        attacking.cancel()
        await asyncio.gather(attacking, return_exceptions=True)
        await close_all()
    return attack


async def refused_at_both(kind: Callable[[Field], A], pair: ServerPair, address: str, code: str) -> tuple[A, A]:
    one, two = [int(process.url.rpartition(":")[2]) for process in pair.processes]
    return await refused_at(kind, one, address, code), await refused_at(kind, two, address, code)


def test_reads_of_an_address_are_counted_once(pair: ServerPair) -> None:
    one, two = asyncio.run(refused_at_both(GameListReads, pair, "127.22.1.1", "429 rate_limited"))
    assert one.served == READS
    assert two.served < READS  # all of them, if the other process did not count


def test_guests_of_one_address_get_their_games_once(pair: ServerPair) -> None:
    one, two = asyncio.run(refused_at_both(GuestGames, pair, "127.22.2.1", "too_many_games"))
    assert one.more["games"] == GAMES
    assert two.more["games"] < GAMES  # how many less depends on how soon the processes hear of each other
