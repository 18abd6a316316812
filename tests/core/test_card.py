"""Cards to share: the board with names and a result, in the size that previews of links ask for."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import pytest
from PIL import Image

from ludus.core import pixels
from ludus.core.card import HEIGHT, PAPER, WIDTH, card
from ludus.core.picture import Rect, Text
from ludus.core.pixels import png, writable
from ludus.games import GAMES


@pytest.mark.parametrize("game", GAMES)
def test_a_card_has_the_board_beside_the_names_and_the_result(game: str) -> None:
    rules = GAMES[game]
    board = rules.board(rules.start("standard")).picture()
    found = card(board, ["Ann <b>", "Ben", "Ann won (no moves)."])
    written = [shape for shape in found.shapes if isinstance(shape, Text)][-3:]
    assert [text.text for text in written] == ["Ann <b>", "Ben", "Ann won (no moves)."]
    assert "Ann &lt;b&gt;" in found.svg()
    frame = found.shapes[1]
    assert isinstance(frame, Rect) and frame.x > 0 and frame.x + frame.width < min(text.x for text in written)
    assert Image.open(BytesIO(png(found, PAPER))).size == (WIDTH, HEIGHT)


def test_long_names_are_smaller_and_in_the_end_cut_off() -> None:
    rules = GAMES["checkers"]
    board = rules.board(rules.start("standard")).picture()
    short, long = [shape for shape in card(board, ["Ann", "x" * 200]).shapes if isinstance(shape, Text)][-2:]
    assert short.size > long.size and long.text.endswith("…") and len(long.text) == 40


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine without fonts."""
    monkeypatch.setattr(pixels, "INSTALLED", ())
    pixels._face.cache_clear()
    yield
    pixels._face.cache_clear()


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann-Marie O'Neil (2)", "Ann-Marie O'Neil (2)"),
        ("José Müller", "Jose Muller"),
        ("Łukasz Ørsted", "Lukasz Orsted"),
        ("Ann 😀", "Ann"),
        ("王小明", ""),
        ("Ann Иванова", ""),
        ("محمد", ""),
    ],
)
def test_without_fonts_names_lose_their_accents_and_others_are_left_out(bare: None, name: str, shown: str) -> None:
    assert writable(name) == shown


def test_a_font_of_the_system_writes_what_the_own_one_cannot(bare: None, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def has(face: str, letter: str) -> bool:
        asked.append(face)
        return face == "second.ttf" or letter.isascii()

    monkeypatch.setattr(pixels, "INSTALLED", ("first.ttf", "second.ttf"))
    monkeypatch.setattr(pixels, "_has", has)
    assert writable("王小明") == "王小明" and set(asked) == {"", "first.ttf", "second.ttf"}
    assert pixels._face("Ann") == pixels.OWN


def test_wide_letters_get_the_room_they_need() -> None:
    rules = GAMES["checkers"]
    board = rules.board(rules.start("standard")).picture()
    latin, wide = [shape for shape in card(board, ["n" * 14, "王" * 14]).shapes if isinstance(shape, Text)][-2:]
    assert wide.size < latin.size
