"""The games that everybody plays: fixed, legal, decided on the board, all about as long, so that all end together."""

from __future__ import annotations

import random
from typing import NamedTuple

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games.checkers.position import Move, Position, column_of, row_of
from ludus.games.checkers.rules import Checkers

LENGTHS, EACH = (60, 61), 8
"""Moves of both players, about what games between people take: the second player wins in 60, the first in 61."""


class Played(NamedTuple):
    """Moves as rooms write them, and who won."""

    moves: tuple[dict[str, object], ...]
    winner: Player


def fixed_games() -> list[Played]:
    return [game for pair in zip(*(games_of(length) for length in LENGTHS), strict=True) for game in pair]


def games_of(length: int, number: int = EACH) -> list[Played]:
    """Random games, always the same ones; draws are left out, since peers need not know when a game is one."""
    found: list[Played] = []
    rng, rules = random.Random(length), Checkers()
    while len(found) < number:
        game = Game[Position, Move](rules)
        while game.outcome is None and len(game.moves) < length:
            game.play(rng.choice(game.legal_moves()))
        if game.outcome and game.outcome.winner is not None and len(game.moves) == length:
            found.append(Played(tuple(map(as_room_writes, game.moves)), game.outcome.winner))
    return found


def as_room_writes(move: Move) -> dict[str, object]:
    captures = [index_of(square) for square in move.captures]
    return {"from": index_of(move.origin), "to": index_of(move.landing), "captures": captures}


def index_of(square: int) -> int:
    """The first player sits at the bottom of a room's board, on top of our numbering: it is turned by half."""
    return 63 - (row_of(square) * 8 + column_of(square))
