"""Games that start from given positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from ludus import GAMES
from ludus.core.errors import GameIsOver, LudusError, UnknownOption
from ludus.envs import backgammon_v0, codec
from ludus.envs.gym import LudusVectorEnv, SoloEnv

from ..games import highest, lowest

ENDING, OTHER = "W:W18,24,K10:B12,16,K22", "B:WK32,30:BK1,3"
ROLLED, UNROLLED = (f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:0:0:10" for dice in ("52", "00"))
BOARDS: Any = {"checkers": [ENDING, OTHER], "checkers_v5": [ENDING, OTHER], "backgammon": [ROLLED, UNROLLED]}


def read(text: str) -> Any:
    return GAMES["backgammon" if "XGID" in text else "checkers"].notation.read_position(text)


@pytest.mark.parametrize("game", ["checkers", "checkers_v5"])
def test_the_agent_sees_the_position_if_it_is_to_move(game: str) -> None:
    env, expected = SoloEnv(game, opponent=lowest), codec(game).encode_position(read(ENDING))
    for position in (ENDING, read(ENDING)):
        observation, info = env.reset(seed=1, options={"position": position, "side": "second"})
        assert np.array_equal(observation, expected.observation)
        assert np.array_equal(info["action_mask"], expected.action_mask)
    observation, _ = env.reset(options={"position": ENDING, "side": "first"})
    assert observation[:4].sum() <= 6
    assert env._batch.position(0).quiet <= 1
    assert env.reset()[0][:4].sum() == 24


def test_dice_are_those_of_the_position_or_of_the_seed() -> None:
    env, twin = SoloEnv("backgammon"), backgammon_v0.raw_env()
    rolls = set()
    for seed in range(8):
        observation, _ = env.reset(seed=seed, options={"position": ROLLED})
        assert observation[26:32].tolist() == [0, 1, 0, 0, 1, 0]
        observation, _ = env.reset(seed=seed, options={"position": UNROLLED})
        twin.reset(seed=seed, options={"position": UNROLLED})
        assert np.array_equal(observation, twin.observe("player_0")["observation"])
        rolls.add(tuple(observation[26:32].tolist()))
    assert len(rolls) > 4


@pytest.mark.parametrize("game", BOARDS)
def test_each_game_of_a_vector_can_have_its_own_start(game: str) -> None:
    """They go on like single environments from the same positions, and the next games start as usual."""
    options: Any = {"opponent": highest, "max_steps": 12}
    together, singles = LudusVectorEnv(game, 3, **options), [SoloEnv(game, **options) for _ in range(3)]
    starts = [*BOARDS[game], None]
    observations, infos = together.reset(seed=5, options={"position": starts})
    for i, env in enumerate(singles):
        assert np.array_equal(env.reset(seed=5 + i, options={"position": starts[i]})[0], observations[i])
    for _ in range(30):
        actions = infos["action_mask"].argmax(axis=1)
        observations, _, terminations, truncations, infos = together.step(actions)
        for i, env in enumerate(singles):
            seen, _, *over, _ = env.step(actions[i])
            assert over == [terminations[i], truncations[i]]
            assert np.array_equal(env.reset()[0] if any(over) else seen, observations[i])


def test_chosen_games_start_from_positions_while_others_go_on() -> None:
    env = LudusVectorEnv("checkers", 3, opponent=lowest)
    env.reset(seed=1)
    before = env._batch.observation.copy()
    mask = np.array([True, False, True])
    observations, _ = env.reset(options={"reset_mask": mask, "position": [OTHER, OTHER, None]})
    assert observations[0, :4].sum() == 4
    assert np.array_equal(observations[1:], before[1:])
    assert env.reset(options={"position": OTHER})[0][:, :4].sum() == 12


BAD = {
    "no notation": "nonsense",
    "a number": 7,
    "too few": [OTHER],
    "a number in a list": [OTHER, 7],
    "a list in a list": [OTHER, []],
    "no black pieces": "B:WK32:B",
    "another game's": read(ROLLED),
    "pieces on light squares": read(OTHER)._replace(first=255),
    "fewer than no quiet moves": read(OTHER)._replace(quiet=-1),
    "too many quiet moves": read(OTHER)._replace(quiet=80),
}


@pytest.mark.parametrize("position", BAD.values(), ids=BAD)
def test_what_no_game_can_start_from_is_refused_and_changes_nothing(position: Any) -> None:
    env, untouched = (LudusVectorEnv("checkers", 2, opponent=lowest) for _ in range(2))
    (_, infos), _ = env.reset(seed=1), untouched.reset(seed=1)
    with pytest.raises(LudusError):
        env.reset(seed=9, options={"position": position})
    actions = infos["action_mask"].argmax(axis=1)
    assert data_equivalence(env.step(actions), untouched.step(actions), exact=True)


def test_a_position_in_which_the_opponent_ends_the_game_is_refused() -> None:
    env = SoloEnv("checkers", opponent=lowest)
    with pytest.raises(GameIsOver, match="the opponent's first move has ended game 0"):
        env.reset(seed=1, options={"position": "W:W18:B15", "side": "first"})
    env.reset(seed=1)
    with pytest.raises(GameIsOver, match="first move"):
        env.reset(options={"position": "W:W18:B15", "side": "first"})
    with pytest.raises(GameIsOver, match="reset"):
        env.step(0)


def test_a_double_may_be_waiting_for_its_answer() -> None:
    env = SoloEnv("backgammon_v1", side="second")
    doubled = "XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:5:10"
    _, info = env.reset(seed=1, options={"position": doubled})
    assert np.flatnonzero(info["action_mask"]).tolist() == [158, 159]
    with pytest.raises(UnknownOption, match="backgammon_v1 does"):
        SoloEnv("backgammon").reset(options={"position": doubled})
