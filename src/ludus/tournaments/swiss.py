"""The Swiss system: opponents with equal scores, none of them twice, and sides in turn.

The pairings of a round are the cheapest perfect matching of the entrants. What weighs more is worth any number of what
weighs less: a second bye, then a second meeting, then a third game in a row with the same side, then the difference of
scores, then a side that is not due, and last the distance from the fold (the best of the upper half of a score meets
the best of the lower half).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import ceil, log2
from typing import Final

import networkx

from ludus.tournaments.records import Card, Pairing, Rounds, cards, standings
from ludus.tournaments.sides import with_sides

SECOND_BYE: Final = 10**18
SECOND_MEETING: Final = 10**15
THIRD_IN_A_ROW: Final = 10**12
SCORE: Final = 10**8
SIDE: Final = 10**6
NEIGHBOURS: Final = 12
"""In large tournaments only this many entrants above and below are considered: a matching takes cubic time."""
BYE: Final = -1


def rounds_needed(entrants: int) -> int:
    """How many rounds it takes for there to be one winner, and for most of those near the top to have met."""
    return min(max(1, entrants - 1 + entrants % 2), ceil(log2(max(2, entrants))) + 2)


def next_round(entrants: int, rounds: Rounds, active: Collection[int] | None = None) -> list[Pairing]:
    """The pairings, best boards first; those who are not active are left out."""
    made = cards(entrants, rounds)
    order = [row.seed for row in standings(entrants, rounds) if active is None or row.seed in active]
    if len(order) < 2:
        return [Pairing(seed, None) for seed in order]
    ranks = {seed: rank for rank, seed in enumerate(order)}
    pairs = sorted(_matching(order, made), key=lambda pair: min(ranks[seed] for seed in pair if seed != BYE))
    return [
        Pairing(one, None) if two == BYE else with_sides((one, two), made, ranks, board)
        for board, (one, two) in enumerate(pairs)
    ]


def _matching(order: Sequence[int], made: Sequence[Card]) -> list[tuple[int, int]]:
    folds = _folds(order, made)
    graph = networkx.Graph()
    reach = max(NEIGHBOURS, 2 * max(len(card.opponents) for card in made) + 2)
    for rank, one in enumerate(order):
        for two in order[rank + 1 : rank + 1 + reach]:
            graph.add_edge(one, two, weight=-_cost(made[one], made[two], one, two, folds))
    if len(order) % 2:
        for rank, seed in enumerate(order):
            card = made[seed]
            below = len(order) - 1 - rank
            graph.add_edge(seed, BYE, weight=-(card.byes * SECOND_BYE + int(4 * card.score**2 * SCORE) + below))
    found = networkx.max_weight_matching(graph, maxcardinality=True)
    return [(two, one) if one == BYE else (one, two) for one, two in found]


def _cost(one: Card, two: Card, first: int, second: int, folds: dict[int, tuple[int, int]]) -> int:
    cost = one.opponents.count(second) * SECOND_MEETING
    if one.is_due is not None and one.is_due == two.is_due:
        cost += THIRD_IN_A_ROW
    cost += int(4 * (one.score - two.score) ** 2) * SCORE
    cost += SIDE * (one.wish * two.wish > 0)
    (here, half), (there, _) = folds[first], folds[second]
    return cost + (abs(abs(here - there) - half)) ** 2


def _folds(order: Sequence[int], made: Sequence[Card]) -> dict[int, tuple[int, int]]:
    """Each entrant's place among those with the same score, and half their number."""
    groups: dict[float, list[int]] = {}
    for seed in order:
        groups.setdefault(made[seed].score, []).append(seed)
    return {seed: (at, len(group) // 2) for group in groups.values() for at, seed in enumerate(group)}
