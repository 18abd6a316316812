"""Splits a perft count into parts, so that a long one can show its progress."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from ludus.core.rules import Rules, Turn

P = TypeVar("P")
M = TypeVar("M")


class Part(NamedTuple, Generic[P]):
    """The lines through one position: the weight of each, and the moves still to be made."""

    weight: int
    position: P
    depth: int


def parts(rules: Rules[P, M], position: P, depth: int, *, weighted: bool = False, at_least: int = 100) -> list[Part[P]]:
    """Parts that add up to `rules.perft` of a position."""
    cut = [Part(1, position, depth)]
    while len(cut) < at_least and any(part.depth for part in cut):
        cut = [after for part in cut for after in (_after(rules, part, weighted) if part.depth else [part])]
    return cut


def _after(rules: Rules[P, M], part: Part[P], weighted: bool) -> Iterator[Part[P]]:
    position = part.position
    if rules.turn(position) is Turn.DICE:
        for roll, weight in rules.chances(position):
            yield Part(part.weight * (weight if weighted else 1), rules.play(position, roll), part.depth)
    else:
        for move in rules.moves(position):
            yield Part(part.weight, rules.play(position, move), part.depth - 1)
