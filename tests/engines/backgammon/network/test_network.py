from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.core.rules import Player
from ludus.engines.backgammon.network import MalformedNetwork, Network
from ludus.engines.backgammon.network.network import NAMES, load
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import VARIANTS, Men, Position, men

Positions = Callable[[int, int], tuple[tuple[int, int, int, int], ...]]
NETWORK = Network.load()


@st.composite
def sides(draw: st.DrawFn) -> Men:
    """Fifteen men anywhere, off and on the bar too, at least one still on the board."""
    places = draw(st.lists(st.integers(0, 25), min_size=15, max_size=15).filter(any))
    return men({point: places.count(point) for point in set(places)})


@given(sides(), sides())
@settings(max_examples=400, deadline=None)
def test_chances_add_up_and_are_in_order_on_every_position(own: Men, other: Men) -> None:
    outcomes = NETWORK.outcomes(*own, *other)
    chances = NETWORK.chances(*own, *other)
    assert (outcomes >= 0).all()
    assert float(outcomes.sum()) == pytest.approx(1, abs=1e-5)
    assert 1 >= chances.win >= chances.win_gammon >= chances.win_backgammon >= 0
    assert 1 >= 1 - chances.win + 1e-5 >= chances.lose_gammon >= chances.lose_backgammon >= 0
    points = np.array([1, 2, 3, -1, -2, -3])
    assert chances.equity == pytest.approx(float(outcomes @ points), abs=1e-5)


@given(sides(), sides())
@settings(max_examples=200, deadline=None)
def test_nobody_loses_a_gammon_with_a_man_off(own: Men, other: Men) -> None:
    chances = NETWORK.chances(*own, *other)
    assert not own.on(0) or chances.lose_gammon == 0
    assert not other.on(0) or chances.win_gammon == 0


@given(sides(), sides())
@settings(max_examples=100, deadline=None)
def test_a_mirrored_position_gives_the_mirrored_value(one: Men, two: Men) -> None:
    white = Position(one, two, Player.FIRST)
    black = Position(two, one, Player.SECOND)
    assert NETWORK.chances(*white.own, *white.other) == NETWORK.chances(*black.own, *black.other)


def test_compiled_and_plain_agree(positions: Positions) -> None:
    plain = Network(NETWORK.weights, plain=True)
    for planes in positions(12, 5):
        assert plain.outcomes(*planes) == pytest.approx(NETWORK.outcomes(*planes), abs=1e-5)


def test_earlier_evaluations_change_nothing(positions: Positions) -> None:
    """Not by a single bit, although the accumulator is updated incrementally."""
    asked = positions(60, 6)
    for planes in (*asked, *reversed(asked)):
        assert NETWORK.outcomes(*planes).tolist() == Network(NETWORK.weights).outcomes(*planes).tolist()


def test_a_plays_equity_is_minus_the_opponents(positions: Positions) -> None:
    words: Any = np.zeros(kernel.MOST_PLAYS * kernel.WORDS, np.int64)
    for low, high, other_low, other_high in positions(30, 7):
        number = kernel.write_plays(words, 0, low, high, other_low, other_high, 6, 4)
        for value, play in zip(NETWORK.equities(words, number), words.reshape(-1, kernel.WORDS).tolist(), strict=False):
            after = play[2], play[3], play[0], play[1]
            assert value == pytest.approx(-NETWORK.chances(*after).equity, abs=1e-5)


def test_the_play_that_ends_the_game_is_worth_its_points() -> None:
    words: Any = np.zeros(kernel.MOST_PLAYS * kernel.WORDS, np.int64)
    number = kernel.write_plays(words, 0, *men({1: 2, 0: 13}), *men({13: 15}), 6, 5)
    assert NETWORK.equities(words, number).tolist() == [2]


def test_a_finished_game_is_worth_its_points() -> None:
    gone, far = men({0: 15}), men({13: 15})
    assert NETWORK.chances(*gone, *far) == (1, 1, 0, 0, 0)
    assert NETWORK.chances(*men({19: 15}), *gone).equity == -3
    assert NETWORK.chances(*men({1: 1, 0: 14}), *gone).equity == -1


def test_the_side_to_roll_first_is_slightly_ahead() -> None:
    start = VARIANTS["standard"]
    assert 0.03 < NETWORK.chances(*start.white, *start.black).equity < 0.12


def test_a_last_man_on_the_ace_point_wins() -> None:
    last = men({1: 1, 0: 14})
    assert NETWORK.chances(*last, *last).win > 0.995


def test_chances_of_short_races_are_nearly_exact() -> None:
    """Two men on the ace point leave with any roll; one on the six point with 27 of 36."""
    two_on_ace, one_on_six = men({1: 2, 0: 13}), men({6: 1, 0: 14})
    assert NETWORK.chances(*two_on_ace, *two_on_ace).win > 0.99
    assert NETWORK.chances(*one_on_six, *men({1: 1, 0: 14})).win == pytest.approx(27 / 36, abs=0.02)


def test_the_weights_are_small() -> None:
    folder = Path(__file__).parents[4] / "src/ludus/engines/backgammon/network"
    assert (folder / "weights.npz").stat().st_size < 3_000_000


def test_weights_round_trip_through_a_file(tmp_path: Path, positions: Positions) -> None:
    parts = dict(np.load(Path(__file__).parents[4] / "src/ludus/engines/backgammon/network/weights.npz"))
    np.savez(tmp_path / "own.npz", **parts)
    planes = positions(1, 1)[0]
    assert Network.load(tmp_path / "own.npz").chances(*planes) == NETWORK.chances(*planes)


@pytest.mark.parametrize("name", ["format", *NAMES])
def test_a_file_that_lacks_a_part_is_refused(name: str, tmp_path: Path) -> None:
    parts = dict(np.load(Path(__file__).parents[4] / "src/ludus/engines/backgammon/network/weights.npz"))
    del parts[name]
    np.savez(tmp_path / "bad.npz", **parts)
    with pytest.raises(MalformedNetwork):
        load(tmp_path / "bad.npz")


def test_arrays_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    parts = dict(np.load(Path(__file__).parents[4] / "src/ludus/engines/backgammon/network/weights.npz"))
    for change in ({"bias_0": parts["bias_0"][:-1]}, {"weight_2": parts["weight_2"] * np.nan}, {"format": np.int64(3)}):
        np.savez(tmp_path / "bad.npz", **(parts | change))
        with pytest.raises(MalformedNetwork):
            load(tmp_path / "bad.npz")


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(MalformedNetwork):
        load(tmp_path / "text.npz")
    with pytest.raises(MalformedNetwork, match="cannot read"):
        load(tmp_path / "missing.npz")


def test_format_1_equals_format_2_with_an_identity_layer(tmp_path: Path, positions: Positions) -> None:
    parts = dict(np.load(Path(__file__).parents[4] / "src/ludus/engines/backgammon/network/weights.npz"))
    layer = {"weight_2": np.tile(np.eye(parts["bias_1"].shape[1]), (11, 1, 1)), "bias_2": 0 * parts["bias_2"]}
    np.savez(tmp_path / "new.npz", **(parts | layer))
    old = {name: part for name, part in parts.items() if name not in ("weight_3", "bias_3")}
    old |= {"weight_2": parts["weight_3"], "bias_2": parts["bias_3"], "format": np.int64(1)}
    np.savez(tmp_path / "old.npz", **old)
    new, first = Network.load(tmp_path / "new.npz"), Network.load(tmp_path / "old.npz")
    for planes in positions(20, 3):
        assert new.chances(*planes) == first.chances(*planes)
