"""The games of the benchmark: fixed, legal, won on the board, and of nearly equal length, so that all end together."""

from __future__ import annotations

import random
from typing import NamedTuple

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games.checkers.position import Move, Position
from ludus.games.checkers.rules import Checkers
from ludus.wire import codec

LENGTHS, EACH = (60, 61), 8
"""Moves of both players, about as many as in games between people: the second player wins in 60, the first in 61."""


class Played(NamedTuple):
    """Moves as rooms serialize them, and the winner."""

    moves: tuple[dict[str, object], ...]
    winner: Player


def fixed_games() -> list[Played]:
    return [game for pair in zip(*(games_of(length) for length in LENGTHS), strict=True) for game in pair]


def games_of(length: int, number: int = EACH) -> list[Played]:
    """Random games, always the same ones. No draws, since peers may have other rules for them."""
    found: list[Played] = []
    rng, rules, rooms = random.Random(length), Checkers(), codec("checkers").rooms
    while len(found) < number:
        game = Game[Position, Move](rules)
        while game.outcome is None and len(game.moves) < length:
            game.play(rng.choice(game.legal_moves()))
        if game.outcome and game.outcome.winner is not None and len(game.moves) == length:
            moves = (rooms.move(game.position_at(number), move) for number, move in enumerate(game.moves))
            found.append(Played(tuple(moves), game.outcome.winner))
    return found
