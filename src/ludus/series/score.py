"""The result of a series and its error bars.

The two games of a pair share their dice, so they are not independent: all errors are computed over pairs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Final, NamedTuple

from ludus.core.rules import Player
from ludus.engines.estimate import DEVIATIONS, Estimate
from ludus.series.plan import Pair, Played

PRIOR: Final = (0.0, 1.0)
"""Pairs added to those played: two games won and two lost, as in the Agresti-Coull interval. Without them the interval
would be empty after a whitewash. In simulations with 5 to 500 pairs it covers the true share in 95 % of series."""


class Interval(NamedTuple):
    low: float
    high: float


class Count(NamedTuple):
    won: int
    drawn: int
    lost: int


class Score:
    """The first contender's result so far."""

    def __init__(self, pairs: Iterable[Pair] = ()) -> None:
        self._counts: Counter[tuple[Player, int | None, int]] = Counter()
        self._shares: list[float] = []
        self._points: list[float] = []
        self._adjusted: list[float] = []
        self._seen: set[tuple[object, ...]] = set()
        for pair in pairs:
            self.add(pair)

    def add(self, pair: Pair) -> None:
        for played in pair:
            self._counts[played.player_of(0), played.winner, played.outcome.points // played.outcome.stake] += 1
            self._seen.add(played.moves)
        self._shares.append(fmean(map(_share, pair)))
        self._points.append(fmean(map(_points, pair)))
        if (adjusted := [played.adjusted for played in pair if played.adjusted is not None]) and len(adjusted) == len(
            pair
        ):
            self._adjusted.append(fmean(adjusted))

    @property
    def games(self) -> int:
        return 2 * len(self._shares)

    @property
    def different_games(self) -> int:
        return len(self._seen)

    def count(self, players: Sequence[Player] = tuple(Player)) -> Count:
        """Games won, drawn and lost as any of these players."""
        winners: Counter[int | None] = Counter()
        for (player, winner, _), number in self._counts.items():
            winners[winner] += number if player in players else 0
        return Count(winners[0], winners[None], winners[1])

    def worth(self, points: int) -> tuple[int, int]:
        """How many games worth this many points, before any multiplication by a cube, were won and lost."""
        found = [0, 0]
        for (_, winner, worth), number in self._counts.items():
            if winner is not None and worth == points:
                found[winner] += number
        return found[0], found[1]

    @property
    def share(self) -> float:
        """Share of games won; a draw counts half."""
        return fmean(self._shares)

    @property
    def interval(self) -> Interval:
        """The 95 % confidence interval of the share."""
        shares = [*self._shares, *PRIOR]
        mean = fmean(shares)
        spread = DEVIATIONS * math.sqrt(fmean((share - mean) ** 2 for share in shares) / len(shares))
        return Interval(max(0.0, min(self.share, mean - spread)), min(1.0, max(self.share, mean + spread)))

    @property
    def points(self) -> Estimate:
        """Points won minus points lost, per game."""
        return _estimate(self._points)

    @property
    def share_estimate(self) -> Estimate:
        """The share of games won, with its standard error."""
        return _estimate(self._shares)

    @property
    def adjusted(self) -> Estimate | None:
        """The points per game without the luck of the rolls or, in matches, the chance to win one beyond a half.

        None in games whose luck can't be computed.
        """
        return _estimate(self._adjusted) if self._adjusted else None


def elo(share: float) -> float:
    """The Elo difference that corresponds to a share of games; infinite if all were won or lost."""
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def _estimate(values: Sequence[float]) -> Estimate:
    return Estimate(fmean(values), stdev(values) / math.sqrt(len(values)) if len(values) > 1 else None)


def _share(played: Played) -> float:
    return 0.5 if played.winner is None else float(played.winner == 0)


def _points(played: Played) -> int:
    if played.winner is None:
        return 0
    return played.outcome.points if played.winner == 0 else -played.outcome.points
