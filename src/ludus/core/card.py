"""A position as a card to share: the board, and a few lines of text beside it, in the form of a link preview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from unicodedata import east_asian_width

from ludus.core.picture import Circle, Picture, Polygon, Rect, Shape, Text

WIDTH, HEIGHT = 1200, 630
"""The size that sites with link previews ask for, in pixels."""
MARGIN: Final = 36
PAPER: Final = "#f5f2ec"
INK: Final = "#24211c"
MUTED: Final = "#655f55"
SIZES: Final = (46, 46, 32, 28)
"""Font sizes of the lines of text; any further lines have the last one."""
LETTER_WIDTH: Final = 0.62
"""The average width of a bold sans-serif letter, in font sizes."""
LEAST_SIZE: Final = 18
MOST_LETTERS: Final = 40


def card(board: Picture, lines: Sequence[str]) -> Picture:
    """The lines are, from the top, both players' names, the result, and more about it."""
    room = HEIGHT - 2 * MARGIN
    scale = min(room / board.height, (WIDTH * 0.62) / board.width)
    left, top = MARGIN, (HEIGHT - board.height * scale) / 2
    text_left = left + board.width * scale + MARGIN
    middle, width = (text_left + WIDTH - MARGIN) / 2, WIDTH - MARGIN - text_left
    shapes: list[Shape] = [Rect(0, 0, WIDTH, HEIGHT, PAPER)]
    shapes += [_placed(shape, scale, left, top) for shape in board.shapes]
    shapes += _column(lines, middle, width)
    return Picture(WIDTH, HEIGHT, tuple(shapes), " – ".join(lines[:2]), board.description)


def _column(lines: Sequence[str], middle: float, width: float) -> list[Shape]:
    sized = [(_shortened(line), _size(line, at, width)) for at, line in enumerate(lines) if line]
    y = (HEIGHT - sum(1.6 * size for _, size in sized)) / 2
    shapes: list[Shape] = []
    for at, (line, size) in enumerate(sized):
        shapes.append(Text(middle, y + 0.8 * size, line, size, INK if at < 2 else MUTED))
        y += 1.6 * size
    return shapes


def _shortened(line: str) -> str:
    return line if len(line) <= MOST_LETTERS else f"{line[: MOST_LETTERS - 1]}…"


def _size(line: str, at: int, width: float) -> float:
    """The font size at which the line fits beside the board."""
    needed = sum(1 if east_asian_width(letter) in "WF" else LETTER_WIDTH for letter in _shortened(line))
    fitting = width / max(LETTER_WIDTH, needed)
    return max(LEAST_SIZE, min(SIZES[min(at, len(SIZES) - 1)], fitting))


def _placed(shape: Shape, scale: float, dx: float, dy: float) -> Shape:
    match shape:
        case Rect(x, y, width, height, fill, radius):
            return Rect(x * scale + dx, y * scale + dy, width * scale, height * scale, fill, radius * scale)
        case Circle(x, y, radius, fill):
            return Circle(x * scale + dx, y * scale + dy, radius * scale, fill)
        case Polygon(points, fill):
            return Polygon(tuple((x * scale + dx, y * scale + dy) for x, y in points), fill)
        case Text(x, y, text, size, fill):
            return Text(x * scale + dx, y * scale + dy, text, size * scale, fill)
