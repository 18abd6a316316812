from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ludus.core.board import Board, Line, Span
from ludus.core.picture import Picture, Rect


@dataclass(frozen=True)
class Strip(Board):
    """Two squares in two lines; flipped, they change places."""

    def picture(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Picture:
        fills = ("#ffffff", "#000000") if flipped else ("#000000", "#ffffff")
        return Picture(2, 1, tuple(Rect(x, 0, 1, 1, fill) for x, fill in enumerate(fills)))

    def lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> list[Line]:
        line = [Span("●", 16, 65), Span("[○]" if highlight else " ○ ", 231, 65)]
        return [line[::-1] if flipped else line, [Span("────")]]


def test_without_colour_the_text_is_plain() -> None:
    assert Strip().text() == str(Strip()) == "● ○ \n────"
    assert Strip().text(flipped=True, highlight=[2]) == "[○]●\n────"


def test_a_board_without_a_narrow_drawing_shows_its_only_one() -> None:
    assert Strip().text(width=3, flipped=True) == Strip().text(flipped=True)


def test_in_colour_every_piece_is_solid_and_every_line_ends_without_colour() -> None:
    first, second = Strip().text(colour=True).split("\n")
    assert first == "\x1b[38;5;16;48;5;65m●\x1b[38;5;231;48;5;65m ● \x1b[0m"
    assert second.startswith("\x1b[") and second.endswith("────\x1b[0m")


def test_a_notebook_shows_the_svg() -> None:
    assert Strip()._repr_svg_() == Strip().svg() == Strip().picture().svg()
    assert Strip().svg(50, flipped=True) == Strip().picture(flipped=True).svg(50)
