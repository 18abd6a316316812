"""Positions as pictures: shapes for a screen, lines for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, Protocol

from ludus.core import palette
from ludus.core.picture import Circle, Picture

SOLID: Final = str.maketrans("○◎", "●◉")
"""Without colour, one side's pieces are hollow; with colour, the ink tells them apart."""


class Span(NamedTuple):
    """A part of a line in a terminal."""

    text: str
    ink: int = palette.FRAME_INK
    paper: int = palette.FRAME_PAPER

    @property
    def ansi(self) -> str:
        return f"\x1b[38;5;{self.ink};48;5;{self.paper}m{self.text.translate(SOLID)}"


Line = Sequence[Span]


class Board(Protocol):
    """A position to draw: `flipped` from the other side, with the squares or points in `highlight` marked."""

    def picture(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Picture: ...

    def lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Sequence[Line]:
        """The drawing for a terminal; all lines are equally wide."""
        ...

    def narrow_lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Sequence[Line]:
        """The drawing for a terminal that is too narrow for `lines`; the same as `lines` unless overridden."""
        return self.lines(flipped=flipped, highlight=highlight)

    def svg(self, size: float | None = None, *, flipped: bool = False, highlight: Collection[int] = ()) -> str:
        """An SVG image, `size` pixels wide; notebooks display it."""
        return self.picture(flipped=flipped, highlight=highlight).svg(size)

    def text(
        self,
        *,
        colour: bool = False,
        flipped: bool = False,
        highlight: Collection[int] = (),
        width: int | None = None,
    ) -> str:
        """The drawing for a terminal, in plain characters or with ANSI colours; the terminal has `width` columns."""
        lines = self.lines(flipped=flipped, highlight=highlight)
        if width is not None and sum(len(span.text) for span in lines[0]) > width:
            lines = self.narrow_lines(flipped=flipped, highlight=highlight)
        if colour:
            return "\n".join("".join(span.ansi for span in line) + "\x1b[0m" for line in lines)
        return "\n".join("".join(span.text for span in line) for line in lines)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.text()


def disc(x: float, y: float, radius: float, look: palette.Look) -> tuple[Circle, ...]:
    """A round piece: its edge, and a ring turned into its face."""
    sizes = ((1, look.edge), (0.93, look.body), (0.78, look.ring), (0.71, look.body))
    return tuple(Circle(x, y, radius * size, fill) for size, fill in sizes)
