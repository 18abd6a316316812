"""Every block of every page does what the page says, run as a reader would run it."""

from __future__ import annotations

import ast
import configparser
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer

from ludus.cli.app import app
from ludus.server.settings import load

from .. import npm
from ..npm import NODE
from ..rooms import js_client
from ..server_process import ServerProcess
from .blocks import Block, blocks, pages
from .exceptions import EXCEPTIONS, Background, Exception_, Fails, Typed, Unrunnable
from .output import matches
from .reader import Failure, Reader, console

SEPARATE = {"docs/add-a-game.md", "docs/tutorial-rooms.md"}
"""Pages with a test of their own: tests/add_a_game and test_tutorial_rooms.py."""


def values(text: str) -> None:
    """One JSON value, or several after each other."""
    decoder, rest = json.JSONDecoder(), text.strip()
    while rest:
        rest = rest[decoder.raw_decode(rest)[1] :].strip()


DATA: dict[str, Callable[[str], object]] = {
    "json": values,
    "toml": tomllib.loads,
    "ini": lambda text: configparser.ConfigParser(strict=False, interpolation=None).read_string(text),
}
SHOWN = ("text", "output")
ADDRESS = re.compile(r'(?:src|href)="(https?://(?:127\.0\.0\.1:8000|ludus\.example)[^"]*)"')

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    served = ServerProcess(tmp_path_factory.mktemp("docs") / "ludus-data", bot_pause=0, log_level="warning")
    yield served
    served.close()


@pytest.fixture(scope="module")
def key(server: ServerProcess) -> str:
    npm.install(js_client.FOLDER)
    return server.tenant("Reader").live


@pytest.fixture
def reader(tmp_path: Path, server: ServerProcess, key: str) -> Iterator[Reader]:
    reading = Reader(tmp_path, server, key, NODE, js_client.FOLDER / "node_modules")
    yield reading
    reading.close()


@pytest.mark.parametrize("page", [page for page in pages() if page not in SEPARATE])
def test_a_page_does_what_it_says(page: str, reader: Reader) -> None:
    for block, after in pairwise([*blocks(page), None]):
        assert block
        follow(reader, block, after.text if after and after.language == "output" else None)


def follow(reader: Reader, block: Block, shown: str | None) -> None:
    exception = exception_for(block)
    if isinstance(exception, Unrunnable):
        check_syntax(block)
    elif block.language in DATA:
        DATA[block.language](block.text)
        if block.text.startswith("# ludus.toml\n"):
            path = reader.folder / "checked.toml"
            path.write_text(block.text, encoding="utf-8")
            load({}, path, {})
    elif block.language == "html":
        for address in ADDRESS.findall(block.text):
            answer = reader.server.request("GET", reader.localized(address).removeprefix(reader.server.url))
            assert answer.status_code == 200, f"{block}: {address}"
    elif block.language == "console":
        for command, expected in console(block.text):
            if isinstance(exception, Background):
                reader.start(block, command).await_line(exception.until)
            else:
                compare(block, expected, reader.shell(command))
    elif block.file:
        reader.save(block)
    elif not block.is_session and block.language not in SHOWN:
        run(reader, block, exception, shown)


def run(reader: Reader, block: Block, exception: Exception_ | None, shown: str | None) -> None:
    assert block.language in ("sh", "python", "py", "js"), f"{block}: unknown language {block.language!r}"
    match exception:
        case Background(until):
            reader.start(block).await_line(until)
            printed = ""
        case Typed(lines):
            printed = reader.run(block, typed=lines)
            shown = shown and f"…{shown.strip()}…"  # a page shows a part of the conversation
        case Fails(code):
            printed = reader.run(block, code=code)
        case _:
            printed = reader.run(block)
    if shown is not None:
        compare(block, shown, printed)


def compare(block: Block, shown: str, printed: str) -> None:
    if not matches(shown, printed):
        raise Failure(f"{block} shows\n{shown}\nand prints\n{printed}")


def exception_for(block: Block) -> Exception_ | None:
    lines = {line.strip() for line in block.text.splitlines()}
    found = [entry for (page, line), entry in EXCEPTIONS.items() if page == block.page and line in lines]
    return found[0] if found else None


def test_every_exception_has_its_block() -> None:
    lines = {
        (block.page, line.strip()) for page in pages() for block in blocks(page) for line in block.text.splitlines()
    }
    assert set(EXCEPTIONS) <= lines


def check_syntax(block: Block) -> None:
    if block.language in ("python", "py"):
        ast.parse(block.text)
    elif block.language == "js":
        checked = subprocess.run([NODE, "--check", "--input-type=module"], input=block.text, text=True, check=False)
        assert checked.returncode == 0, block
    elif block.language in ("sh", "console"):
        script = "\n".join(command for command, _ in console(block.text)) if block.language == "console" else block.text
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0, block
        for line in script.replace("\\\n", " ").splitlines():
            check_command(shlex.split(line, comments=True))


def check_command(words: list[str]) -> None:
    """A `ludus` command must be one that the program understands."""
    while words and re.match(r"\w+=", words[0]):
        words = words[1:]
    if not words or words[0] != "ludus":
        return
    command: Any = typer.main.get_command(app)
    name, *words = words
    while hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
    command.make_context(name, words)
