"""A real server process, and tables on raw connections."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from ..rooms.house import House, Tenant
from .table import Table, Watcher, seated

UNHURRIED = {"bot_pause": 0, "rate_limit": 1_000_000, "max_sockets": 10_000, "max_events": 1_000_000}


@pytest.fixture(scope="session")
def guarded_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("guarded") / "data"


@pytest.fixture(scope="session")
def guarded_house(guarded_data: Path) -> Iterator[House]:
    """With a log that says all it can, so that what must not be in it would be."""
    house = House(guarded_data, **UNHURRIED, log_level="debug")
    yield house
    house.close()


@pytest.fixture(scope="session")
def tenant(guarded_house: House) -> Tenant:
    return guarded_house.tenant("app")


@pytest.fixture(scope="session")
def neighbour(guarded_house: House) -> Tenant:
    return guarded_house.tenant("neighbour")


@pytest.fixture
def table(guarded_house: House) -> Iterator[Table]:
    """At checkers, before the first move."""
    table = seated(guarded_house.url)
    yield table
    table.close()


@pytest.fixture
def watcher(guarded_house: House, table: Table) -> Iterator[Watcher]:
    watcher = Watcher(guarded_house.url, "checkers", table.room)
    yield watcher
    watcher.close()


@pytest.fixture(autouse=True)
def log_without_errors(guarded_house: House) -> Iterator[None]:
    """Nothing that a client does is an error of the server's."""
    before = len(guarded_house.log)
    yield
    news = guarded_house.log[before:]
    assert "Traceback" not in news, news[-3000:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows what the server said on its side."""
    report = yield
    houses = {value for value in getattr(item, "funcargs", {}).values() if isinstance(value, House)}
    if report.failed:
        report.sections += [("the server's log", house.log[-3000:]) for house in houses]
    return report
