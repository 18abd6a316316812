"""Deprecated; use `ludus.wire.text_codec(game)`."""

from __future__ import annotations

from ludus.games import GAMES
from ludus.wire import codec, text_codec
from ludus.wire.text import TextCodec, View


def draw(game: str, view: View) -> str:
    return text_codec(game).board(view)


def side(game: str, view: View) -> str:
    return text_codec(game).side(view)


def dice(view: View) -> str:
    return TextCodec().dice(view)


def last(view: View) -> str:
    return _codec_of(view).last_move(view)


def moves_text(view: View) -> str:
    return _codec_of(view).legal_moves(view)


def _codec_of(view: View) -> TextCodec:
    codecs = [codec(game) for game in GAMES]
    return next((each.text for each in codecs if view.get("yourColor") in each.arena.colors), TextCodec())
