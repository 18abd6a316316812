"""Knock-out: the loser of a meeting is out, and the best two can meet in the final only."""

from __future__ import annotations

from ludus.tournaments.records import Pairing, Result, Rounds, Standing
from ludus.tournaments.records import standings as by_score


def bracket(entrants: int) -> list[int]:
    """The first round's places by seed; seeds from `entrants` on are empty, and meeting one is a bye."""
    places = [0]
    while len(places) < entrants:
        size = 2 * len(places)
        places = [place for seed in places for place in (seed, size - 1 - seed)]
    return places


def next_round(entrants: int, rounds: Rounds) -> list[Pairing]:
    """The next pairings, if no one has won yet. Neighbours in the bracket meet; the better seed alternates sides."""
    places = bracket(entrants) if not rounds else [winner(result) for result in rounds[-1]]
    if len(places) < 2:
        return []
    pairs = zip(places[::2], places[1::2], strict=True)
    return [_pairing(min(pair), max(pair), entrants, len(rounds)) for pair in pairs]


def winner(result: Result) -> int:
    """The seed that advances; the better one if both are level, or if neither turned up."""
    if result.second is None:
        return result.first
    level = result.is_double_forfeit or result.score == 0.5
    if level:
        return min(result.first, result.second)
    return result.first if result.score > 0.5 else result.second


def standings(entrants: int, rounds: Rounds) -> list[Standing]:
    """The standings: by the round reached, then by score and seed."""
    reached = dict.fromkeys(range(entrants), 0)
    for number, played in enumerate(rounds, 1):
        for result in played:
            reached[winner(result)] = number
    return sorted(by_score(entrants, rounds), key=lambda row: -reached[row.seed])


def _pairing(better: int, worse: int, entrants: int, number: int) -> Pairing:
    if worse >= entrants:
        return Pairing(better, None)
    return Pairing(worse, better) if number % 2 else Pairing(better, worse)
