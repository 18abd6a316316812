"""The state of a tournament: its entrants in order of strength, and the results of its rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

BYE: Final = 1.0
"""The score of a bye."""


class Result(NamedTuple):
    """One meeting of two entrants, given by their seeds; `second` is None for a bye."""

    first: int
    second: int | None
    score: float = BYE
    """The first entrant's score, 0 to 1. The other one has the rest, unless both lost."""
    is_double_forfeit: bool = False
    """Whether neither turned up: both score 0."""

    @property
    def other_score(self) -> float:
        return 0.0 if self.is_double_forfeit else 1.0 - self.score


class Pairing(NamedTuple):
    """Two entrants who meet next. The first one has the first move of a single game; `second` is None for a bye."""

    first: int
    second: int | None


class Standing(NamedTuple):
    seed: int
    score: float
    buchholz: float
    """The sum of the opponents' scores."""
    sonneborn_berger: float
    """The sum of the scores of opponents beaten, and half the scores of those drawn with."""
    wins: int


Rounds = Sequence[Sequence[Result]]


class Card(NamedTuple):
    """What one entrant has played, oldest first."""

    scores: list[float]
    opponents: list[int | None]
    """The opponents' seeds; None for a bye."""
    sides: list[int]
    """0 where the entrant had the first move, 1 where the other had it; byes are left out."""

    @property
    def score(self) -> float:
        return sum(self.scores)

    @property
    def byes(self) -> int:
        return self.opponents.count(None)

    @property
    def balance(self) -> int:
        """How many more games with the first move than without."""
        return self.sides.count(0) - self.sides.count(1)

    @property
    def wish(self) -> int:
        """Above zero if the first move is due, below zero if the other side is."""
        if self.balance or not self.sides:
            return -self.balance
        return 1 if self.sides[-1] else -1

    @property
    def is_due(self) -> int | None:
        """The side due in order to avoid a third game in a row with the other side, or a difference of three."""
        if self.balance >= 2 or self.sides[-2:] == [0, 0]:
            return 1
        if self.balance <= -2 or self.sides[-2:] == [1, 1]:
            return 0
        return None


def cards(entrants: int, rounds: Rounds) -> list[Card]:
    """All entrants' cards, by their seeds."""
    made = [Card([], [], []) for _ in range(entrants)]
    for result in (each for played in rounds for each in played):
        first = made[result.first]
        first.scores.append(0.0 if result.is_double_forfeit else result.score)
        first.opponents.append(result.second)
        if result.second is not None:
            second = made[result.second]
            second.scores.append(result.other_score)
            second.opponents.append(result.first)
            first.sides.append(0)
            second.sides.append(1)
    return made


def standings(entrants: int, rounds: Rounds) -> list[Standing]:
    """The standings, best first: by score, Buchholz, Sonneborn-Berger, wins, and then the seeds."""
    made = cards(entrants, rounds)
    rows = []
    for seed, card in enumerate(made):
        met = [
            (made[opponent].score, score)
            for opponent, score in zip(card.opponents, card.scores, strict=True)
            if opponent is not None
        ]
        rows.append(
            Standing(
                seed,
                card.score,
                sum(theirs for theirs, _ in met),
                sum(theirs * score for theirs, score in met),
                sum(score > 0.5 for _, score in met),
            )
        )
    return sorted(rows, key=lambda row: (-row.score, -row.buchholz, -row.sonneborn_berger, -row.wins, row.seed))
