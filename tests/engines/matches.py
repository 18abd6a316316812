"""Games between engines, the same with the same seed."""

from __future__ import annotations

from random import Random
from typing import Any

from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines.engine import OWN_LIMIT, Engine, roll
from ludus.games import GAMES


def game_between(name: str, first: Engine, second: Engine, seed: int) -> Game[Any, Any]:
    """A whole game; it refuses any illegal move."""
    game, rng = Game(GAMES[name]), Random(seed)
    while (turn := game.turn) is not Turn.OVER:
        engine = first if turn is Turn.FIRST else second
        move = roll(game.rules, game.position, rng) if turn is Turn.DICE else None
        game.play(move or engine.choose(game.rules, game.position, OWN_LIMIT, rng))
    return game


def wins(name: str, strong: Engine, weak: Engine, pairs: int) -> int:
    """How many games the first engine wins, each pair played with both sides."""
    won = 0
    for seed in range(pairs):
        for player in Player:
            seats = (strong, weak) if player is Player.FIRST else (weak, strong)
            outcome = game_between(name, *seats, seed).outcome
            won += outcome is not None and outcome.winner is player
    return won
