"""Real servers and real clients, shared by the tests of rooms."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import pytest

from .. import npm
from ..server_process import ServerProcess, Tenant
from . import js_client
from .app import App, Clients
from .js_client import Node
from .python_client import PythonClients
from .webhook_receiver import WebhookReceiver

RELAXED_LIMITS = {
    "bot_pause": 0,
    "rate_limit": 1_000_000,
    "max_sockets": 10_000,
    "guest_games": 1_000_000,
    "max_guest_games": 10_000,
    "max_events": 100_000,
    "webhook_private": 1,
    "webhook_pause_seconds": 0.2,
    "log_level": "warning",
}
WARN_SECONDS, IDLE_SECONDS = 1, 8
"""Of the impatient server."""
WEBHOOK_PATH = "/impatient"
"""Where the impatient server's tenant receives webhooks."""

OpenServer = Callable[..., ServerProcess]


def opened(folder: pytest.TempPathFactory, name: str, **settings: object) -> Iterator[ServerProcess]:
    server = ServerProcess(folder.mktemp(name) / "data", **{**RELAXED_LIMITS, **settings})
    yield server
    server.close()


@pytest.fixture
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenServer]:
    """Servers for tests that stop them, or start another one on the same data."""
    servers: list[ServerProcess] = []

    def open_one(before: ServerProcess | None = None, **settings: object) -> ServerProcess:
        data = before.data if before else tmp_path_factory.mktemp("server") / "data"
        servers.append(ServerProcess(data, **{**RELAXED_LIMITS, **settings}))
        return servers[-1]

    yield open_one
    for server in servers:
        server.kill()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """With the limits of the contract."""
    yield from opened(tmp_path_factory, "server")


@pytest.fixture(scope="session")
def impatient_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """With short limits, but long enough to move or reconnect in on a busy machine, and with a bot of its own."""
    limits = {"afk_warn_seconds": WARN_SECONDS, "afk_seconds": IDLE_SECONDS, "reconnect_seconds": 6}
    yield from opened(tmp_path_factory, "impatient", players="dreamer=random", **limits)


@pytest.fixture(scope="session")
def strict_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Without guests, and with low limits for sessions, requests and events."""
    limits = {"session_seconds": 1, "room_code_seconds": 1, "rate_limit": 5, "max_events": 10}
    yield from opened(tmp_path_factory, "strict", guests=0, webhook_prefix="Acme", **limits)


@pytest.fixture(scope="session")
def tenant(server: ServerProcess) -> Tenant:
    return server.tenant("app")


@pytest.fixture(scope="session")
def neighbour(server: ServerProcess) -> Tenant:
    return server.tenant("neighbour")


@pytest.fixture(scope="session")
def node() -> Iterator[Node]:
    npm.install(js_client.FOLDER)
    process = Node()
    yield process
    process.close()


@pytest.fixture(scope="session")
def python_clients() -> Iterator[PythonClients]:
    clients = PythonClients()
    yield clients
    clients.close()


@pytest.fixture
def clients(node: Node, python_clients: PythonClients) -> Iterator[Clients]:
    clients = Clients(node, python_clients)
    yield clients
    clients.close()


@pytest.fixture
def app(server: ServerProcess, tenant: Tenant, clients: Clients) -> App:
    server.wait_for_empty_queue()  # players of the previous test may still be in it
    return App(server, tenant, clients)


@pytest.fixture(scope="session")
def strict_tenant(strict_server: ServerProcess) -> Tenant:
    return strict_server.tenant("app")


@pytest.fixture(scope="session")
def impatient_tenant(impatient_server: ServerProcess, receiver: WebhookReceiver) -> Tenant:
    return impatient_server.tenant("app", webhook=receiver.url(WEBHOOK_PATH))


@pytest.fixture
def impatient_app(impatient_server: ServerProcess, impatient_tenant: Tenant, clients: Clients) -> App:
    impatient_server.wait_for_empty_queue()
    return App(impatient_server, impatient_tenant, clients)


@pytest.fixture(scope="session")
def receiver() -> Iterator[WebhookReceiver]:
    receiver = WebhookReceiver()
    yield receiver
    receiver.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Adds the servers' logs to a failure."""
    report = yield
    values = getattr(item, "funcargs", {}).values()
    servers = {
        value.server if isinstance(value, App) else value for value in values if isinstance(value, (App, ServerProcess))
    }
    if report.failed:
        report.sections += [("the server's log", server.log[-3000:]) for server in servers]
    return report
