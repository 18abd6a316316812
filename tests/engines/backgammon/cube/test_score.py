from __future__ import annotations

import numpy as np
import pytest

from ludus.engines.backgammon.cube.janowski import Array, Owner, Rates, Score, cubeful
from ludus.engines.backgammon.cube.life import TURNED_LOSS
from ludus.engines.backgammon.cube.met import MatchScore, table
from ludus.engines.backgammon.cube.score import CubeView, MoneyScore

WIN = np.linspace(0.0, 1.0, 101)
LIFE = np.full_like(WIN, 0.7)
GAMMONS = Rates(*(np.full_like(WIN, share) for share in (0.3, 0.01, 0.2, 0.01)))
SCORES = {
    "money": MoneyScore(),
    "5 away, 5 away": MatchScore(table(), 5, 5),
    "7 away, 3 away": MatchScore(table(), 7, 3),
}


def values(score: Score, owner: Owner, value: int = 1) -> Array:
    return CubeView(value, owner, score).cubeful(GAMMONS, WIN, LIFE)


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_the_owner_of_the_cube_is_never_worse_off(score: Score) -> None:
    own, centred, other = (values(score, owner) for owner in (Owner.OWN, Owner.CENTRED, Owner.OTHER))
    assert (own >= centred).all() and (centred >= other).all()
    assert (own > other).any()


@pytest.mark.parametrize("score", SCORES.values(), ids=SCORES)
def test_a_turned_cube_is_less_live_at_even_chances(score: Score) -> None:
    found = values(score, Owner.OTHER, 2)[50]
    as_live, less_live = (cubeful(score, GAMMONS, WIN, 2, Owner.OTHER, LIFE - loss)[50] for loss in (0.0, TURNED_LOSS))
    assert as_live < found == less_live


@pytest.mark.parametrize("owner", [Owner.OWN, Owner.OTHER])
def test_the_jacoby_rule_changes_nothing_once_the_cube_is_turned(owner: Owner) -> None:
    assert (values(MoneyScore(has_jacoby=True), owner, 2) == values(MoneyScore(), owner, 2)).all()
