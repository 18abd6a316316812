"""Weights that `ludus train` makes, named as players."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from ludus.core.errors import BadInput, UnknownOption
from ludus.engines import OWN_LIMIT, Limit
from ludus.engines.backgammon import network
from ludus.engines.levels import BOTS
from ludus.engines.trained import game_of
from ludus.envs.policy import Policy, widths
from ludus.games import GAMES
from ludus.players import find_player

FOLDERS: Mapping[str, str] = {"checkers": "ludus.engines.checkers", "backgammon": network.__name__}
POSITIONS: Mapping[str, str] = {
    "checkers": "W:W18,21,25,29,30,32:B3,5,7,8,10,12",
    "backgammon": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
}
QUICK = Limit(nodes=2_000)
every_game = pytest.mark.parametrize("game", GAMES)


def arrays(game: str) -> dict[str, Any]:
    return dict(np.load(str(files(FOLDERS[game]).joinpath("weights.npz"))))


def weights(game: str, folder: Path, **other: Any) -> str:
    """A file with the built-in weights, or with others."""
    np.savez(file := folder / "network.npz", **(arrays(game) | other))
    return str(file)


@every_game
def test_weights_play_as_hard_does_with_its_own(game: str, tmp_path: Path) -> None:
    rules, player = GAMES[game], find_player(weights(game, tmp_path), game)
    position = rules.notation.read_position(POSITIONS[game])
    hard = BOTS["hard"].choose(rules, position, QUICK, Random(1))
    assert player.choose(rules, position, QUICK, Random(1)) == hard


@pytest.mark.parametrize(("game", "parts"), [("checkers", ["cells"]), ("backgammon", ["weight_3", "bias_3"])])
def test_it_is_these_weights_that_play(game: str, parts: list[str], tmp_path: Path) -> None:
    """Turned round, they want what is worst."""
    backwards = {name: -part for name, part in arrays(game).items() if name in parts}
    rules, player = GAMES[game], find_player(weights(game, tmp_path, **backwards), game)
    position = rules.notation.read_position(POSITIONS[game])
    hard = BOTS["hard"].choose(rules, position, QUICK, Random(1))
    assert player.choose(rules, position, QUICK, Random(1)) != hard


@every_game
def test_weights_of_another_game_are_refused(game: str, tmp_path: Path) -> None:
    other = next(name for name in GAMES if name != game)
    with pytest.raises(UnknownOption, match=f"network.npz plays {game}, not {other}"):
        find_player(weights(game, tmp_path), other)


@every_game
def test_unreadable_weights_are_reported_before_the_first_move(game: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"network\.npz: weights of format 9"):
        find_player(weights(game, tmp_path, format=np.int64(9)), game)


def test_dice_are_thrown_by_a_player_with_weights_too(tmp_path: Path) -> None:
    rules = GAMES["backgammon"]
    start = rules.variants["standard"]
    player = find_player(weights("backgammon", tmp_path), "backgammon")
    assert player.choose(rules, start, OWN_LIMIT, Random(1)) in rules.moves(start)


def test_policies_and_other_files_hold_no_weights(tmp_path: Path) -> None:
    inputs, actions = widths("backgammon")
    layer = (np.zeros((inputs, actions)), np.zeros(actions))
    Policy.from_layers("backgammon", [layer]).save(tmp_path / "policy.npz")
    (tmp_path / "text.npz").write_text("no zip at all")
    for name in ("policy.npz", "text.npz", "nowhere.npz"):
        assert game_of(str(tmp_path / name)) is None
