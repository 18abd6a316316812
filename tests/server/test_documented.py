"""Socket events, error codes, and the page's addresses and folders are documented."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

import ludus.server
from ludus.games import GAMES
from ludus.server.app import Server
from ludus.server.http.errors import ERRORS, INTERNAL
from ludus.server.metrics import EVENTS
from ludus.server.settings import Settings
from ludus.server.web.pages import PACKAGE, site

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


def first_column(heading: str) -> set[str]:
    """What is named there in the table with this heading in `docs/page.md`."""
    page = (DOCS / "page.md").read_text(encoding="utf-8")
    rows = page.split(f"\n| {heading} |", 1)[1].split("\n\n")[0].splitlines()[2:]
    return {name for row in rows for name in re.findall("`([^`]+)`", row.split(" | ")[0])}


def test_every_page_is_documented_with_its_address() -> None:
    documented = {re.sub(r"\{\w+\}", "{}", address) for address in first_column("address")}
    assert {re.sub(r"\{\w+\}", "{}", address) for address in site().pages} <= documented


def test_every_folder_of_the_page_is_documented_and_no_other() -> None:
    folders = {each.name for each in files(PACKAGE).joinpath("static").iterdir() if each.is_dir()}
    assert {name.partition("/")[0] for name in first_column("folder")} == folders
