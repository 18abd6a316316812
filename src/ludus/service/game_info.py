"""What everyone may know about a game: its facts, its statistics, and texts for those who play it."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from ludus.games import ABOUT, package
from ludus.service.records import Tally

Json = dict[str, Any]

GENERIC: Final = """{title}
  {{"type": "move", "move": "..."}} with an entry of view.legalMoves
"""


class Text(NamedTuple):
    version: str
    """Changes with the content."""
    content: str


def facts(game: str) -> Json:
    about = ABOUT[game]
    shortest, longest = about.minutes_range or (about.minutes, about.minutes)
    return {
        "id": game,
        "name": about.title,
        "description": about.description,
        "minPlayers": 2,
        "maxPlayers": 2,
        "estimatedMinutes": about.minutes,
        "minMinutes": shortest,
        "maxMinutes": longest,
        "tags": list(about.tags),
    }


def stats(tally: Tally) -> Json:
    count = tally.matches
    return {
        "matches": count,
        "avgDurationSeconds": round(tally.seconds / count, 1) if count else None,
        "decisivePercent": round(100 * tally.decisive / count, 1) if count else None,
    }


@cache
def text(game: str, kind: str) -> Text:
    """`kind` is `rules` or `strategy`; a file of the game's package, or its description where there is none."""
    file = files(package(game)).joinpath(f"{kind}.md")
    content = file.read_text(encoding="utf-8") if file.is_file() else f"{ABOUT[game].description}\n"
    return Text(hashlib.sha256(content.encode()).hexdigest()[:12], content)


@cache
def actions(game: str) -> str:
    """How a game's actions and views are explained: a file of its package, or a pointer to the legal moves."""
    file = files(package(game)).joinpath("actions.txt")
    return file.read_text(encoding="utf-8") if file.is_file() else GENERIC.format(title=ABOUT[game].title)
