"""A player for any game: it knows the rules and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from ludus.core.game import Game
from ludus.core.rules import Player, Rules, Turn
from ludus.engines.engine import Limit, roll

MAX_MOVES: Final = 300
"""The most moves of a random game; a longer one counts as a draw."""


@dataclass(frozen=True)
class RolloutPlayer:
    """Plays each legal move out at random and takes the one that ends best on average: flat Monte Carlo.

    `limit.nodes` bounds the number of random games.
    """

    games: int
    """Random games for each legal move."""

    def choose(self, rules: Rules[Any, Any], position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        moves, player = rules.moves(position), rules.turn(position).player
        assert player is not None
        games = self.games if limit.nodes is None else max(1, min(self.games, limit.nodes // len(moves)))
        afters = [rules.play(position, move) for move in moves]
        values = [sum(_rollout(rules, after, player, rng) for _ in range(games)) for after in afters]
        return moves[values.index(max(values))]


def _rollout(rules: Rules[Any, Any], position: Any, player: Player, rng: Random) -> int:
    """The points that `player` wins in a random game from here."""
    game = Game(rules, start=position)
    while game.outcome is None and game.length < MAX_MOVES:
        is_roll = game.turn is Turn.DICE
        game.play(roll(rules, game.position, rng) if is_roll else rng.choice(rules.moves(game.position)))
    if game.outcome is None or game.outcome.winner is None:
        return 0
    return game.outcome.points if game.outcome.winner is player else -game.outcome.points
