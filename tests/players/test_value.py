"""Value functions as contenders."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from ludus.core.errors import MalformedPolicy, UnknownOption
from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines.engine import OWN_LIMIT, roll
from ludus.envs.policy import highest
from ludus.envs.value import Value
from ludus.games import GAMES
from ludus.games.backgammon.kernel import OFF, men_on
from ludus.players import find_player


def material(game: str = "backgammon") -> Value:
    """Likes men off the board; in checkers, own pieces."""
    weight = np.zeros((highest(game).size, 2))
    if game == "backgammon":
        weight[[25, 57]] = [[15, 0], [0, 15]]
    else:
        weight[:128, 0] = weight[128:256, 1] = 1
    return Value.from_layers(game, [1, -1], [(weight, np.zeros(2))])


def gain(rules: Any, position: Any, move: Any) -> int:
    """What `material` sees of a move: men borne off, or pieces taken."""
    after = rules.play(position, move)
    if rules.name == "checkers":
        return int(position.other.bit_count() - (after.first | after.second).bit_count() + position.own.bit_count())
    men = after.white if position.mover is Player.FIRST else after.black
    return int(men_on(men.low, men.high, OFF))


@pytest.mark.parametrize("game", ["backgammon", "checkers"])
def test_a_value_function_in_a_file_makes_the_move_it_values_most(game: str, tmp_path: Path) -> None:
    material(game).save(tmp_path / "value.npz")
    player, rules, rng, gains = find_player(str(tmp_path / "value.npz"), game), GAMES[game].compiled(), Random(3), set()
    record: Game[Any, Any] = Game(rules)
    while record.outcome is None:
        position = record.position
        if record.turn is Turn.DICE:
            record.play(roll(rules, position, rng))
            continue
        move = player.choose(rules, position, OWN_LIMIT, rng)
        gained = gain(rules, position, move)
        assert gained == max(gain(rules, position, other) for other in rules.moves(position))
        gains.add(gained)
        record.play(rng.choice(rules.moves(position)))
    assert len(gains) > 2


def test_values_are_means_of_the_points_and_survive_a_file(tmp_path: Path) -> None:
    value = Value.from_layers("backgammon", [3, 1, -2], [(np.zeros((59, 3)), np.log([0.5, 0.25, 0.25]))])
    value.save(tmp_path / "value.npz")
    seen = np.zeros((4, 59), np.int8)
    assert Value.load(tmp_path / "value.npz")(seen) == pytest.approx([1.25] * 4)


def test_files_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "value.npz"
    material("checkers").save(path)
    with pytest.raises(UnknownOption, match="plays checkers"):
        find_player(str(path), "backgammon")
    material("backgammon").save(path)
    with pytest.raises(UnknownOption, match="can't play"):
        find_player(str(path), "backgammon", "standard+match3")
    layers = [(np.zeros((59, 2)), np.zeros(2))]
    for points, problem in (([1], "two or more"), ([1, np.inf], "finite"), ([1, 2, 3], "outcomes"), (["a"], "numbers")):
        with pytest.raises(MalformedPolicy, match=problem):
            Value.from_layers("backgammon", points, layers)
