"""What code written for PettingZoo's checkers_v3 relies on, and the original's bugs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludus.envs import checkers_v3, checkers_v4

FIRST_ACTIONS = [145, 147, 149, 151, 209, 211, 213]


def at(fen: str, module: Any = checkers_v3) -> Any:
    env = module.raw_env()
    env.reset(options={"position": fen})
    return env


def mask(env: Any) -> list[int]:
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


def test_black_is_player_0_and_moves_first() -> None:
    env = checkers_v3.env()
    env.reset(seed=1)
    assert env.agents == ["player_0", "player_1"]
    assert env.agent_selection == "player_0"


def test_spaces_are_as_documented() -> None:
    env = checkers_v3.env()
    env.reset()
    seen = env.observe("player_0")
    assert seen["observation"].shape == (8, 8, 4)
    assert seen["observation"].dtype == np.float64
    assert seen["action_mask"].shape == (256,)
    assert seen["action_mask"].dtype == np.int8
    assert env.action_space("player_0").n == 256


def test_own_men_start_in_rows_0_to_2_for_both() -> None:
    env = checkers_v3.env()
    env.reset()
    squares = [(r, c) for r in range(8) for c in range(8) if (r + c) % 2]
    for agent in env.agents:
        planes = env.observe(agent)["observation"]
        assert np.argwhere(planes[:, :, 0]).tolist() == [list(s) for s in squares if s[0] < 3]
        assert np.argwhere(planes[:, :, 2]).tolist() == [list(s) for s in squares if s[0] > 4]
        assert not planes[:, :, 1].any()
        assert not planes[:, :, 3].any()


def test_first_legal_actions_of_both_players() -> None:
    env = checkers_v3.env()
    env.reset()
    assert mask(env) == FIRST_ACTIONS
    env.step(145)
    assert env.agent_selection == "player_1"
    assert mask(env) == FIRST_ACTIONS


@pytest.mark.parametrize("key", ["legal_moves", "legal moves"])
def test_infos_list_the_legal_actions_under_both_spellings(key: str) -> None:
    env = checkers_v3.env()
    env.reset()
    assert env.infos["player_0"][key] == FIRST_ACTIONS
    assert env.infos["player_1"][key] == []
    env.step(145)
    assert env.infos["player_0"][key] == []
    assert env.infos["player_1"][key] == FIRST_ACTIONS


def test_an_action_is_a_square_and_a_direction() -> None:
    env = checkers_v3.env()
    env.reset()
    row, column, direction = 2, 1, 3
    env.step(direction * 64 + row * 8 + column)
    men = env.observe("player_0")["observation"][:, :, 0]
    assert men[2, 1] == 0
    assert men[3, 2] == 1


def test_white_sees_the_board_turned_by_180_degrees() -> None:
    env = checkers_v3.env()
    env.reset()
    env.step(2 * 64 + 2 * 8 + 1)
    black, white = (env.observe(agent)["observation"] for agent in env.agents)
    assert np.array_equal(white, black[::-1, ::-1][:, :, [2, 3, 0, 1]])
    assert white[4, 7, 2] == 1


def test_only_98_ids_can_ever_be_legal() -> None:
    env, seen = checkers_v3.raw_env(), set()
    rng = np.random.default_rng(0)
    for seed in range(400):
        env.reset(seed=seed)
        while not env.terminations["player_0"]:
            legal = env.infos[env.agent_selection]["legal_moves"]
            seen.update(legal)
            env.step(int(rng.choice(legal)))
    dark = {r * 8 + c for r in range(8) for c in range(8) if (r + c) % 2}
    ways = [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    possible = {d * 64 + s for s in dark for d, (r, c) in enumerate(ways) if 0 <= s // 8 + r < 8 and 0 <= s % 8 + c < 8}
    assert len(possible) == 98
    assert seen == possible


def test_jumps_are_forced_and_a_chain_keeps_its_agent() -> None:
    # black on 1 jumps 6 to 10, then 15 to 19; the man on 9 may not move
    env = at("B:W6,15,31:B1,9")
    assert mask(env) == [3 * 64 + 1]
    env.step(3 * 64 + 1)
    assert env.agent_selection == "player_0"
    assert mask(env) == [3 * 64 + 2 * 8 + 3]
    assert not env.observe("player_1")["action_mask"].any()
    env.step(mask(env)[0])
    assert env.agent_selection == "player_1"


def test_crowning_ends_the_turn() -> None:
    env = at("W:W11:B7,6,12")
    env.step(mask(env)[0])
    assert env.agent_selection == "player_0"
    assert env.observe("player_1")["observation"][7, :, 1].sum() == 1


def test_a_side_that_cannot_move_loses() -> None:
    env = at("B:W5:BK6")
    env.step(0 * 64 + 8 + 2)
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert env.infos["player_1"]["reason"] == "no_moves"
    assert env.infos["player_1"]["winner"] == "player_0"


def test_the_last_piece_taken_loses() -> None:
    env = at("B:W6:B1")
    env.step(mask(env)[0])
    assert env.rewards == {"player_0": 1, "player_1": -1}
    assert env.infos["player_0"]["reason"] == "no_pieces"


def test_forty_moves_each_without_progress_are_a_draw() -> None:
    env = at("B:WK32:BK1:H79")
    env.step(3 * 64 + 1)
    assert env.rewards == {"player_0": 0, "player_1": 0}
    assert all(env.terminations.values())
    nothing: dict[str, Any] = {"legal_moves": [], "legal moves": []}
    assert env.infos["player_0"] == nothing | {"winner": None, "reason": "forty_moves"}


def test_threefold_repetition_is_a_draw() -> None:
    env = at("B:WK32:BK1")
    there, back = 3 * 64 + 1, 0 * 64 + 8 + 2
    for step in range(8):
        assert not any(env.terminations.values())
        env.step(there if step % 4 < 2 else back)
    assert env.infos["player_1"]["reason"] == "repetition"
    assert env.rewards == {"player_0": 0, "player_1": 0}


def test_instances_share_nothing() -> None:
    one, two = checkers_v3.env(), checkers_v3.env()
    one.reset(seed=1)
    two.reset(seed=1)
    one.step(145)
    assert mask(two) == FIRST_ACTIONS
    assert two.agent_selection == "player_0"


def test_random_games_take_about_73_actions() -> None:
    env, rng, lengths = checkers_v3.raw_env(), np.random.default_rng(1), []
    for seed in range(300):
        env.reset(seed=seed)
        lengths.append(0)
        while not env.terminations["player_0"]:
            lengths[-1] += 1
            env.step(int(rng.choice(env.infos[env.agent_selection]["legal_moves"])))
    assert 66 < np.mean(lengths) < 79


def test_v4_shows_the_chain_and_the_counter() -> None:
    env = at("B:W6,15,31:B1,9", checkers_v4)
    env.step(3 * 64 + 1)
    planes = env.observe("player_0")["observation"]
    assert planes.dtype == np.int8
    assert planes.shape == (8, 8, 6)
    assert np.argwhere(planes[:, :, 4]).tolist() == [[2, 3]]
    assert np.argwhere(env.observe("player_1")["observation"][:, :, 4]).tolist() == [[5, 4]]
    env = at("B:WK32:BK1:H12", checkers_v4)
    env.step(3 * 64 + 1)
    assert (env.observe("player_1")["observation"][:, :, 5] == 13).all()


@pytest.mark.parametrize("module", [checkers_v3, checkers_v4])
def test_a_finished_game_takes_only_none(module: Any) -> None:
    env = at("B:W6:B1", module)
    env.step(mask(env)[0])
    with pytest.raises(ValueError, match="None"):
        env.step(145)
    env.step(None)
    env.step(None)
    assert env.agents == []
