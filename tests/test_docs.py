"""The documentation holds together: its links lead somewhere, and no error code or command is left out."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from ludus.cli.app import app
from ludus.core import errors
from ludus.core.errors import LudusError

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "ludus"
REFERENCE = ROOT / "docs" / "reference"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r'\]\(([^)\s]+)\)|\b(?:src|href)="([^"]+)"')
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
CODES = sorted({kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, LudusError)})


def links(page: Path) -> list[str]:
    """Every link and image of a page that stays in the project."""
    found = [one or other for one, other in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8")))]
    return [link for link in found if not re.match("[a-z]+:", link)]


def anchors(page: Path) -> set[str]:
    """What a link can point at inside a page: its headings in small letters, with hyphens and without signs."""
    headings = HEADING.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


def test_links_are_found() -> None:
    assert {"docs/images/page.png", "docs/README.md"} <= set(links(ROOT / "README.md"))


def test_every_page_of_the_documentation_is_in_its_table_of_contents() -> None:
    contents = ROOT / "docs" / "README.md"
    listed = {(contents.parent / link).resolve() for link in links(contents)}
    assert set((ROOT / "docs").rglob("*.md")) - {contents} <= listed


@pytest.mark.parametrize("code", CODES)
def test_every_error_code_is_documented(code: str) -> None:
    assert f"| `{code}` |" in (REFERENCE / "rules.md").read_text(encoding="utf-8")


def codes_elsewhere() -> set[str]:
    """Codes of the errors that are not in `ludus.core.errors`, read off the sources: not all can be imported here."""
    files = set(SOURCES.rglob("*.py")) - {SOURCES / "core" / "errors.py"}
    return {code for file in files for code in codes_in(ast.parse(file.read_text(encoding="utf-8")))}


def codes_in(module: ast.Module) -> Iterator[str]:
    bodies = (node.body for node in ast.walk(module) if isinstance(node, ast.ClassDef))
    for line in (line for body in bodies for line in body):
        match line:
            case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                yield code


def test_every_server_error_code_is_documented() -> None:
    page = (REFERENCE / "errors.md").read_text(encoding="utf-8")
    codes = codes_elsewhere()
    assert {"not_your_turn", "bad_database", "too_fast"} <= codes
    assert not {code for code in codes if f"\n| `{code}` |" not in page}


def commands(group: Any, *names: str) -> Iterator[tuple[str, Any]]:
    """Every command by its words; groups do nothing, and hidden commands are old names."""
    for name, command in sorted(group.commands.items()):
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from commands(command, *names, name)
        else:
            yield " ".join(("ludus", *names, name)), command


COMMANDS = list(commands(typer.main.get_command(app)))


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[words for words, _ in COMMANDS])
def test_every_command_of_a_group_is_documented_with_its_options(words: str, command: Any) -> None:
    heading = " ".join(words.split()[:2])
    section = (REFERENCE / "cli.md").read_text(encoding="utf-8").split(f"\n## `{heading}")[1].split("\n## ")[0]
    assert f"`{words}" in f"`{heading}{section}"
    options = {option for parameter in command.params for option in parameter.opts if option.startswith("--")}
    assert not {option for option in options - {"--help"} if f"`{option}" not in section}
