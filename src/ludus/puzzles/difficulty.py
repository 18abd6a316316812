"""How difficult a puzzle is: the rating at which the levels would be expected to solve it as often as they do."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from random import Random
from typing import Any, Final

from ludus.core.rules import Rules
from ludus.engines.engine import OWN_LIMIT
from ludus.engines.levels import BOTS, LEVELS, RATINGS

ATTEMPTS: Final = 8
"""The attempts of each level at each move."""
LOWEST, HIGHEST = 400, 2400
STRONGEST: Final = LEVELS[-1]
"""The level that solves every puzzle, since mining doesn't find what it would not find."""


def rate(rules: Rules[Any, Any], decisions: Sequence[tuple[Any, Any]], rng: Random) -> int:
    """`decisions` are the positions in which the solver moves, with the right moves."""
    shares = {level: _share(rules, decisions, level, rng) for level in LEVELS if level != STRONGEST}
    return rating_of({**shares, STRONGEST: _smoothed(ATTEMPTS)})


def _share(rules: Rules[Any, Any], decisions: Sequence[tuple[Any, Any]], level: str, rng: Random) -> float:
    """The approximate share of a level's attempts that find all moves; without a choice there is nothing to find."""
    return prod(
        _smoothed(sum(BOTS[level].choose(rules, position, OWN_LIMIT, rng) == move for _ in range(ATTEMPTS)))
        for position, move in decisions
        if len(rules.moves(position)) > 1
    )


def _smoothed(successes: int) -> float:
    """Never 0 or 1: eight attempts prove neither."""
    return (successes + 0.5) / (ATTEMPTS + 1)


def rating_of(shares: dict[str, float]) -> int:
    """The rating at which the expected score of all levels together is the sum of their shares."""
    goal, low, high = sum(shares.values()), LOWEST, HIGHEST
    while high - low > 1:
        middle = (low + high) // 2
        expected = sum(1 / (1 + 10 ** ((middle - RATINGS[level]) / 400)) for level in shares)
        low, high = (middle, high) if expected > goal else (low, middle)
    return low
