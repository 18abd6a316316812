"""Ratings: Glicko-2, with every game as its own rating period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ludus.core.rules import Player
from ludus.service import glicko
from ludus.service.glicko import Result, Strength
from ludus.service.records import Rating

START: Final = (1500.0, 350.0, 0.06)
"""Rating, deviation and volatility of a new player."""
MAX_DEVIATION: Final = START[1]
"""A new player's deviation is the upper bound."""
MAX_VOLATILITY: Final = 0.1
"""Single-game periods drive the volatility up without bound: two equal players would go off the scale after 200,000."""
MIN_RATING, MAX_RATING = 100.0, 4000.0
"""Bounds of a rating; beyond them, winning chances are indistinguishable from 0 and 1."""
PROVISIONAL: Final = 110.0
IDLE_PERIOD: Final = 5 * 24 * 60 * 60 * 1000
"""In milliseconds. An active player's deviation settles near 62; a year's absence raises it above 110."""
BOT_RATINGS: Final[Mapping[str, float]] = MappingProxyType({"easy": 1300.0, "medium": 1500.0, "hard": 1700.0})
"""The bots' initial ratings."""


def first(player: str) -> float:
    """A player's initial rating; bots have keys like `bot/easy`."""
    kind, _, level = player.rpartition("/")
    return BOT_RATINGS.get(level, START[0]) if kind in ("bot", "test-bot") else START[0]


def fresh(player: str, game: str, now: int) -> Rating:
    return Rating(player, game, first(player), *START[1:], games=0, wins=0, draws=0, updated_at=now)


def is_provisional(rating: Rating) -> bool:
    """Whether the deviation is still, or again, high."""
    return rating.deviation > PROVISIONAL


def after(first: Rating, second: Rating, winner: Player | None, now: int) -> tuple[Rating, Rating]:
    """Both players' ratings after a game; without a winner it is a draw."""
    first, second = aged(first, now), aged(second, now)
    score = 0.5 if winner is None else float(winner == Player.FIRST)
    return _played(first, second, score, now), _played(second, first, 1 - score, now)


def aged(rating: Rating, now: int) -> Rating:
    """The rating with the deviation increased for the time since its last game."""
    periods = (now - rating.updated_at) // IDLE_PERIOD
    if periods <= 0:
        return rating
    for _ in range(periods):
        rating = _bounded(_with(rating, glicko.idle(_strength(rating))))
        if rating.deviation == MAX_DEVIATION:
            break
    return rating


def rated(own: Rating, games: Sequence[tuple[Rating, float]]) -> Rating:
    """The player's rating, deviation and volatility after a period with these opponents and scores."""
    results = [Result(_strength(opponent), score) for opponent, score in games]
    return _with(own, glicko.rated(_strength(own), results))


def _strength(rating: Rating) -> Strength:
    return Strength(rating.rating, rating.deviation, rating.volatility)


def _with(rating: Rating, strength: Strength) -> Rating:
    return rating._replace(**strength._asdict())


def _played(own: Rating, other: Rating, score: float, now: int) -> Rating:
    return _bounded(rated(own, [(other, score)]))._replace(
        games=own.games + 1, wins=own.wins + (score == 1), draws=own.draws + (score == 0.5), updated_at=now
    )


def _bounded(rating: Rating) -> Rating:
    return rating._replace(
        rating=min(max(rating.rating, MIN_RATING), MAX_RATING),
        deviation=min(rating.deviation, MAX_DEVIATION),
        volatility=min(rating.volatility, MAX_VOLATILITY),
    )
