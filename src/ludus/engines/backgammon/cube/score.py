"""The cube as one player sees it: its value, its owner, and what points are worth."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from ludus.core.rules import Player
from ludus.engines.backgammon.cube.janowski import Array, Owner, Rates, Score, cubeful, is_free
from ludus.engines.backgammon.cube.life import TURNED_LOSS
from ludus.engines.backgammon.cube.met import MatchScore, table
from ludus.games.backgammon.position import Match, Position
from ludus.games.backgammon.rules import HIGHEST_CUBE

ENDLESS: Final = HIGHEST_CUBE // 64
"""The highest cube for money with six doublings to go; each doubling is worth about a quarter of the one before."""


class MoneyScore(NamedTuple):
    """A `Score` in points."""

    has_cube: bool = True
    has_jacoby: bool = False

    @property
    def flipped(self) -> MoneyScore:
        return self

    def is_endless(self, value: int) -> bool:
        return value <= ENDLESS

    def complement(self, worth: Array) -> Array:
        return -worth

    def worth(self, points: int) -> float:
        return float(points)

    def can_double(self, value: int) -> bool:
        return self.has_cube and value < HIGHEST_CUBE

    def has_gammons(self, owner: Owner) -> bool:
        return not (self.has_jacoby and owner is Owner.CENTRED)


class CubeView(NamedTuple):
    """The cube as the player on roll sees it."""

    value: int
    owner: Owner
    score: Score
    has_beavers: bool = False

    @property
    def flipped(self) -> CubeView:
        return self._replace(owner=self.owner.flipped, score=self.score.flipped)

    @property
    def doubled(self) -> CubeView:
        """The view after a double that is taken."""
        return self._replace(value=2 * self.value, owner=Owner.OTHER)

    @property
    def can_double(self) -> bool:
        return self.owner is not Owner.OTHER and self.score.can_double(self.value)

    @property
    def is_free(self) -> bool:
        """Whether the player loses nothing by a double, since a loss costs the match anyway."""
        return is_free(self.score.flipped, self.value, self.owner.flipped)

    @property
    def has_table(self) -> bool:
        """Whether the bear-off tables have equities, before and after a double; those with a cube assume no limit."""
        is_dead = isinstance(self.score, MoneyScore) and not self.score.can_double(self.value)
        return is_dead or self.score.is_endless(2 * self.value)

    def equity(self, worth: Array) -> Array:
        """Normalized: winning the cube's value is 1, losing it is -1."""
        high, low = self.score.worth(self.value), self.score.worth(-self.value)
        return (2 * worth - high - low) / (high - low)

    def cubeful(self, rates: Rates, win: Array, life: Array) -> Array:
        """The value to the player, who does not double now; `life` is what a centred cube would have.

        A turned cube is less live, but one's own is never worth less than a centred one, and the opponent's never more.
        """
        if self.owner is Owner.CENTRED:
            return cubeful(self.score, rates, win, self.value, self.owner, life)
        centred = cubeful(_with_gammons(self.score), rates, win, self.value, Owner.CENTRED, life)
        turned = cubeful(self.score, rates, win, self.value, self.owner, life - TURNED_LOSS)
        return np.maximum(turned, centred) if self.owner is Owner.OWN else np.minimum(turned, centred)

    def worths(self) -> Array:
        """What each of the six outcomes is worth if the cube stays: wins of one to three times its value, losses."""
        kinds = (1, 2, 3) if self.score.has_gammons(self.owner) else (1, 1, 1)
        points = [kind * self.value for kind in kinds]
        return np.array([self.score.worth(sign * each) for sign in (1, -1) for each in points])

    def weights(self) -> Array:
        """The same, normalized."""
        return self.equity(self.worths())


def _with_gammons(score: Score) -> Score:
    """The score without the Jacoby rule, which no longer applies once the cube is turned."""
    return score._replace(has_jacoby=False) if isinstance(score, MoneyScore) else score


def cube_view(position: Position) -> CubeView:
    """The cube as the player on roll sees it; before the opening roll, as white does."""
    cube, match = position.cube, position.match
    mover = position.mover or Player.FIRST
    owner = Owner.CENTRED
    if cube is not None and cube.owner is not None:
        owner = Owner.OWN if cube.owner is mover else Owner.OTHER
    score = _money_score(position) if match is None else match_score(match, mover, has_cube=cube is not None)
    has_beavers = cube is not None and cube.has_beavers and 2 * cube.value < HIGHEST_CUBE
    return CubeView(1 if cube is None else cube.value, owner, score, has_beavers)


def _money_score(position: Position) -> MoneyScore:
    cube = position.cube
    return MoneyScore(cube is not None, cube is not None and cube.has_jacoby)


def match_score(match: Match, player: Player, *, has_cube: bool = True) -> MatchScore:
    own, other = match.away(player), match.away(player.other)
    is_crawford = has_cube and match.is_crawford
    is_post_crawford = has_cube and not is_crawford and min(own, other) == 1
    return MatchScore(table(has_cube=has_cube), own, other, is_crawford, is_post_crawford, has_cube)
