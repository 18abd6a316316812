"""A real server and a real browser for tests of the page. Without a browser, the summary says so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from ..server_process import ServerProcess, Tenant
from .browser import LOUD, PATIENCE_MS, SharedBrowser, Visitor, browser_path

UNHURRIED = {
    "bot_pause": 0,
    "rate_limit": 1_000_000,
    "agent_rate_limit": 1_000_000,
    "registrations": 1_000_000,
    "new_tournaments": 1_000_000,
    "max_sockets": 10_000,
    "guest_games": 1_000_000,
    "max_guest_games": 10_000,
    "max_events": 100_000,
    "webhook_private": 1,
    "webhook_retries": 0,
    "bot_fallback_seconds": 0,
    "afk_warn_seconds": 600,
    "afk_seconds": 900,
    "log_level": "warning",
}
Visit = Callable[..., Visitor]
HERE = Path(__file__).parent
shared = SharedBrowser()
expect.set_options(timeout=PATIENCE_MS)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if browser_path() is None:
        terminalreporter.write_line(LOUD, red=True, bold=True)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """`ludus serve`, with bots that do not pause."""
    server = ServerProcess(tmp_path_factory.mktemp("web") / "data", **UNHURRIED)
    yield server
    server.close()


@pytest.fixture(scope="session")
def tenant(server: ServerProcess) -> Tenant:
    return server.tenant("Web tests")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Iterator[None]:
    yield
    if nextitem is None or HERE not in nextitem.path.parents:
        shared.close()


@pytest.fixture(scope="module")
def browser() -> SharedBrowser:
    path = browser_path()
    if path is None:
        pytest.skip(LOUD)
    shared.open(path)
    return shared


@pytest.fixture
def visit(browser: SharedBrowser, server: ServerProcess) -> Iterator[Visit]:
    """Makes visitors: `visit(phone=True, dark=True)`. None of them may see an error on the console."""
    visitors: list[Visitor] = []

    def arrive(**options: Any) -> Visitor:
        visitors.append(Visitor(browser, options.pop("url", server.url), **options))
        return visitors[-1]

    yield arrive
    for visitor in visitors:
        visitor.close()
