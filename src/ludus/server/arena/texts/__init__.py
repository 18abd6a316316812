"""Texts for agents: the guide and news, which are files beside this one, and each game's rules and strategy."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import orjson

from ludus.games import ABOUT, package

GENERIC: Final = """{title}
  {{"type": "move", "move": "..."}} with an entry of view.legalMoves
"""


class Text(NamedTuple):
    version: str
    """Changes with the content."""
    content: str


@cache
def of_game(game: str, kind: str) -> Text:
    """`kind` is `rules` or `strategy`; a file of the game's package, or its description where there is none."""
    file = files(package(game)).joinpath(f"{kind}.md")
    content = file.read_text(encoding="utf-8") if file.is_file() else f"{ABOUT[game].description}\n"
    return Text(hashlib.sha256(content.encode()).hexdigest()[:12], content)


@cache
def guide() -> str:
    """With placeholders such as `{base}` for our address and the operator's settings."""
    return _read("guide.txt")


@cache
def actions(game: str) -> str:
    """How the guide explains a game's actions: a file of the game's package, or a pointer to the legal moves."""
    file = files(package(game)).joinpath("actions.txt")
    return file.read_text(encoding="utf-8") if file.is_file() else GENERIC.format(title=ABOUT[game].title)


@cache
def news() -> list[dict[str, Any]]:
    """Newest first."""
    items: list[dict[str, Any]] = orjson.loads(_read("news.json"))
    return items


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
