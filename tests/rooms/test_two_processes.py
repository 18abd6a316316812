"""Clients whose connections arrive at either of two processes, as behind a port or a proxy that knows no sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..two_servers import TwoServers
from .app import PATH, Clients
from .player import CLIENT_KINDS, UPGRADES, ClientKind, Endpoint


@pytest.fixture(scope="module")
def two_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoServers]:
    with TwoServers(tmp_path_factory.mktemp("cluster"), max_events=100_000) as servers:
        yield servers


@pytest.mark.parametrize("kind", [*CLIENT_KINDS, *UPGRADES], ids=str)
def test_a_client_need_not_stay_at_one_process(two_servers: TwoServers, clients: Clients, kind: ClientKind) -> None:
    player = clients.make("Ann", kind, Endpoint(two_servers.url, "/checkers", PATH, None, {}))
    for _ in range(5):
        player.must("matchmaking:join", {"username": "Ann", "matchType": "random"})
        player.must("matchmaking:leave", {})
