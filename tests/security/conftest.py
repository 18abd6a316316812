"""A real server process, and tables on raw connections."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from ..server_process import ServerProcess, Tenant
from .tables import Spectator, Table, seated

RELAXED_LIMITS = {
    "bot_pause": 0,
    "afk_warn_seconds": 3_000,
    "afk_seconds": 3_600,
    "rate_limit": 1_000_000,
    "max_sockets": 10_000,
    "max_events": 1_000_000,
    "guest_games": 1_000_000,
    "max_guest_games": 10_000,
}


@pytest.fixture(scope="session")
def server_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("guarded") / "data"


@pytest.fixture(scope="session")
def server(server_data: Path) -> Iterator[ServerProcess]:
    """With the most verbose log, so that it would contain what it must not."""
    server = ServerProcess(server_data, **RELAXED_LIMITS, log_level="debug")
    yield server
    server.close()


@pytest.fixture(scope="session")
def tenant(server: ServerProcess) -> Tenant:
    return server.tenant("app")


@pytest.fixture(scope="session")
def neighbour(server: ServerProcess) -> Tenant:
    return server.tenant("neighbour")


@pytest.fixture
def table(server: ServerProcess) -> Iterator[Table]:
    """A game of checkers before the first move."""
    table = seated(server.url)
    yield table
    table.close()


@pytest.fixture
def spectator(server: ServerProcess, table: Table) -> Iterator[Spectator]:
    spectator = Spectator(server.url, "checkers", table.room)
    yield spectator
    spectator.close()


@pytest.fixture(autouse=True)
def log_without_errors(server: ServerProcess) -> Iterator[None]:
    """Nothing a client does may cause an internal error."""
    before = len(server.log)
    yield
    news = server.log[before:]
    assert "Traceback" not in news, news[-3000:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the server's log to a failure."""
    report = yield
    servers = {value for value in getattr(item, "funcargs", {}).values() if isinstance(value, ServerProcess)}
    if report.failed:
        report.sections += [("the server's log", server.log[-3000:]) for server in servers]
    return report
