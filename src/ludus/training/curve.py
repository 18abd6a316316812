"""A line chart, drawn as a PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

WIDTH, HEIGHT = 900, 480
LEFT, TOP, RIGHT, BOTTOM = 80, 50, 30, 60
INK, GRID = "#333333", "#dddddd"
COLOURS: Final = ("#1f5fa8", "#b5542a", "#3b8a4c", "#7d4aa0")
TICKS: Final = 6


class Series(NamedTuple):
    name: str
    points: Sequence[tuple[float, float]]


def series(minutes: Sequence[float], values: Mapping[str, Sequence[float]]) -> list[Series]:
    return [Series(name, list(zip(minutes, ups, strict=True))) for name, ups in values.items()]


class Scale(NamedTuple):
    low: float
    high: float
    first: float
    last: float

    def at(self, value: float) -> float:
        return self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first)

    @property
    def ticks(self) -> list[float]:
        return [self.low + (self.high - self.low) * k / (TICKS - 1) for k in range(TICKS)]


def draw(path: Path, title: str, across: str, up: str, series: Sequence[Series]) -> None:
    """Writes the picture; needs Pillow and at least one point."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (WIDTH, HEIGHT), "white")
    sheet, font = ImageDraw.Draw(image), ImageFont.load_default(14)
    points = [point for line in series for point in line.points]
    x = _scale([point[0] for point in points], LEFT, WIDTH - RIGHT)
    y = _scale([point[1] for point in points], HEIGHT - BOTTOM, TOP)
    for value in x.ticks:
        sheet.text((x.at(value), HEIGHT - BOTTOM + 8), f"{value:.3g}", INK, font, anchor="ma")
    for value in y.ticks:
        sheet.line([(LEFT, y.at(value)), (WIDTH - RIGHT, y.at(value))], GRID)
        sheet.text((LEFT - 8, y.at(value)), f"{value:.3g}", INK, font, anchor="rm")
    for colour, line in zip(COLOURS, series, strict=False):
        sheet.line([(x.at(a), y.at(b)) for a, b in line.points], colour, 3, joint="curve")
    for number, (colour, line) in enumerate(zip(COLOURS, series, strict=False)):
        sheet.text((WIDTH - RIGHT, HEIGHT - BOTTOM - 20 * (len(series) - number)), line.name, colour, font, anchor="ra")
    sheet.text((LEFT, 8), title, INK, font)
    sheet.text(((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 24), across, INK, font, anchor="ma")
    sheet.text((LEFT, TOP - 6), up, INK, font, anchor="lb")
    image.save(path)


def _scale(values: Sequence[float], first: float, last: float) -> Scale:
    low, high = min(values), max(values)
    return Scale(low, high if high > low else low + 1, first, last)
