"""Pictures of positions to share, and for previews of links, which take no SVG."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from ludus.core import card
from ludus.core.picture import Picture

CARDS: Final = {"png": "image/png", "svg": "image/svg+xml"}
"""Media types by suffix."""
MAX_DRAWN: Final = 2
"""Pictures drawn at the same time; one takes about a tenth of a second."""


class Cards:
    """Draws in a thread, a few pictures at a time."""

    def __init__(self) -> None:
        self._drawing = asyncio.Semaphore(MAX_DRAWN)

    async def draw(self, draw: Callable[[], bytes]) -> bytes:
        async with self._drawing:
            return await asyncio.to_thread(draw)


def written_names(names: Sequence[str], *, is_png: bool) -> list[str]:
    """A browser has fonts for all letters; for a PNG, names are spelled with those that there are."""
    if not is_png:
        return list(names)
    from ludus.core.pixels import writable  # here, since it loads Pillow

    return [writable(name) or f"Player {number}" for number, name in enumerate(names, 1)]


def drawn(board: Picture, lines: Sequence[str], *, is_png: bool) -> bytes:
    if not is_png:
        return card.card(board, lines).svg().encode()
    from ludus.core.pixels import png, writable  # here, since it loads Pillow

    return png(card.card(board, [writable(line) for line in lines]), card.PAPER)
