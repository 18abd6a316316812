"""Rolls as the kernels list them for searches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludus import GAMES
from ludus.envs import batch
from ludus.envs.encoding import find_encoding

every_version = pytest.mark.parametrize("version", ["backgammon", "backgammon_v1"])


def column(version: str, position: str) -> tuple[Any, Any]:
    """A kernel in the interpreter, and a game of it in this position."""
    encoding = find_encoding(version)
    state = np.zeros((encoding.kernel.WORDS, 1), np.int64)
    state[:, 0] = encoding.initial_state("standard")
    words = encoding.encode_position(GAMES["backgammon"].notation.read_position(position))
    encoding.kernel.set_position(state, 0, [0], 0, *words)
    return encoding, state


RACE = "XGID=-BB--------------------bb-:0:0:1:31:0:0:0:0:10"


@every_version
def test_thirty_six_throws_make_twenty_one_rolls(version: str) -> None:
    encoding, state = column(version, RACE)
    kernel = encoding.kernel
    assert kernel.count_rolls(state, 0) == 21
    seen: dict[tuple[int, ...], int] = {}
    for number in range(21):
        kernel.set_roll(state, 0, number)
        seen[encoding.decode_position(state[:, 0].tolist()).dice] = kernel.roll_weight(state, 0, number)
    assert seen == {(a, b): 1 if a == b else 2 for a in range(1, 7) for b in range(1, a + 1)}


@every_version
def test_a_turn_half_played_has_no_roll_to_replace(version: str) -> None:
    encoding, state = column(version, RACE)
    action = encoding.kernel.sample_action(state, 0)
    encoding.kernel.apply_action(state, 0, [0], 0, action)
    assert encoding.kernel.count_rolls(state, 0) == 1


@every_version
def test_the_roll_that_begins_a_game_decides_who_does(version: str) -> None:
    encoding = find_encoding(version)
    kernel, env = encoding.kernel, batch(version, 1, seed=1)
    state, seen = env._state.copy(), set()
    assert kernel.count_rolls(state, 0) == kernel.MOST_ROLLS == 30
    for number in range(30):
        kernel.set_roll(state, 0, number)
        assert kernel.roll_weight(state, 0, number) == 1
        dice = encoding.decode_position(state[:, 0].tolist()).dice
        assert kernel.find_roll(state, 0, *dice) == number
        seen.add((*dice, int(state[kernel.PLAYER, 0])))
    assert seen == {(a, b, player) for a in range(1, 7) for b in range(1, a) for player in (0, 1)}
