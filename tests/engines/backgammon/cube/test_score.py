from __future__ import annotations

import numpy as np
import pytest

from ludus.engines.backgammon.cube.janowski import Array, Owner, Rates, Score, cubeful, take_point
from ludus.engines.backgammon.cube.life import TURNED_LOSS
from ludus.engines.backgammon.cube.met import MatchScore, table
from ludus.engines.backgammon.cube.score import CubeView, MoneyScore
from ludus.games.backgammon.rules import HIGHEST_CUBE

WIN = np.linspace(0.0, 1.0, 101)
LIFE = np.full_like(WIN, 0.7)
GAMMONS = Rates(*(np.full_like(WIN, share) for share in (0.3, 0.01, 0.2, 0.01)))
NO_GAMMONS = Rates(*(np.zeros(1) for _ in range(4)))
SCORES: dict[str, Score] = {
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


def test_a_double_is_free_where_a_loss_costs_the_match_anyway() -> None:
    leader, trailer = MatchScore(table(), 1, 4, is_post_crawford=True), MatchScore(table(), 4, 1, is_post_crawford=True)
    assert CubeView(1, Owner.CENTRED, trailer).is_free and CubeView(2, Owner.OWN, trailer).is_free
    assert not CubeView(4, Owner.OWN, trailer).is_free, "the cube is of no more use"
    assert not CubeView(2, Owner.OTHER, trailer).is_free, "the cube is the leader's"
    others = [leader, *SCORES.values()]
    assert not any(CubeView(1, Owner.CENTRED, score).is_free for score in others)


def test_the_highest_cube_is_dead_for_money() -> None:
    dead, losses = GAMMONS.gammon + GAMMONS.backgammon, GAMMONS.lost_gammon + GAMMONS.lost_backgammon
    cubeless = WIN * (1 + dead) - (1 - WIN) * (1 + losses)
    for owner in Owner:
        view = CubeView(HIGHEST_CUBE, owner, MoneyScore())
        assert not view.can_double
        assert view.equity(view.cubeful(GAMMONS, WIN, LIFE)) == pytest.approx(cubeless)


def test_before_the_last_double_a_take_needs_a_quarter_and_long_before_it_a_fifth() -> None:
    """With no gammons, by how often the cube can be turned again after the take: never, once, and so on."""
    point = [float(take_point(MoneyScore(), NO_GAMMONS, HIGHEST_CUBE >> doubles)[0]) for doubles in range(1, 12)]
    assert point[:3] == pytest.approx([1 / 4, 3 / 16, 13 / 64])
    assert point[5:] == pytest.approx([1 / 5] * 6, abs=1e-4)


@pytest.mark.parametrize("owner", [Owner.OWN, Owner.OTHER])
def test_the_jacoby_rule_changes_nothing_once_the_cube_is_turned(owner: Owner) -> None:
    assert (values(MoneyScore(has_jacoby=True), owner, 2) == values(MoneyScore(), owner, 2)).all()
