"""Dice, masks and observations of `backgammon_v0`."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from ludus.envs import backgammon_v0, batch

from .brute import find_difference

TURNS = 100_000


def test_masks_are_those_of_brute_force_on_a_hundred_thousand_turns() -> None:
    games = batch("backgammon", 1000, seed=1)
    turns: Any = 0
    steps = 0
    while turns < TURNS:
        left = games.observation[:, 26:32].sum(axis=1)
        turns += np.count_nonzero((left == 4) | ((left == 2) & (games.observation[:, 26:32].max(axis=1) == 1)))
        steps += len(left)
        assert find_difference(games.observation, games.action_mask) == -1
        games.step()
    assert steps > 1.5 * turns


def test_masks_are_exact_in_other_variants_too() -> None:
    for variant in ("printed", "nackgammon", "hypergammon"):
        games = batch("backgammon", 500, seed=2, variant=variant)
        for _ in range(40):
            assert find_difference(games.observation, games.action_mask) == -1
            games.step()


def at(xgid: str) -> Any:
    env = backgammon_v0.raw_env()
    env.reset(seed=1, options={"position": xgid})
    return env


def legal_actions(env: Any) -> list[int]:
    mask = env.observe(env.agent_selection)["action_mask"]
    return np.flatnonzero(mask).tolist()


def legal(env: Any) -> list[tuple[int, int]]:
    """Legal actions as (point, die)."""
    return [(25 - action // 6, action % 6 + 1) for action in legal_actions(env)]


def test_the_observation_is_as_documented() -> None:
    env = at("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    seen = env.observe("player_0")["observation"]
    assert {25 - place: int(seen[place]) for place in range(26) if seen[place]} == {24: 2, 13: 5, 8: 3, 6: 5}
    assert seen[26:32].tolist() == [1, 0, 1, 0, 0, 0]
    theirs = {25 - place: int(seen[32 + place]) for place in range(1, 25) if seen[32 + place]}
    assert theirs == {1: 2, 12: 5, 17: 3, 19: 5}
    assert seen[58] == 0
    assert np.array_equal(env.observe("player_1")["observation"][:26], seen[:26])


def test_one_man_by_one_die_until_the_dice_are_played() -> None:
    env = at("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert (8, 3) in legal(env)
    env.step((25 - 8) * 6 + 3 - 1)
    assert env.agent_selection == "player_0"
    assert {die for _, die in legal(env)} == {1}
    env.step((25 - 6) * 6 + 1 - 1)
    assert env.agent_selection == "player_1"
    seen = env.observe("player_0")["observation"]
    assert seen[25 - 5] == 2


def test_a_double_gives_four_steps() -> None:
    env = at("XGID=-b----E-C---eE---c-e----B-:0:0:1:11:0:0:0:0:10")
    for left in (4, 3, 2, 1):
        assert env.observe("player_0")["observation"][26] == left
        assert env.agent_selection == "player_0"
        env.step(legal_actions(env)[0])
    assert env.agent_selection == "player_1"


def test_the_pass_is_legal_only_if_nothing_else_is() -> None:
    env = at("XGID=abbbbbb-----------------AA:0:0:1:31:0:0:0:0:10".replace("abbbbbb", "-bbbbbb"))
    shut = at("XGID=-A-----------------bbbbbbA:0:0:1:31:0:0:0:0:10")
    assert legal_actions(shut) == [150]
    shut.step(150)
    assert shut.agent_selection == "player_1"
    assert 150 not in legal_actions(env)


def test_dice_depend_on_the_seed_alone_and_are_fair() -> None:
    games = batch("backgammon", 2000, seed=9)
    seen: Counter[tuple[int, ...]] = Counter()
    for _ in range(100):
        left = games.observation[:, 26:32]
        fresh = left.sum(axis=1)
        seen.update(map(tuple, left[(fresh == 2) | (fresh == 4)].tolist()))
        games.step()
    # one die is left after the first step of a non-double, so two or four are a fresh roll or a double's third step
    doubles = sum(n for roll, n in seen.items() if 4 in roll)
    mixed = sum(n for roll, n in seen.items() if sorted(roll)[-2:] == [1, 1])
    assert 0.19 < doubles / mixed < 0.21
    for roll, n in seen.items():
        if sorted(roll)[-2:] == [1, 1]:
            assert 0.9 < n / (mixed / 15) < 1.1, roll


def test_points_are_paid_on_request() -> None:
    paid: Counter[int] = Counter()
    env = backgammon_v0.raw_env(scoring="points")
    rng = np.random.default_rng(1)
    for seed in range(60):
        env.reset(seed=seed)
        while not env.terminations["player_0"]:
            env.step(int(rng.choice(legal_actions(env))))
        paid[max(env.rewards.values())] += 1
        assert sum(env.rewards.values()) == 0
    assert set(paid) == {1, 2, 3}


def test_whole_plays_are_those_of_the_rules() -> None:
    from ludus import GAMES

    rules = GAMES["backgammon"]
    env = backgammon_v0.raw_env(plays=True)
    rng = np.random.default_rng(1)
    env.reset(seed=4)
    for _ in range(60):
        if env.terminations["player_0"]:
            break
        position = env.unwrapped._simulator.board().position
        moves = rules.moves(position)
        assert legal_actions(env) == list(range(len(moves)))
        action = int(rng.integers(len(moves)))
        env.step(action)
        after = env.unwrapped._simulator.board().position
        expected = rules.play(position, moves[action])
        assert (after.white, after.black) == (expected.white, expected.black) or env.terminations["player_0"]


def test_the_picture_shows_the_dice_that_are_left() -> None:
    env = backgammon_v0.raw_env(render_mode="ansi")
    env.reset(seed=1, options={"position": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"})
    assert "⚂⚀ 3-1" in env.render()
    env.step((25 - 8) * 6 + 3 - 1)
    assert "⚀ 1 " in env.render()
    env.reset(seed=1, options={"position": "XGID=-b----E-C---eE---c-e----B-:0:0:1:22:0:0:0:0:10"})
    env.step(legal_actions(env)[0])
    assert "⚁⚁⚁ 2-2" in env.render()
