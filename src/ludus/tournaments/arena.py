"""The arena: for a set time, every entrant who is free gets a next opponent, and the most points win.

A win is worth two points, a draw one. After two wins in a row an entrant is on fire: each further game counts double
until one is not won. There are no rounds. Of those who wait, the ones who have waited longest are paired first; then
what weighs more is worth any number of what weighs less: the opponent of the game just played, an opponent met more
often than others, the difference of points, and a side that is not due.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import networkx

from ludus.tournaments.records import Card, Pairing, Result, cards
from ludus.tournaments.sides import with_sides

WIN: Final = 2
DRAW: Final = 1
STREAK: Final = 2
"""This many wins in a row set an entrant on fire."""
WAIT: Final = 10**24
LAST: Final = 10**20
MEETING: Final = 10**15
POINTS: Final = 10**6
NEIGHBOURS: Final = 24
"""If many wait, only this many above and below are considered, or twice as many as anyone has met."""
NOBODY: Final = -1


class ArenaStanding(NamedTuple):
    seed: int
    points: int
    games: int
    wins: int
    is_on_fire: bool


def standings(entrants: int, games: Sequence[Result]) -> list[ArenaStanding]:
    """The standings, best first: by points, wins, fewer games, and then the seeds. Games are in order of their end."""
    rows = [_standing(seed, card) for seed, card in enumerate(cards(entrants, [games]))]
    return sorted(rows, key=lambda row: (-row.points, -row.wins, row.games, row.seed))


def _standing(seed: int, card: Card) -> ArenaStanding:
    points = streak = 0
    for score in card.scores:
        value = WIN if score > 0.5 else DRAW if score == 0.5 else 0
        points += value * (2 if streak >= STREAK else 1)
        streak = streak + 1 if score > 0.5 else 0
    wins = sum(score > 0.5 for score in card.scores)
    return ArenaStanding(seed, points, len(card.scores), wins, streak >= STREAK)


def pairings(
    entrants: int, games: Sequence[Result], waiting: Mapping[int, int], *, may_repeat: bool = True
) -> list[Pairing]:
    """Pairs as many waiting entrants as possible, best boards first; `waiting` has how long each has waited.

    Without `may_repeat`, two entrants who have just played each other wait for another opponent.
    """
    made = cards(entrants, [games])
    places = {row.seed: place for place, row in enumerate(standings(entrants, games))}
    points = {row.seed: row.points for row in standings(entrants, games)}
    order = sorted(waiting, key=places.__getitem__)
    graph = networkx.Graph()
    reach = max([NEIGHBOURS, *(2 * len(set(made[seed].opponents)) + 2 for seed in waiting)])
    for rank, one in enumerate(order):
        for two in order[rank + 1 : rank + 1 + reach]:
            have_just_met = _last(made[one]) == two and _last(made[two]) == one
            if may_repeat or not have_just_met:
                cost = _cost(made[one], made[two], two, abs(points[one] - points[two]), have_just_met)
                graph.add_edge(one, two, weight=-cost)
    if len(waiting) % 2:
        times = sorted(set(waiting.values()))
        for seed, time in waiting.items():
            graph.add_edge(seed, NOBODY, weight=-times.index(time) * WAIT)
    found = networkx.max_weight_matching(graph, maxcardinality=True)
    pairs = [pair for pair in found if NOBODY not in pair]
    pairs.sort(key=lambda pair: min(places[seed] for seed in pair))
    return [with_sides(pair, made, places, board) for board, pair in enumerate(pairs)]


def _last(card: Card) -> int | None:
    return card.opponents[-1] if card.opponents else None


def _cost(one: Card, two: Card, other: int, difference: int, have_just_met: bool) -> int:
    cost = LAST * have_just_met + one.opponents.count(other) * MEETING
    return cost + difference * difference * POINTS + (one.wish * two.wish > 0)
