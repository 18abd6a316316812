"""Positions as pictures: shapes for a screen, text for a terminal."""

from __future__ import annotations

from typing import NamedTuple, Protocol
from xml.sax.saxutils import escape, quoteattr


class Rect(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = "none"
    radius: float = 0


class Circle(NamedTuple):
    x: float
    y: float
    radius: float
    fill: str
    stroke: str = "none"
    stroke_width: float = 0


class Polygon(NamedTuple):
    points: tuple[tuple[float, float], ...]
    fill: str
    stroke: str = "none"


class Text(NamedTuple):
    """One line, centred on (x, y)."""

    x: float
    y: float
    text: str
    size: float
    fill: str


Shape = Rect | Circle | Polygon | Text


class Picture(NamedTuple):
    """A drawing as plain shapes, the lowest first, so that it can be written as SVG or painted as pixels."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""

    def svg(self, size: float | None = None) -> str:
        """An SVG image, `size` pixels wide."""
        width = self.width if size is None else size
        height = self.height * width / self.width
        body = "".join(f"<title>{escape(self.title)}</title>" if self.title else "") + "".join(map(_tag, self.shapes))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width:g} {self.height:g}" '
            f'width="{width:g}" height="{height:g}" font-family="sans-serif">{body}</svg>'
        )


class Board(Protocol):
    """What a game's board can do; a notebook shows the SVG by itself."""

    def picture(self, *, flipped: bool = False) -> Picture: ...

    def svg(self, size: float | None = None, *, flipped: bool = False) -> str: ...

    def text(self, *, colour: bool = False, flipped: bool = False) -> str: ...

    def _repr_svg_(self) -> str: ...


def _tag(shape: Shape) -> str:
    match shape:
        case Rect(x, y, width, height, fill, stroke, radius):
            size = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"'
            return f"<rect {size} fill={quoteattr(fill)} stroke={quoteattr(stroke)}/>"
        case Circle(x, y, radius, fill, stroke, stroke_width):
            line = f'stroke={quoteattr(stroke)} stroke-width="{stroke_width:g}"'
            return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill={quoteattr(fill)} {line}/>'
        case Polygon(points, fill, stroke):
            corners = " ".join(f"{x:g},{y:g}" for x, y in points)
            return f'<polygon points="{corners}" fill={quoteattr(fill)} stroke={quoteattr(stroke)}/>'
        case Text(x, y, text, size, fill):
            place = f'x="{x:g}" y="{y:g}" text-anchor="middle" dominant-baseline="central"'
            return f'<text {place} font-size="{size:g}" fill={quoteattr(fill)}>{escape(text)}</text>'
