from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludus.core.kernel import compiled
from ludus.engines.backgammon.network import features
from ludus.engines.backgammon.network.features import Feature
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import VARIANTS, men

Positions = Callable[[int, int], tuple[tuple[int, int, int, int], ...]]
SIX = (1 << 48) - 1


def words(*planes: int) -> list[int]:
    out = [0] * features.WORDS
    features.write_features(out, 0, 1, *planes)
    return out


def feature(planes: tuple[int, ...], which: Feature, side: int = 0) -> int:
    return words(*planes)[8 + 2 * side + which // 6] >> 8 * (which % 6) & 255


def place(own: dict[int, int], other: dict[int, int]) -> tuple[int, ...]:
    """The rest of the men are off."""
    return tuple(plane for side in (own, other) for plane in men({**side, 0: 15 - sum(side.values())}))


def test_compiled_and_plain_features_agree(positions: Positions) -> None:
    quick, out = compiled(features).write_features, np.zeros(features.WORDS, np.int64)
    for planes in positions(1500, 1):
        quick(out, 0, 1, *planes)
        assert out.tolist() == words(*planes)


def test_the_other_sides_features_are_mirrored(positions: Positions) -> None:
    for a, b, c, d in positions(500, 2):
        mine, theirs = words(a, b, c, d), words(c, d, a, b)
        assert mine[:4] + mine[4:8] == theirs[4:8] + theirs[:4]
        assert [mine[8] & SIX, *mine[9:]] == [*theirs[10:], theirs[8] & SIX, theirs[9]]


def test_one_kind_is_set_and_every_feature_fits_its_byte(positions: Positions) -> None:
    for planes in positions(1500, 3):
        assert (words(*planes)[8] >> features.KIND_BIT).bit_count() == 1
        assert all(0 <= word < 1 << 60 for word in words(*planes))


def test_escapes_are_rolls_that_a_man_can_play_in_full(positions: Positions) -> None:
    for position in positions(100, 4):
        free = kernel.POINTS & ~kernel.blocked_by(*position[2:])
        planes = features.escapes(free)
        for p in range(21):
            rolls = [(i, j) for i in range(1, 7) for j in range(1, 7)]
            good = [r for r in rolls if free >> p + sum(r) & 1 and (free >> p + r[0] & 1 or free >> p + r[1] & 1)]
            assert features.total(*planes, 1 << p) == len(good)


def test_pips_equal_those_of_the_position() -> None:
    start = VARIANTS["standard"]
    assert features.pips(*start.white) == start.white.pips == 167
    assert feature((*start.white, *start.black), Feature.PIPS) == 167


def test_a_blot_six_away_is_hit_by_seventeen_rolls() -> None:
    """Eleven with a six, five combinations of two dice, and 3-3 and 2-2 in several steps."""
    planes = place({24: 1}, {7: 1})
    assert feature(planes, Feature.HITS) == 17
    assert feature(planes, Feature.HIT_PIPS) == 17 * (25 - 7) >> 3


def test_a_man_on_the_bar_enters_first() -> None:
    assert feature(place({25: 2, 12: 1}, {19: 2, 20: 2, 21: 2, 22: 2, 23: 2, 24: 2, 10: 1}), Feature.HITS) == 0


def test_nothing_escapes_a_full_prime() -> None:
    planes = place({24: 1}, {7: 2, 6: 2, 5: 2, 4: 2, 3: 2, 2: 2})
    assert feature(planes, Feature.ESCAPES) == 0
    assert feature(planes, Feature.PRIME, side=1) == 6


def test_races_and_bear_offs_are_recognized() -> None:
    assert features.kind(*place({6: 5}, {5: 3})) == features.BEAR_OFF
    assert features.kind(*place({12: 5}, {5: 3})) == features.RACE
    assert features.kind(*place({20: 1}, {6: 3})) < features.RACE


def test_kinds_of_contact_depend_on_men_far_back() -> None:
    one, two, three = {24: 1}, {24: 2}, {24: 3}
    kinds = {
        features.kind(*place(own | {13: 2}, other | {13: 2}))
        for own in (one, two, three)
        for other in (one, two, three)
    }
    assert kinds == set(range(9))
