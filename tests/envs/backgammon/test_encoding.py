from __future__ import annotations

from typing import Any

import pytest

from ludus import GAMES
from ludus.core.rules import Player
from ludus.envs.backgammon.encoding import BackgammonEncoding
from ludus.envs.backgammon.kernel import PASS
from ludus.envs.batched.cpu import CpuBatch
from ludus.games.backgammon.position import Play, Position, Roll, Step, men

ENCODING = BackgammonEncoding()


def test_actions_are_places_and_dice() -> None:
    rules = GAMES["backgammon"]
    opened = rules.play(rules.variants["standard"], Roll(3, 1))
    assert ENCODING.encode_move(opened, Play((Step(8, 5), Step(6, 5)))) == [17 * 6 + 2, 19 * 6]
    assert ENCODING.encode_move(opened, Play(())) == [PASS]


@pytest.mark.parametrize(
    ("white", "black", "dice", "steps", "used"),
    [
        ({4: 1, 2: 1}, {}, (6, 1), [(4, 0), (2, 1)], [6, 1]),
        ({6: 1, 5: 1}, {}, (6, 5), [(6, 0), (5, 0)], [6, 5]),
        ({4: 1, 3: 1}, {}, (6, 5), [(4, 0), (3, 0)], [6, 5]),
        ({4: 1}, {}, (5, 4), [(4, 0)], [5]),
        ({1: 1}, {}, (5, 4), [(1, 0)], [5]),
        ({6: 1, 2: 1}, {24: 2, 21: 2}, (5, 2), [(2, 0)], [2]),
        ({3: 1, 2: 1, 1: 1}, {}, (3, 3), [(3, 0), (2, 0), (1, 0)], [3, 3, 3]),
    ],
)
def test_a_man_is_borne_off_with_the_die_the_rules_require(
    white: dict[int, int], black: dict[int, int], dice: tuple[int, int], steps: Any, used: list[int]
) -> None:
    rolled = Position(men(white), men({13: 1, **black}), Player.FIRST, dice)
    play = Play(tuple(Step(*step) for step in steps))
    assert play in GAMES["backgammon"].moves(rolled)
    assert [action % 6 + 1 for action in ENCODING.encode_move(rolled, play)] == used


def test_in_mid_turn_a_position_has_no_dice() -> None:
    def position() -> Position:
        return ENCODING.decode_position(batch._state[:, 0].tolist())

    batch = CpuBatch("backgammon", 1, seed=3)
    assert len(position().dice) == 2
    mover = batch.to_play[0]
    batch.step()
    assert batch.to_play[0] == mover
    assert position().dice == ()
