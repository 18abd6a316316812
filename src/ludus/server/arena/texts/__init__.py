"""What agents can read: a guide and news, which are files beside this one, and each game's rules and strategy."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import orjson

from ludus.games import ABOUT, package


class Text(NamedTuple):
    version: str
    """Another one for every other content."""
    content: str


@cache
def of_game(game: str, kind: str) -> Text:
    """`kind` is `rules` or `strategy`; a file of the game's package, or its description where there is none."""
    file = files(package(game)).joinpath(f"{kind}.md")
    content = file.read_text(encoding="utf-8") if file.is_file() else f"{ABOUT[game].description}\n"
    return Text(hashlib.sha256(content.encode()).hexdigest()[:12], content)


@cache
def guide() -> str:
    """With `{base}` where our address belongs, and the like for what the operator has set."""
    return _read("guide.txt")


@cache
def news() -> list[dict[str, Any]]:
    """The newest first."""
    items: list[dict[str, Any]] = orjson.loads(_read("news.json"))
    return items


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
