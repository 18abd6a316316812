"""A real arena behind the tools."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest
from tests.client.conftest import UNLIMITED
from tests.server_process import ServerProcess


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("arena") / "data", **UNLIMITED)
    yield server
    server.close()


_numbers = count(1)


@pytest.fixture
def name() -> str:
    """A name that no other test has."""
    return f"Model {next(_numbers)}"
