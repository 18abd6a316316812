"""A real server for agents to meet in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.server_process import ServerProcess

from ludus.client import Keyring

UNHURRIED = {
    "bot_pause": 0,
    "agent_rate_limit": 1_000_000,
    "registrations": 1_000_000,
    "max_sockets": 10_000,
    "max_events": 100_000,
    "bot_fallback_seconds": 0,
    "log_level": "warning",
}
"""Settings of a house that nobody finds too busy, and that leaves those who wait alone."""


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    house = ServerProcess(tmp_path_factory.mktemp("arena") / "data", **UNHURRIED)
    yield house
    house.close()


@pytest.fixture
def keys(tmp_path: Path) -> Keyring:
    return Keyring(tmp_path / "keys")


_numbers = count(1)


@pytest.fixture
def name() -> str:
    """A name that no other test has."""
    return f"Agent {next(_numbers)}"
