"""The checkers board as a picture."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from ludus.core import palette
from ludus.core.board import Board, Line, Span, disc
from ludus.core.picture import Picture, Polygon, Rect, Shape, Text
from ludus.core.rules import Outcome, Player
from ludus.games.checkers.position import SQUARES, Piece, Position

NAMES: Final = ("black", "white")
LOOKS: Final = (palette.DARK, palette.LIGHT)
MEN: Final = "●○"
KINGS: Final = "◉◎"

NARROW: Final = 20
"""Columns of the drawing for narrow terminals."""

SIDE: Final = 50
MARGIN: Final = 20
WIDTH: Final = 8 * SIDE + 2 * MARGIN
RADIUS: Final = 18.5
CROWN: Final = ((-0.48, 0.2), (-0.58, -0.32), (-0.26, -0.08), (0, -0.5), (0.26, -0.08), (0.58, -0.32), (0.48, 0.2))
"""The crown's outline, in radii of the piece."""


@dataclass(frozen=True)
class CheckersBoard(Board):
    """The first player is on top unless flipped."""

    position: Position
    outcome: Outcome | None = None

    def picture(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Picture:
        shapes = (
            Rect(0, 0, WIDTH, WIDTH, palette.FRAME, 8),
            Rect(MARGIN, MARGIN, 8 * SIDE, 8 * SIDE, palette.BUFF),
            *self._squares(flipped, highlight),
            *self._markers(flipped),
        )
        return Picture(WIDTH, WIDTH, shapes, self._title(), " ".join(map(self._describe, Player)))

    def _title(self) -> str:
        state = [f"{NAMES[player]} {word}" for player in Player if (word := self._word(player))]
        return f"Checkers: {''.join(state) or 'nobody has won'}"

    def _word(self, player: Player) -> str:
        """A player's state; empty if there is nothing to say."""
        if self.outcome:
            return "has won" if player is self.outcome.winner else ""
        return "to move" if player is self.position.mover else ""

    def _markers(self, flipped: bool) -> Iterator[Shape]:
        if not self.outcome:
            yield _marker(is_top=(self.position.mover is Player.FIRST) is not flipped)

    def _squares(self, flipped: bool, highlight: Collection[int]) -> Iterator[Shape]:
        for i, square in enumerate(_grid(flipped)):
            if square:
                x, y = MARGIN + i % 8 * SIDE, MARGIN + i // 8 * SIDE
                yield Rect(x, y, SIDE, SIDE, palette.BRASS if square in highlight else palette.FELT)
                yield Text(x + 8, y + 6.5, str(square), 9, palette.FELT_LETTER)
                if piece := self.position.piece_on(square):
                    yield from _draw(piece, x + SIDE / 2, y + SIDE / 2)

    def _describe(self, player: Player) -> str:
        pieces = ((square, self.position.piece_on(square)) for square in SQUARES)
        words = [f"{'king ' * piece.is_king}{square}" for square, piece in pieces if piece and piece.player is player]
        return f"{NAMES[player].capitalize()}: {', '.join(words) or 'no pieces'}."

    def lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> list[Line]:
        grid = _grid(flipped)
        top = Player.SECOND if flipped else Player.FIRST
        lines = [self._caption(top, "┌", "┐")]
        for start in range(0, 64, 8):
            cells = [self._cell(square, square in highlight) for square in grid[start : start + 8]]
            lines += [[Span("│"), *halves, Span("│")] for halves in zip(*cells, strict=True)]
        return [*lines, self._caption(top.other, "└", "┘")]

    def narrow_lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> list[Line]:
        """A line for each row; empty squares show their number, and each row starts with its first square's number."""
        grid = _grid(flipped)
        top = Player.SECOND if flipped else Player.FIRST
        lines = [self._narrow_caption(top)]
        for start in range(0, 64, 8):
            row = grid[start : start + 8]
            first = next(square for square in row if square)
            cells = [self._narrow_cell(square, square in highlight) for square in row]
            lines.append([Span(f"{first:2}│"), *cells, Span("│")])
        return [*lines, self._narrow_caption(top.other)]

    def _narrow_caption(self, player: Player) -> Line:
        man = Span(MEN[player], LOOKS[player].ink)
        return [Span("   "), man, Span(f" {NAMES[player]} {self._word(player)}".ljust(NARROW - 4))]

    def _narrow_cell(self, square: int, is_marked: bool) -> Span:
        if not square:
            return Span("  ", palette.BUFF_PAPER, palette.BUFF_PAPER)
        paper = palette.BRASS_PAPER if is_marked else palette.FELT_PAPER
        piece = self.position.piece_on(square)
        if piece is None:
            return Span(f"{square:2}", palette.FELT_INK, paper)
        mark = ">" if is_marked else " "
        return Span(mark + (KINGS if piece.is_king else MEN)[piece.player], LOOKS[piece.player].ink, paper)

    def _caption(self, player: Player, left: str, right: str) -> Line:
        man = Span(MEN[player], LOOKS[player].ink)
        word = f" {word} ─" if (word := self._word(player)) else ""
        return [Span(f"{left}─ "), man, Span(f" {NAMES[player]} {word:─>22}{right}")]

    def _cell(self, square: int, is_marked: bool) -> tuple[Span, Span]:
        """The upper half of a square, with its number, and the lower half, with its piece."""
        if not square:
            light = Span("░░░░", palette.BUFF_PAPER, palette.BUFF_PAPER)
            return light, light
        paper = palette.BRASS_PAPER if is_marked else palette.FELT_PAPER
        number = f"[{square}]" if is_marked else f" {square} "
        piece = self.position.piece_on(square)
        ink = LOOKS[piece.player].ink if piece else palette.FELT_INK
        return Span(f"{number:4}", palette.FELT_INK, paper), Span(_glyph(piece), ink, paper)


def _grid(flipped: bool) -> list[int]:
    """The 64 squares from the top left, 0 for a light one."""
    grid = [row * 4 + column // 2 + 1 if (row + column) % 2 else 0 for row in range(8) for column in range(8)]
    return grid[::-1] if flipped else grid


def _marker(*, is_top: bool) -> Polygon:
    """A marker on the frame, beside the player to move."""
    middle, tip, base = WIDTH / 2, MARGIN - 5, MARGIN - 14
    if not is_top:
        tip, base = WIDTH - tip, WIDTH - base
    return Polygon(((middle - 8, base), (middle + 8, base), (middle, tip)), palette.GOLD)


def _draw(piece: Piece, x: float, y: float) -> Iterator[Shape]:
    look = LOOKS[piece.player]
    yield from disc(x, y, RADIUS, look)
    if piece.is_king:
        yield Polygon(tuple((x + dx * RADIUS, y + dy * RADIUS) for dx, dy in CROWN), look.mark)
        yield Rect(x - 0.48 * RADIUS, y + 0.29 * RADIUS, 0.96 * RADIUS, 0.15 * RADIUS, look.mark)


def _glyph(piece: Piece | None) -> str:
    if piece is None:
        return "    "
    return f"({KINGS[piece.player]}) " if piece.is_king else f" {MEN[piece.player]}  "
