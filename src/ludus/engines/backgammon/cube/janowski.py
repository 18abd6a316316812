"""Cubeful values by Janowski's interpolation between a dead cube and a live one.

With a dead cube no one doubles, and the value is linear in the winning chance. With a live one every double comes
exactly at the cash point, so the value is linear between the points where a side doubles: a `Curve`. Real cubes are
in between: `life` is the share of the live value. All functions work on arrays with an entry for each position. Values
are what a `Score` makes of points: points for money, winning chances in a match.
"""

from __future__ import annotations

from enum import Enum
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

Curve = list[tuple[Array, Array]]
"""Winning chances and the values there, both rising; the value is linear in between."""

LIVE: Final = 1.0
ROLL_SPREAD: Final = 0.2
"""In a median position, a roll moves an even winning chance by a quarter of this, and other chances by less."""


class Owner(Enum):
    """The owner of the cube, as seen by the player whose values are computed."""

    OWN = "own"
    CENTRED = "centred"
    OTHER = "other"

    @property
    def flipped(self) -> Owner:
        return FLIPPED[self]


FLIPPED: Final = {Owner.OWN: Owner.OTHER, Owner.OTHER: Owner.OWN, Owner.CENTRED: Owner.CENTRED}


class Score(Protocol):
    """What points are worth to a player, and which cubes are useful."""

    @property
    def flipped(self) -> Score:
        """The other player's score."""
        ...

    def is_endless(self, value: int) -> bool:
        """Whether a cube of this value can still be turned so often that the limit makes no difference."""
        ...

    def complement(self, worth: Array) -> Array:
        """The other player's worth if this is the player's."""
        ...

    def worth(self, points: int) -> float:
        """What winning these points is worth, or losing them if negative."""
        ...

    def can_double(self, value: int) -> bool:
        """Whether the player may turn a cube of this value."""
        ...

    def has_gammons(self, owner: Owner) -> bool:
        """Whether gammons count: not with a centred cube under the Jacoby rule."""
        ...


class Ends(NamedTuple):
    """The average values of the player's wins and losses, if the cube is not turned again."""

    win: Array
    loss: Array

    def at(self, win: Array) -> Array:
        """The value at a winning chance."""
        return self.loss + (self.win - self.loss) * win


class Rates(NamedTuple):
    """Shares of the wins that are gammons and backgammons, then of the losses; gammons include backgammons."""

    gammon: Array
    backgammon: Array
    lost_gammon: Array
    lost_backgammon: Array


def rates(chances: Array) -> Rates:
    """The rates from rows of chances: win, gammon, backgammon, lost gammon, lost backgammon."""
    win, loss = chances[:, 0], 1 - chances[:, 0]
    shares = [_ratio(chances[:, k], win if k < 3 else loss) for k in range(1, 5)]
    return Rates(*(np.clip(share, 0.0, 1.0) for share in shares))


def ends(score: Score, rates: Rates, value: int, owner: Owner) -> Ends:
    if not score.has_gammons(owner):
        same = np.ones_like(rates.gammon)
        return Ends(score.worth(value) * same, score.worth(-value) * same)
    return Ends(
        _average(score, value, rates.gammon, rates.backgammon),
        _average(score, -value, rates.lost_gammon, rates.lost_backgammon),
    )


def _average(score: Score, points: int, gammon: Array, backgammon: Array) -> Array:
    single, double, triple = score.worth(points), score.worth(2 * points), score.worth(3 * points)
    return (1 - gammon) * single + (gammon - backgammon) * double + backgammon * triple


def cubeful(score: Score, rates: Rates, win: Array, value: int, owner: Owner, life: Array) -> Array:
    """The value to the player on roll who has not doubled, at these winning chances.

    Where the other side is free to double, it does so after the player's roll: that moves the chances up or down.
    """
    undoubled = _Undoubled(ends(score, rates, value, owner), live_curve(score, rates, value, owner), life)
    if not is_free(score, value, owner):
        return undoubled.at(win)
    taken, drop = ends(score, rates, 2 * value, Owner.OWN), score.worth(-value)
    spread = ROLL_SPREAD * win * (1 - win)
    later = [np.minimum(undoubled.at(then), np.maximum(taken.at(then), drop)) for then in (win - spread, win + spread)]
    return (later[0] + later[1]) / 2


class _Undoubled(NamedTuple):
    """Values with a cube that stays where it is for now."""

    ends: Ends
    live: Curve
    life: Array

    def at(self, win: Array) -> Array:
        dead = self.ends.at(win)
        return dead + self.life * (at(self.live, win) - dead)


def is_free(score: Score, value: int, owner: Owner) -> bool:
    """Whether the other side loses nothing by a double, and so doubles next turn: a loss costs it the match anyway."""
    can_double = owner is not Owner.OWN and score.flipped.can_double(value)
    return can_double and score.worth(value) == score.worth(2 * value)


def live_curve(score: Score, rates: Rates, value: int, owner: Owner, later: float = LIVE) -> Curve:
    """Values with a live cube; `later` is the life of the cubes that are turned after this one.

    No one cashes when playing on is worth more, so a point where a side could double only ever helps that side.
    """
    win, loss = ends(score, rates, value, owner)
    low, high = (np.zeros_like(win), loss), (np.ones_like(win), win)
    take, cash = [], []
    if owner is not Owner.OWN and score.flipped.can_double(value):
        take = [take_point(score, rates, value, later)]
    if owner is not Owner.OTHER and score.can_double(value):
        cash = [cash_point(score, rates, value, later)]
    drop, pass_ = score.worth(-value), score.worth(value)
    dropped = [(chance, np.minimum(drop, at([low, high], chance))) for chance in take]
    cashed = [(chance, np.maximum(pass_, at([low, high], chance))) for chance in cash]
    others = [(chance, np.minimum(drop, at([low, *cashed, high], chance))) for chance in take]
    own = [(chance, np.maximum(pass_, at([low, *dropped, high], chance))) for chance in cash]
    return [low, *others, *own, high]


def take_point(score: Score, rates: Rates, value: int, later: float = LIVE) -> Array:
    """The winning chance from which the player takes a double of a cube of this value."""
    if score.is_endless(value):
        win, loss = _money(score, rates)
        return _chance((loss - 0.5) / (win + loss + 0.5 * later))
    return where(_later_curve(score, rates, 2 * value, Owner.OWN, later), score.worth(-value))


def cash_point(score: Score, rates: Rates, value: int, later: float = LIVE) -> Array:
    """The winning chance from which the other player drops a double."""
    if score.is_endless(value):
        win, loss = _money(score, rates)
        return _chance((loss + 0.5 + 0.5 * later) / (win + loss + 0.5 * later))
    return where(_later_curve(score, rates, 2 * value, Owner.OTHER, later), score.worth(value))


def _money(score: Score, rates: Rates) -> tuple[Array, Array]:
    """Janowski's W and L: points won in a win and lost in a loss, once the cube is turned."""
    win, loss = ends(score, rates, 1, Owner.OWN)
    return win, -loss


def _later_curve(score: Score, rates: Rates, value: int, owner: Owner, life: float) -> Curve:
    found = ends(score, rates, value, owner)
    curve = live_curve(score, rates, value, owner, life)
    return [(chance, life * live + (1 - life) * found.at(chance)) for chance, live in curve]


def at(curve: Curve, chance: Array) -> Array:
    """The value at a winning chance."""
    value = curve[-1][1]
    for (low, below), (high, above) in reversed(list(pairwise(curve))):
        value = np.where(chance <= high, below + (above - below) * _ratio(chance - low, high - low), value)
    return value


def where(curve: Curve, value: float) -> Array:
    """The winning chance with this value; 0 or 1 if all values are higher or lower."""
    chance = np.ones_like(curve[0][0])
    for (low, below), (high, above) in reversed(list(pairwise(curve))):
        chance = np.where(value <= above, low + (high - low) * _chance(_ratio(value - below, above - below)), chance)
    return chance


def _chance(number: Array) -> Array:
    return np.clip(number, 0.0, 1.0)


def _ratio(part: Array, whole: Array) -> Array:
    """0 where the whole is nothing."""
    return np.divide(part, whole, out=np.zeros_like(part + whole), where=np.abs(whole) > 1e-12)
