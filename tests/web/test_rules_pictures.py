"""The rules have pictures: positions that can be read, with legal moves, drawn on the page's own boards."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import expect

from ludus.games import GAMES
from ludus.server.web.languages import LANGUAGES

from .conftest import Visit

STATIC = Path(str(files("ludus.web"))) / "static"
PICTURE = re.compile(r"^!\[(.+)\]\((.+)\)$", re.MULTILINE)


def pictures(game: str, language: str) -> list[tuple[str, str]]:
    return PICTURE.findall((STATIC / "games" / game / "rules" / f"{language}.js").read_text(encoding="utf-8"))


@pytest.mark.parametrize("game", GAMES)
def test_every_language_has_the_same_pictures_of_legal_moves(game: str) -> None:
    notation = GAMES[game].notation
    sources = [source for _, source in pictures(game, "en")]
    assert len(sources) >= 4
    for source in sources:
        start, _, move = source.partition(" | ")
        notation.read_move(notation.read_position(start), move)
    for language in LANGUAGES:
        assert [source for _, source in pictures(game, language)] == sources


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_rules_show_them(visit: Visit, game: str) -> None:
    page = visit().open(f"/games/{game}")
    boards = page.locator(f".pictures ludus-{game}")
    shown = pictures(game, "en")
    expect(boards).to_have_count(len(shown))
    for number, (caption, _) in enumerate(shown):
        expect(boards.nth(number)).to_have_attribute("aria-label", caption)
        expect(boards.nth(number).locator(".arrow").first).to_be_attached()
