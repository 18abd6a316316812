"""Socket events and error codes are documented."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludus.server
from ludus.games import GAMES
from ludus.server.app import Server
from ludus.server.http.errors import ERRORS, INTERNAL
from ludus.server.metrics import EVENTS
from ludus.server.settings import Settings

DOCS = Path(__file__).parents[2] / "docs"
SOURCES = Path(ludus.server.__file__).parent
EVENT = re.compile(r"[a-z]+(:[a-z_]+)+")
CONNECTION = {"connect", "disconnect"}
"""Socket.IO's own."""


@pytest.fixture
def from_clients(tmp_path: Path) -> set[str]:
    """The events the gateway takes."""
    return set(Server(Settings(data=str(tmp_path))).rooms._handlers)


def named_in_the_code() -> set[str]:
    """Every event named in the gateway's sources; one made with the game's name stands for each game's."""
    files = [SOURCES / "app.py", *(SOURCES / "rooms").glob("*.py")]
    return {name for file in files for name in names_in(ast.parse(file.read_text(encoding="utf-8")))}


def names_in(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        match node:
            case ast.Constant(value=str(text)) if EVENT.fullmatch(text):
                yield text
            case ast.JoinedStr(values=[ast.FormattedValue(), ast.Constant(value=str(text))]) if text.startswith(":"):
                yield from (game + text for game in GAMES)


def section(title: str) -> set[str]:
    """The events with a heading of their own there."""
    page = (DOCS / "rooms" / "events.md").read_text(encoding="utf-8")
    return set(re.findall(r"^### `(.+)`$", page.split(f"\n## {title}\n")[1].split("\n## ")[0], re.MULTILINE))


def test_every_event_that_clients_may_send_is_documented_and_no_other(from_clients: set[str]) -> None:
    assert section("From the client") == from_clients


def test_every_event_that_the_server_sends_is_documented_and_no_other(from_clients: set[str]) -> None:
    assert section("From the server") == named_in_the_code() - from_clients


def test_every_event_that_clients_may_send_is_counted_by_its_name(from_clients: set[str]) -> None:
    assert from_clients | CONNECTION == EVENTS


def test_every_code_is_documented_with_its_status() -> None:
    answered = {code: entry.status for code, entry in ERRORS.items() if entry is not INTERNAL or code == INTERNAL.code}
    answered |= {"too_large": 413}
    page = (DOCS / "reference" / "errors.md").read_text(encoding="utf-8")
    assert {
        code: int(status) for code, status in re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.MULTILINE)
    } == answered
