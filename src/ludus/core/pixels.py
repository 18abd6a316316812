"""Pictures as pixels, anti-aliased. Not imported by the rest of the core: Pillow is an extra."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from io import BytesIO
from math import ceil, floor
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw, ImageFont, features

from ludus.core import palette
from ludus.core.picture import DIGIT_HEIGHT, Circle, Picture, Polygon, Rect, Shape, Text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FINE: Final = 8
"""Shapes are drawn this much larger, then reduced: a pixel is covered in 64ths."""
BOLD: Final = 0.03
"""Pillow's font has one weight: letters are widened by this share of their size on every side, and spaced."""
OWN: Final = ""
"""Pillow's font, which has the letters of ASCII and little else."""
INSTALLED: Final = (
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
    "NotoSansCJK-Regular.ttc",
    "NotoSansArabic-Regular.ttf",
    "NotoSansHebrew-Regular.ttf",
    "NotoSansDevanagari-Regular.ttf",
    "NotoSansThai-Regular.ttf",
    "Arial Unicode.ttf",
)
"""System fonts for texts with other letters, if they are installed."""
UNASSIGNED: Final = "\u0378"
"""What a font draws for this character, it draws for every letter that it lacks."""
BASIC: Final = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "þ": "th", "Þ": "Th",
     "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ı": "i", "–": "-", "—": "-"}
)  # fmt: skip
"""Letters that Unicode doesn't decompose."""


def png(picture: Picture, paper: str = palette.FRAME) -> bytes:
    """A PNG file."""
    file = BytesIO()
    Image.fromarray(paint(picture, paper)).save(file, "PNG", optimize=True)
    return file.getvalue()


def paint(picture: Picture, paper: str = palette.FRAME) -> NDArray[np.uint8]:
    """Height × width × RGB, on `paper`, which shows at round corners."""
    import numpy as np

    image = Image.new("RGB", (ceil(picture.width), ceil(picture.height)), paper)
    for shape in picture.shapes:
        bounds = left, top, _, _ = _bounds(shape)
        image.paste(shape.fill, bounds, _coverage(_moved(shape, -left, -top)))
    return np.array(image)


def _bounds(shape: Shape) -> tuple[int, int, int, int]:
    """The pixels that contain a shape: left, top, right and bottom."""
    left, top, right, bottom = _extent(shape)
    return floor(left), floor(top), ceil(right), ceil(bottom)


def _extent(shape: Shape) -> tuple[float, float, float, float]:
    match shape:
        case Rect(x, y, width, height):
            return x, y, x + width, y + height
        case Circle(x, y, radius):
            return x - radius, y - radius, x + radius, y + radius
        case Polygon(points):
            xs, ys = zip(*points, strict=True)
            return min(xs), min(ys), max(xs), max(ys)
        case Text(x, y, text, size):
            reach = size * (len(text) + 1) / 2
            return x - reach, y - size, x + reach, y + size


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    if isinstance(shape, Polygon):
        return shape._replace(points=tuple((x + dx, y + dy) for x, y in shape.points))
    return shape._replace(x=shape.x + dx, y=shape.y + dy)


@lru_cache(maxsize=1024)
def _coverage(shape: Shape) -> Image.Image | None:
    """The coverage of each pixel by a shape at the top left; None if all are full. Cached: boards repeat shapes."""
    _, _, width, height = _bounds(shape)
    mask = Image.new("L", (width * FINE, height * FINE))
    _draw(ImageDraw.Draw(mask), shape)
    mask = mask.reduce(FINE)
    return None if mask.getextrema() == (255, 255) else mask


def _draw(sheet: ImageDraw.ImageDraw, shape: Shape) -> None:
    left, top, right, bottom = (FINE * edge for edge in _extent(shape))
    inside = (left, top, right - 1, bottom - 1)  # Pillow includes the last pixel
    match shape:
        case Rect(radius=radius):
            sheet.rounded_rectangle(inside, radius * FINE, fill=255)
        case Circle():
            sheet.ellipse(inside, fill=255)
        case Polygon(points):
            sheet.polygon([(x * FINE, y * FINE) for x, y in points], fill=255)
        case Text(x, y, text, size):
            _write(sheet, x * FINE, (y + size * DIGIT_HEIGHT / 2) * FINE, text, size * FINE)


def writable(text: str) -> str:
    """The text if there is a font for it, else the text without accents and symbols, else nothing."""
    return next((each for each in (text, _basic(text)) if _face(each) is not None), "")


def _basic(text: str) -> str:
    parts = unicodedata.normalize("NFKD", text.translate(BASIC))
    kept = "".join(each for each in parts if _has(OWN, each) or each.isalpha())
    return " ".join(kept.split())


@lru_cache(maxsize=256)
def _face(text: str) -> str | None:
    """The first font that has all letters of a text."""
    faces = (OWN, *INSTALLED) if _is_simple(text) or features.check("raqm") else (OWN,)
    return next((face for face in faces if all(_has(face, letter) for letter in text)), None)


def _is_simple(text: str) -> bool:
    """Whether letters can be placed one after the other: written left to right, and without combining marks."""
    return not any(unicodedata.bidirectional(each) in ("R", "AL") or unicodedata.combining(each) for each in text)


@lru_cache(maxsize=4096)
def _has(face: str, letter: str) -> bool:
    if letter == " ":
        return True
    font = _font(24, face)
    return font is not None and _mask(font, letter) != _mask(font, UNASSIGNED)


def _mask(font: ImageFont.FreeTypeFont | ImageFont.ImageFont, letter: str) -> tuple[object, bytes]:
    drawn = font.getmask(letter)
    return drawn.size, bytes(drawn)


def _write(sheet: ImageDraw.ImageDraw, x: float, foot: float, text: str, size: float) -> None:
    face, bold = _face(text), round(size * BOLD)
    if face:
        sheet.text((x, foot), text, 255, _font(size, face), anchor="ms", stroke_width=bold)
        return
    font = _font(size)
    assert font is not None
    widths = [font.getlength(letter) + 2 * bold for letter in text]
    x -= sum(widths) / 2
    for letter, width in zip(text, widths, strict=True):
        sheet.text((x + bold, foot), letter, 255, font, anchor="ls", stroke_width=bold)
        x += width


@lru_cache(maxsize=64)
def _font(size: float, face: str = OWN) -> ImageFont.FreeTypeFont | ImageFont.ImageFont | None:
    """The font in this size; None if it isn't installed."""
    if face == OWN:
        return ImageFont.load_default(size)
    try:
        return ImageFont.truetype(face, size)
    except OSError:
        return None
