"""A real server for agents to meet in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.server_process import ServerProcess

from ludus.client import Keyring

UNLIMITED = {
    "bot_pause": 0,
    "agent_rate_limit": 1_000_000,
    "registrations": 1_000_000,
    "max_sockets": 10_000,
    "guest_games": 1_000_000,
    "max_guest_games": 10_000,
    "max_events": 100_000,
    "bot_fallback_seconds": 0,
    "log_level": "warning",
}
"""Settings without rate limits, bot pauses and bot fallback."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("arena") / "data", **UNLIMITED)
    yield server
    server.close()


@pytest.fixture
def keys(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "keys")


_numbers = count(1)


@pytest.fixture
def name() -> str:
    """A name that no other test has."""
    return f"Agent {next(_numbers)}"
