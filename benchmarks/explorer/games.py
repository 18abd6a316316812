"""Openings of generated games, without an engine: in each position some moves are played far more often than others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any, Final

from ludus.core.rules import Player, Turn
from ludus.games import GAMES
from ludus.openings import Ply, Reader, book

PREFERENCE: Final = 1.6
"""The exponent by which the moves of a position are less and less likely, in an order of its own."""
REAL: Final = 8
"""Moves that are played; hardly any position comes twice after them."""
KNOWN: Final = 6
"""Moves after which positions are no longer remembered, since hardly any comes again."""
DRAWS: Final = 0.2
"""Of games that have draws."""


class Line:
    """Plays openings of one game."""

    def __init__(self, game: str) -> None:
        self.rules = GAMES[game].compiled()
        self._known = cache(self._choices)

    def play(self, rng: Random) -> Sequence[Ply]:
        """The first moves of a game."""
        rules, reader = self.rules, Reader(self.rules)
        position, number = rules.start("standard"), 0
        while number < REAL and rules.turn(position) is not Turn.OVER:
            choices, weights = (self._known if number < KNOWN else self._choices)(position)
            move = rng.choices(choices, weights)[0]
            reader.add(position, move)
            position, number = rules.play(position, move), number + 1
        return tuple(reader.plies)

    def _choices(self, position: Any) -> tuple[list[Any], list[float]]:
        rules = self.rules
        if chances := rules.chances(position):
            return [roll for roll, _ in chances], [float(weight) for _, weight in chances]
        moves = list(rules.moves(position))
        Random(book(rules.name).key(position)).shuffle(moves)
        return moves, [(rank + 1) ** -PREFERENCE for rank in range(len(moves))]


def generated(lines: int) -> Iterator[tuple[str, Sequence[Ply], Player | None]]:
    """So many beginnings of games, of all kinds by turns, each with its game and the winner."""
    rng, players = Random(1), [Line(game) for game in GAMES]
    for number in range(lines):
        line = players[number % len(players)]
        winner = None if line.rules.has_draws and rng.random() < DRAWS else Player(rng.getrandbits(1))
        yield line.rules.name, line.play(rng), winner
