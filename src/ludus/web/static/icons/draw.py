"""Draws the PNG icons beside this file: icon.svg in the sizes that phones ask for. Run it after changing them."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

GREEN: Final = (0x2C, 0x6E, 0x4F)
CREAM: Final = (0xF4, 0xEF, 0xE6)
SAMPLES: Final = 4
"""Per pixel and direction, which smooths the edges."""
ICONS: Final = {
    "icon-192.png": (192, 24.0, True),
    "icon-512.png": (512, 24.0, True),
    "maskable-512.png": (512, 30.0, False),
    "touch-180.png": (180, 26.0, False),
}
"""Size in pixels, units of icon.svg across, and whether the corners are round.

A maskable icon fills its square, with the picture in the inner four fifths that every mask leaves.
"""


def picture(size: int, units: float, has_round_corners: bool) -> NDArray[np.uint8]:
    """Rows of red, green, blue and alpha."""
    steps = (np.arange(size * SAMPLES) + 0.5) / (size * SAMPLES) * units - units / 2
    x, y = np.meshgrid(steps, steps)
    distance = np.hypot(x, y)
    outside = np.hypot(np.maximum(np.abs(x) - 5, 0), np.maximum(np.abs(y) - 5, 0))  # 22 wide, corners of 6
    plate = outside <= 6 if has_round_corners else np.ones_like(x, dtype=bool)
    is_cream = (distance <= 7) & ~((distance >= 3.3) & (distance <= 4.7))
    color = np.where(is_cream[..., None], CREAM, GREEN) * plate[..., None]
    pixels = np.concatenate([color, plate[..., None] * 255], axis=2).astype(float)
    sums = pixels.reshape(size, SAMPLES, size, SAMPLES, 4).sum(axis=(1, 3))
    covered = np.maximum(sums[..., 3:] / 255, 1)  # the mean color of the samples inside
    return np.concatenate([sums[..., :3] / covered, sums[..., 3:] / SAMPLES**2], axis=2).round().astype(np.uint8)


def png(pixels: NDArray[np.uint8]) -> bytes:
    height, width, _ = pixels.shape

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows, 9)), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


if __name__ == "__main__":
    for name, shape in ICONS.items():
        Path(__file__).with_name(name).write_bytes(png(picture(*shape)))
