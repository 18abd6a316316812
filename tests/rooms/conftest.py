"""Real servers and real clients, shared by the tests of the rooms door."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import pytest

from . import node as javascript
from .door import Clients, Door
from .house import House, Tenant
from .loop import Loop
from .node import Node
from .receiver import Receiver

UNHURRIED = {
    "bot_pause": 0,
    "rate_limit": 1_000_000,
    "max_sockets": 10_000,
    "max_events": 100_000,
    "webhook_private": 1,
    "webhook_pause_seconds": 0.2,
    "log_level": "warning",
}


OpenHouse = Callable[..., House]


def opened(folder: pytest.TempPathFactory, name: str, **settings: object) -> Iterator[House]:
    house = House(folder.mktemp(name) / "data", **{**UNHURRIED, **settings})
    yield house
    house.close()


@pytest.fixture
def open_platform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHouse]:
    """Houses for tests that close them, or reopen one on the data that another left."""
    houses: list[House] = []

    def open_one(before: House | None = None, **settings: object) -> House:
        data = before.data if before else tmp_path_factory.mktemp("house") / "data"
        houses.append(House(data, **{**UNHURRIED, **settings}))
        return houses[-1]

    yield open_one
    for house in houses:
        house.kill()


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """With the limits of the contract."""
    yield from opened(tmp_path_factory, "house")


@pytest.fixture(scope="session")
def hasty_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Where who idles is warned after one second and out after eight, and who drops has six.

    On a busy machine too there is time to move or to come back.
    """
    settings = {"afk_warn_seconds": 1, "afk_seconds": 8, "reconnect_seconds": 6}
    yield from opened(tmp_path_factory, "hasty", **settings)


@pytest.fixture(scope="session")
def strict_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Without guests, and with little patience for sessions, requests and events."""
    limits = {"session_seconds": 1, "room_code_seconds": 1, "rate_limit": 5, "max_events": 10}
    yield from opened(tmp_path_factory, "strict", guests=0, webhook_prefix="Acme", **limits)


@pytest.fixture(scope="session")
def tenant(house: House) -> Tenant:
    return house.tenant("app")


@pytest.fixture(scope="session")
def neighbour(house: House) -> Tenant:
    return house.tenant("neighbour")


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    javascript.install()
    process = Node()
    yield process
    process.close()


@pytest.fixture(scope="session")
def loop() -> Iterator[Loop]:
    loop = Loop()
    yield loop
    loop.close()


@pytest.fixture
def clients(node: Node, loop: Loop) -> Iterator[Clients]:
    clients = Clients(node, loop)
    yield clients
    clients.close()


@pytest.fixture
def door(house: House, tenant: Tenant, clients: Clients) -> Door:
    house.until_nobody_waits()  # who left with the test before
    return Door(house, tenant, clients)


@pytest.fixture(scope="session")
def strict_tenant(strict_house: House) -> Tenant:
    return strict_house.tenant("app")


@pytest.fixture(scope="session")
def hasty_tenant(hasty_house: House, receiver: Receiver) -> Tenant:
    return hasty_house.tenant("app", "--webhook", receiver.url("/hasty"))


@pytest.fixture
def hasty_door(hasty_house: House, hasty_tenant: Tenant, clients: Clients) -> Door:
    hasty_house.until_nobody_waits()
    return Door(hasty_house, hasty_tenant, clients)


@pytest.fixture(scope="session")
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows what the servers said on their side."""
    report = yield
    values = getattr(item, "funcargs", {}).values()
    houses = {value.house if isinstance(value, Door) else value for value in values if isinstance(value, (Door, House))}
    if report.failed:
        report.sections += [("the server's log", house.log[-3000:]) for house in houses]
    return report
