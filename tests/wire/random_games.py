"""Positions of random games."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from ludus import Game, Turn
from ludus.core.rules import Rules

choices = st.lists(st.integers(0, 2**16), max_size=150)


def played(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> Game[Any, Any]:
    """A game in which each number picks a move."""
    game = Game(rules, variant)
    for number in chosen:
        if not (moves := game.legal_moves()):
            break
        game.play(moves[number % len(moves)])
    return game


def to_play(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> Any:
    """A position in which a player is to move, or the game is over."""
    game = played(rules, variant, chosen)
    if game.turn is Turn.DICE:
        rolls = game.legal_moves()
        game.play(rolls[sum(chosen) % len(rolls)])
    return game.position


def all_to_play(rules: Rules[Any, Any], variant: str, seed: int) -> list[Any]:
    """Every position of a whole game with a player to move; Hypothesis seldom plays that long."""
    rng, game = Random(seed), Game(rules, variant)
    while moves := game.legal_moves():
        game.play(rng.choice(moves))
    return [position for position in game.positions[:-1] if rules.turn(position).player is not None]
