"""Ratings: Glicko-2 with every game as its own rating period, and weights that keep a rating from being bought.

A game counts less the more often the two have met lately, if they are related (one owner, one address), and if the
opponent is new. A result against an opponent whose own rating is uncertain is judged by the end of their range that
explains it best, so that beating unknowns proves little, and losing to one costs little.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from ludus.core.rules import Player
from ludus.engines.levels import RATINGS
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
SETTLED: Final = 90.0
"""The highest deviation of a settled rating. Twenty to thirty games among equals lead there; wins alone never do."""
IDLE_PERIOD: Final = 5 * 24 * 60 * 60 * 1000
"""In milliseconds. An active player's deviation settles near 62; half a year's absence raises it above `SETTLED`."""
BOT_RATINGS: Final = RATINGS
"""The bots' initial ratings."""
BOT_DEVIATION: Final = 80.0
"""Theirs are settled from the start: others are measured by them."""
LISTED_OPPONENTS: Final = 5
"""How many different settled opponents a rating on the leaderboard needs."""
MAX_CHANGE: Final = 100.0
"""Points that one game can change."""
DOUBT: Final = 1.0
"""How far an uncertain opponent's rating is stretched: this many times what its deviation exceeds `SETTLED` by.

With 2, newcomers would learn too little of each other: the best would still be 250 points short after 60 games.
"""
EXPERIENCED: Final = 10
"""The number of an opponent's games from which on they count in full."""
RELATED_WEIGHT: Final = 0.1
"""Of games between agents of one owner or address."""


class Meeting(NamedTuple):
    """What is known of a player's opponent besides their rating."""

    earlier: float = 0.0
    """How many games they have played against each other lately."""
    are_related: bool = False
    is_bot: bool = False
    """The opponent is a house bot, which can't be bribed."""
    is_new: bool = False
    """The opponent is not among those that the player's rating counts as different ones."""

    @property
    def weight(self) -> float:
        if self.is_bot:
            return 1.0
        return (RELATED_WEIGHT if self.are_related else 1.0) / (1 + self.earlier)


STRANGERS: Final = Meeting()


def first(player: str) -> float:
    """A player's initial rating; bots have keys like `bot/easy`."""
    return BOT_RATINGS.get(_level(player), START[0])


def fresh(player: str, game: str, now: int) -> Rating:
    rating, deviation, volatility = first(player), START[1], START[2]
    opponents = 0
    if _level(player) in BOT_RATINGS:
        deviation, opponents = BOT_DEVIATION, LISTED_OPPONENTS
    return Rating(player, game, rating, deviation, volatility, 0, 0, 0, now, opponents)


def _level(player: str) -> str:
    """Of a bot; empty for others."""
    kind, _, level = player.rpartition("/")
    return level if kind in ("bot", "test-bot") else ""


def is_provisional(rating: Rating) -> bool:
    """Whether the deviation is still, or again, high."""
    return rating.deviation > SETTLED


def after(
    first: Rating,
    second: Rating,
    winner: Player | None,
    now: int,
    meetings: tuple[Meeting, Meeting] = (STRANGERS, STRANGERS),
) -> tuple[Rating, Rating]:
    """Both players' ratings after a game; without a winner it is a draw. `meetings` are as each of them sees it."""
    first, second = aged(first, now), aged(second, now)
    score = 0.5 if winner is None else float(winner == Player.FIRST)
    return (
        _played(first, second, score, now, meetings[0]),
        _played(second, first, 1 - score, now, meetings[1]),
    )


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
    """The player's rating, deviation and volatility after a period with these opponents and scores: plain Glicko-2."""
    results = [Result(_strength(opponent), score) for opponent, score in games]
    return _with(own, glicko.rated(_strength(own), results))


def judged(opponent: Rating, score: float) -> Strength:
    """What a score against an opponent is judged by: a settled one's rating, else the end of the range that fits."""
    doubt = DOUBT * max(0.0, opponent.deviation - SETTLED)
    return _strength(opponent)._replace(rating=opponent.rating + (1 - 2 * score) * doubt)


def experience(opponent: Rating) -> float:
    """The weight of a game against an opponent with this many games."""
    return min(1.0, (opponent.games + 1) / EXPERIENCED)


def _strength(rating: Rating) -> Strength:
    return Strength(rating.rating, rating.deviation, rating.volatility)


def _with(rating: Rating, strength: Strength) -> Rating:
    return rating._replace(**strength._asdict())


def _played(own: Rating, other: Rating, score: float, now: int, meeting: Meeting) -> Rating:
    weight = meeting.weight * (1.0 if meeting.is_bot else experience(other))
    result = glicko.limited(_strength(own), Result(judged(other, score), score, weight), MAX_CHANGE)
    is_counted = meeting.is_new and not meeting.are_related and not is_provisional(other)
    return _bounded(_with(own, glicko.rated(_strength(own), [result])))._replace(
        games=own.games + 1,
        wins=own.wins + (score == 1),
        draws=own.draws + (score == 0.5),
        updated_at=now,
        opponents=own.opponents + is_counted,
    )


def _bounded(rating: Rating) -> Rating:
    return rating._replace(
        rating=min(max(rating.rating, MIN_RATING), MAX_RATING),
        deviation=min(rating.deviation, MAX_DEVIATION),
        volatility=min(rating.volatility, MAX_VOLATILITY),
    )
