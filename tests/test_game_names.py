"""No code outside a game's own folders knows a game by name: a new game is a folder per layer and no edit elsewhere.

Docstrings, comments and sentences, such as a help text with an example, may name games.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ludus
from ludus.games import GAMES

SOURCE = Path(ludus.__file__).parent
FORMATS = {rules.notation.suffix.removeprefix(".") for rules in GAMES.values()}
NAME = re.compile("|".join(GAMES), re.IGNORECASE)
FORMAT = re.compile(rf"\b({'|'.join(sorted(FORMATS))})\b", re.IGNORECASE)
SENTENCE = re.compile(r'"[^"\n]* [^"\n]*"')
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*", re.DOTALL)
ALLOWED = {
    "server/arena/schemas.py",  # examples in the OpenAPI document
    "server/rest/examples.py",  # the same
}


NOT_OURS = {"vendor", "docs_site"}
"""Folders of files that others wrote or that `make docs` builds."""


def is_own(path: Path) -> bool:
    """Whether a file belongs to a game: it lies in a folder of its name, or is called `checkers_v3.py` or the like."""
    return any(part in GAMES or part.rpartition("_v")[0] in GAMES for part in path.with_suffix("").parts)


def files(suffix: str) -> list[str]:
    found = (path.relative_to(SOURCE) for path in sorted(SOURCE.rglob(f"*{suffix}")))
    return [str(path) for path in found if not is_own(path) and not NOT_OURS & set(path.parts)]


def names_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Identifiers, modules and strings of one word that name a game or its file format."""
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in docstrings and " " not in text:
                words = [text] if NAME.search(text) or FORMAT.search(text) else []
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
                words = [name] if NAME.search(name) else []
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                words = [name] if NAME.search(name) else []
            case ast.ImportFrom(module=str(name)):
                words = [name] if NAME.search(name) else []
            case _:
                words = []
        yield from ((getattr(node, "lineno", 0), word) for word in words)


@pytest.mark.parametrize("file", files(".py"))
def test_python_outside_the_folders_of_games_names_no_game(file: str) -> None:
    found = list(names_in(ast.parse((SOURCE / file).read_text(encoding="utf-8"))))
    assert bool(found) == (file in ALLOWED), found


@pytest.mark.parametrize("file", files(".js"))
def test_scripts_outside_the_folders_of_games_name_no_game(file: str) -> None:
    code = SENTENCE.sub("", COMMENT.sub("", (SOURCE / file).read_text(encoding="utf-8")))
    assert bool(NAME.search(code)) == (file in ALLOWED), NAME.findall(code)


def test_the_test_finds_names() -> None:
    assert list(names_in(ast.parse('if game == "checkers": x = BackgammonPlayer()'))) == [
        (1, "checkers"), (1, "BackgammonPlayer"),
    ]  # fmt: skip
    assert list(names_in(ast.parse('suffix = "pdn"'))) == [(1, "pdn")]
    assert not list(names_in(ast.parse('"""Of checkers."""\nhelp = "such as checkers"')))
