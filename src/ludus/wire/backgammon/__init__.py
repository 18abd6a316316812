"""Backgammon on the wire."""

from __future__ import annotations

from ludus.games.backgammon.rules import Backgammon
from ludus.wire.backgammon.arena import BackgammonArenaCodec
from ludus.wire.backgammon.rooms import BackgammonRoomCodec
from ludus.wire.backgammon.setup import BackgammonSetup
from ludus.wire.backgammon.text import BackgammonTextCodec
from ludus.wire.protocols import Codec


def build(rules: Backgammon) -> Codec:
    rooms = BackgammonRoomCodec(rules)
    return Codec(rooms, BackgammonArenaCodec(rooms), BackgammonTextCodec(), BackgammonSetup(rules))
