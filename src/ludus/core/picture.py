"""Drawings as shapes, for SVG or pixels."""

from __future__ import annotations

from html import escape
from typing import Final, NamedTuple

FONT: Final = 'font-family="sans-serif" font-weight="bold" text-anchor="middle"'
DIGIT_HEIGHT: Final = 0.72
"""The height of a sans-serif digit, in font sizes; not every SVG reader can centre text."""


class Rect(NamedTuple):
    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0


class Circle(NamedTuple):
    x: float
    y: float
    radius: float
    fill: str


class Polygon(NamedTuple):
    points: tuple[tuple[float, float], ...]
    fill: str


class Text(NamedTuple):
    """One line, centred on (x, y)."""

    x: float
    y: float
    text: str
    size: float
    fill: str


Shape = Rect | Circle | Polygon | Text


class Picture(NamedTuple):
    """Filled shapes, bottom first. Every `fill` is `#rrggbb`; an outline is a larger shape below."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str = ""
    description: str = ""

    def svg(self, size: float | None = None) -> str:
        """An SVG image, `size` pixels wide."""
        width = self.width if size is None else size
        extent = _attributes(width=width, height=self.height * width / self.width)
        view = f'viewBox="0 0 {_number(self.width)} {_number(self.height)}"'
        opening = f'<svg xmlns="http://www.w3.org/2000/svg"{extent} {view} role="img" {FONT}>'
        words = (("title", self.title), ("desc", self.description))
        labels = [f"<{tag}>{escape(text, quote=False)}</{tag}>" for tag, text in words if text]
        return "\n".join([opening, *labels, *map(_tag, self.shapes), "</svg>\n"])

    def turned(self) -> Picture:
        """The picture upside down, with upright texts."""
        return self._replace(shapes=tuple(_turned(shape, self.width, self.height) for shape in self.shapes))


def _turned(shape: Shape, width: float, height: float) -> Shape:
    match shape:
        case Rect():
            return shape._replace(x=width - shape.x - shape.width, y=height - shape.y - shape.height)
        case Polygon():
            return shape._replace(points=tuple((width - x, height - y) for x, y in shape.points))
        case Circle() | Text():
            return shape._replace(x=width - shape.x, y=height - shape.y)


def _tag(shape: Shape) -> str:
    match shape:
        case Rect(x, y, width, height, fill, radius):
            corners = _attributes(rx=radius) if radius else ""
            return f'<rect{_attributes(x=x, y=y, width=width, height=height)}{corners} fill="{fill}"/>'
        case Circle(x, y, radius, fill):
            return f'<circle{_attributes(cx=x, cy=y, r=radius)} fill="{fill}"/>'
        case Polygon(points, fill):
            corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
            return f'<polygon points="{corners}" fill="{fill}"/>'
        case Text(x, y, text, size, fill):
            place = _attributes(x=x, y=y + size * DIGIT_HEIGHT / 2, font_size=size)
            return f'<text{place} fill="{fill}">{escape(text, quote=False)}</text>'


def _attributes(**values: float) -> str:
    return "".join(f' {name.replace("_", "-")}="{_number(value)}"' for name, value in values.items())


def _number(value: float) -> str:
    return f"{round(value, 2):g}"
