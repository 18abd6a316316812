"""Checkers on the wire."""

from __future__ import annotations

from ludus.core.rules import Rules
from ludus.games.checkers.position import Move, Position
from ludus.wire.checkers.arena import CheckersArenaCodec
from ludus.wire.checkers.rooms import CheckersRoomCodec
from ludus.wire.checkers.setup import CheckersSetup
from ludus.wire.checkers.text import CheckersTextCodec
from ludus.wire.protocols import Codec


def build(rules: Rules[Position, Move]) -> Codec:
    return Codec(CheckersRoomCodec(rules), CheckersArenaCodec(rules), CheckersTextCodec(), CheckersSetup(rules))
