"""Games to mine: played by levels that make mistakes, or recorded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any, Final, NamedTuple, Protocol

from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.engines.engine import OWN_LIMIT, roll
from ludus.engines.levels import BOTS
from ludus.games import GAMES
from ludus.puzzles.adapter import adapter

MOST_PLIES: Final = 300
"""The most plies of a game to mine, rolls included."""
UNLIMITED: Final = 1_000_000_000


class SourceGame(NamedTuple):
    """The positions of a game, in order, and where it comes from."""

    positions: Sequence[Any]
    source: str


class Source(Protocol):
    @property
    def number(self) -> int:
        """The number of games."""
        ...

    def game(self, number: int) -> SourceGame:
        """The game with this number, from 0."""
        ...


class SelfPlay(NamedTuple):
    """Games between two of the lower levels; the same seed gives the same games."""

    name: str
    seed: int

    @property
    def number(self) -> int:
        return UNLIMITED

    def game(self, number: int) -> SourceGame:
        own, rng = adapter(self.name), Random(f"{self.seed} {number}")
        levels = rng.choice(own.players), rng.choice(own.players)
        game = Game(compiled_rules(self.name), own.variants[number % len(own.variants)])
        random_moves = own.opening
        while game.turn is not Turn.OVER and game.length < MOST_PLIES:
            if game.turn is Turn.DICE:
                game.play(roll(game.rules, game.position, rng))
            elif random_moves:
                random_moves -= 1
                game.play(rng.choice(game.legal_moves()))
            else:
                level = levels[game.turn.value]
                game.play(BOTS[level].choose(game.rules, game.position, OWN_LIMIT, rng, game.positions))
        return SourceGame(
            game.positions, f"self-play of {levels[0]} and {levels[1]}, seed {self.seed}, game {number + 1}"
        )


class Recorded(NamedTuple):
    games: tuple[SourceGame, ...]

    @property
    def number(self) -> int:
        return len(self.games)

    def game(self, number: int) -> SourceGame:
        return self.games[number]


@cache
def compiled_rules(game: str) -> Any:
    """The compiled rules, made once because they hold scratch memory and caches."""
    return GAMES[game].compiled()
