"""Real servers and independent clients, shared by the tests of the arena."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from itertools import count
from random import Random

import pytest

from ..server_process import ServerProcess
from .client import Agent, NewAgent, Visitor

UNHURRIED = {
    "bot_pause": 0,
    "rate_limit": 1_000_000,
    "agent_rate_limit": 1_000_000,
    "registrations": 1_000_000,
    "max_sockets": 10_000,
    "max_events": 100_000,
    "bot_fallback_seconds": 0,
    "log_level": "warning",
}
OpenServer = Callable[..., ServerProcess]

_names = count(1)
_run = Random().getrandbits(32)


def opened(folder: pytest.TempPathFactory, name: str, **settings: object) -> Iterator[ServerProcess]:
    server = ServerProcess(folder.mktemp(name) / "data", **{**UNHURRIED, **settings})
    yield server
    server.close()


@pytest.fixture(scope="session")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """With the turn limits of the contract."""
    yield from opened(tmp_path_factory, "arena")


@pytest.fixture(scope="session")
def hasty_arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Where a turn may take a second or two."""
    yield from opened(tmp_path_factory, "hasty", fast_turn_seconds=1, standard_turn_seconds=2)


@pytest.fixture(scope="session")
def bot_fallback_arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """Where who waits alone gets a bot after a second, and time to play with it."""
    yield from opened(tmp_path_factory, "lonely", bot_fallback_seconds=1)


@pytest.fixture(scope="session")
def impatient_arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server where no one waits in the queue for more than a second."""
    yield from opened(tmp_path_factory, "impatient", fast_queue_seconds=1, standard_queue_seconds=1)


@pytest.fixture(scope="session")
def strict_arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """With little patience for requests, frames, sockets and mistakes."""
    limits = {"agent_rate_limit": 40, "max_events": 20, "max_sockets": 5, "most_refusals": 3}
    yield from opened(tmp_path_factory, "strict", **limits)


@pytest.fixture
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenServer]:
    """Opens servers for tests that kill them, or restart one on the data of another."""
    servers: list[ServerProcess] = []

    def open_one(before: ServerProcess | None = None, **settings: object) -> ServerProcess:
        data = before.data if before else tmp_path_factory.mktemp("server") / "data"
        servers.append(ServerProcess(data, **{**UNHURRIED, **settings}))
        return servers[-1]

    yield open_one
    for server in servers:
        server.kill()


@pytest.fixture
def register() -> Iterator[NewAgent]:
    """New agents on any server, with unique names."""
    agents: list[Agent] = []

    def one(server: ServerProcess, **more: object) -> Agent:
        agents.append(Agent(server.url, f"agent {_run} {next(_names)}", **more))
        return agents[-1]

    yield one
    for agent in agents:
        agent.close()


@pytest.fixture
def new_agent(arena: ServerProcess, register: NewAgent) -> Callable[[], Agent]:
    return lambda **more: register(arena, **more)


@pytest.fixture
def visitor(arena: ServerProcess) -> Iterator[Visitor]:
    visitor = Visitor(arena.url)
    yield visitor
    visitor.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failure shows what the servers said on their side."""
    report = yield
    servers = {value for value in getattr(item, "funcargs", {}).values() if isinstance(value, ServerProcess)}
    if report.failed:
        report.sections += [("the server's log", server.log[-3000:]) for server in servers]
    return report
