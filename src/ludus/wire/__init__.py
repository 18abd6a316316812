"""Games as JSON and as text: what rooms, the arena, agents and language models read and write.

It depends on games and `core` only: no tables, players or connections, and no rules of its own.
"""

from __future__ import annotations

from functools import cache

from ludus.games import GAMES, layer
from ludus.wire.actions import Action
from ludus.wire.generic import build as build_generic
from ludus.wire.protocols import ArenaCodec, Codec, RoomCodec, RoomSchemas
from ludus.wire.text import TextCodec

__all__ = [
    "Action",
    "ArenaCodec",
    "Codec",
    "RoomCodec",
    "RoomSchemas",
    "TextCodec",
    "codec",
    "record_format",
    "text_codec",
]


@cache
def codec(game: str) -> Codec:
    """The game's own codecs, or the generic ones, which write moves in the game's notation."""
    rules, own = GAMES[game], layer(game, "wire")
    found: Codec = own.build(rules) if own else build_generic(rules)
    return found


def text_codec(game: str) -> TextCodec:
    """The game's text codec, also for games of a newer arena, which have no rules here."""
    return codec(game).text if game in GAMES else TextCodec()


def record_format(game: str) -> str:
    """The game's record format: the suffix of its files, and the field of a result that holds one."""
    return GAMES[game].notation.suffix.removeprefix(".")
