"""Exact values by plain recursion over the rules, for the player to move; shares nothing with the search."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from ludus import GAMES

CHECKERS, BACKGAMMON = GAMES["checkers"], GAMES["backgammon"]


@cache
def forced_result(position: Any, depth: int) -> int | None:
    """What checkers leads to within so many moves: 1, -1, or None if that is open."""
    moves = CHECKERS.moves(position)
    if not moves:
        return -1
    if depth == 0:
        return None
    replies = [forced_result(CHECKERS.play(position, move), depth - 1) for move in moves]
    if -1 in replies:
        return 1
    return -1 if all(reply == 1 for reply in replies) else None


@cache
def expectation(position: Any) -> Fraction:
    """Of a backgammon game played out perfectly by both sides, in wins; the dice may be rolled or not."""
    if BACKGAMMON.outcome(position):
        return Fraction(-1)
    if position.dice:
        return max(-expectation(BACKGAMMON.play(position, play)) for play in BACKGAMMON.moves(position))
    rolls = BACKGAMMON.chances(position)
    total = sum(weight * expectation(BACKGAMMON.play(position, roll)) for roll, weight in rolls)
    return Fraction(total) / sum(weight for _, weight in rolls)
