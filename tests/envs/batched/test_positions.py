"""Batches start from given positions and tell theirs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludus import GAMES
from ludus.core.errors import LudusError, MalformedPosition, UnknownOption
from ludus.envs import batch, stateless
from ludus.envs.encoding import find_encoding
from ludus.games.checkers.position import Position

FEN = "B:WK3,K12,28:BK26,7,11"
RACE = "XGID=-BB--------------------bb-:0:0:1:31:0:0:0:0:10"
DOUBLED = "XGID=-b----E-C---eE---c-e----B-:1:1:1:D:2:3:0:7:10"


def test_games_start_from_text_in_the_chosen_places() -> None:
    env = batch("checkers", 6, seed=1)
    for _ in range(9):
        env.step()
    before = env.save()
    env.set_positions(FEN, where=[4, 1])
    expected = GAMES["checkers"].notation.read_position(FEN)
    assert env.positions(where=[1, 4]) == [expected] * 2
    assert env.to_play[[1, 4]].tolist() == [expected.mover] * 2
    rest = [0, 2, 3, 5]
    assert np.array_equal(env.save(rest), before[rest])


@pytest.mark.parametrize(("version", "options", "texts"), [
    ("checkers", {}, [FEN, "W:W21,K5:B1,2"]),
    ("checkers_v5", {}, [FEN, "W:W21,K5:B1,2"]),
    ("backgammon", {}, [RACE, RACE.replace(":31:", ":66:")]),
    ("backgammon_v1", {"match_length": 7}, [DOUBLED, DOUBLED.replace(":D:", ":52:")]),
])  # fmt: skip
def test_text_values_and_words_name_the_same_positions(version: str, options: Any, texts: list[str]) -> None:
    encoding = find_encoding(version)
    values = [GAMES[encoding.game].notation.read_position(text) for text in texts]
    words = np.array([encoding.encode_position(value) for value in values])
    assert [encoding.decode_words(row) for row in words.tolist()] == values
    one, two, three = (batch(version, 2, seed=3, **options) for _ in range(3))
    one.set_positions(texts)
    two.set_positions(values)
    three.set_positions(words)
    assert one.positions() == values
    assert np.array_equal(one.save(), two.save())
    assert np.array_equal(one.save(), three.save())
    functions = stateless(version, **options)
    states = functions.set_positions(functions.init(2, seed=3), texts)
    assert np.array_equal(states, one.save())
    assert functions.positions(states) == values
    assert np.array_equal(functions.observe(states).observation, one.observation)


def test_texts_may_be_drawn_with_numpy() -> None:
    texts = np.random.default_rng(1).choice([FEN, "W:W21,K5:B1,2"], size=6)
    expected = [GAMES["checkers"].notation.read_position(str(text)) for text in texts]
    env = batch("checkers", 6)
    for array in (texts, texts.astype(object)):
        env.set_positions(array)
        assert env.positions() == expected


def test_dice_that_a_position_does_not_have_are_rolled_by_the_games() -> None:
    env = batch("backgammon", 50, seed=2)
    env.set_positions(RACE.replace(":31:", ":00:"))
    assert len({position.dice for position in env.positions()}) > 10


@pytest.mark.parametrize(("game", "positions"), [
    ("checkers", "nonsense"),
    ("checkers", [FEN]),
    ("checkers", "W:W1:B"),
    ("checkers", 7),
    ("checkers", [None, FEN]),
    ("checkers", Position(3, 3, 0, 0)),  # type: ignore[arg-type]  # wrong on purpose
    ("checkers", np.array([1, 2, 0, 5, 0])),
    ("checkers", np.array([1, 2])),
    ("checkers", np.array([1 << 23, 1 << 40, 1 << 23, 0, -5])),
    ("checkers", np.array([1 << 23, 1 << 40, 1 << 23, 0, 1 << 40])),
    ("checkers", np.array([-1, -1, -1, 1, 0])),
    ("backgammon", np.array([-1, 0, 1, 1, 0, 3, 1])),
    ("backgammon", np.array([2, 0, 2, 0, 0, 9, 1])),
    ("backgammon", np.array([2, 0, 2, 0, 4, 3, 1])),
    ("backgammon", np.array([2, 0, 2, 0, 0, 3, 1, 0, 0])),
    ("backgammon", np.array([2.5] * 7)),
    ("backgammon_v1", np.array([2, 0, 2, 0, 0, 3, 1])),
    ("backgammon_v1", np.array([2, 0, 2, 0, 0, 3, 1, -7, 1 << 60])),
    ("backgammon", DOUBLED),
])  # fmt: skip
def test_what_is_no_position_to_play_from_is_refused(game: str, positions: Any) -> None:
    env = batch(game, 2, seed=1)
    before = env.save()
    with pytest.raises(LudusError) as raised:
        env.set_positions(positions)
    assert isinstance(raised.value, UnknownOption | MalformedPosition)
    assert np.array_equal(env.save(), before)
