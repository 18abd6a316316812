"""Gymnasium environments: one agent, and an opponent that replies within the step."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence

from ludus import GAMES
from ludus.core.errors import GameIsOver, IllegalAction, MalformedAction, UnknownOption, UnknownVariant
from ludus.envs.batched.cpu import CpuBatch
from ludus.envs.gym import LudusVectorEnv, SoloEnv
from ludus.envs.gym.single_agent import SingleAgentBatch

from ..games import (
    FIRST_ACTIONS,
    IDS,
    OPPONENTS,
    SHAPES,
    anything,
    finish,
    games,
    highest,
    lowest,
    opponents,
    play,
)


@games
@opponents
@pytest.mark.parametrize("side", ["first", "second", "random"])
def test_gymnasiums_checker_passes(game: str, opponent: str, side: str) -> None:
    env = gymnasium.make(IDS[game], opponent=OPPONENTS[opponent](game), side=side, illegal="lose")
    check_env(env.unwrapped, skip_render_check=True)


@games
@pytest.mark.parametrize("mode", ["human", "ansi", "rgb_array"])
def test_gymnasiums_checker_passes_in_every_render_mode(game: str, mode: str, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    check_env(gymnasium.make(IDS[game], illegal="lose", render_mode=mode).unwrapped)


@games
def test_the_spaces_are_those_of_the_batch(game: str) -> None:
    env = gymnasium.make(IDS[game])
    shape, actions = SHAPES[game]
    assert env.observation_space.shape == shape
    assert env.observation_space.dtype == np.int8
    assert env.action_space == gymnasium.spaces.Discrete(actions)
    for result in play(env, 300):
        assert env.observation_space.contains(result[0])
        assert result[-1]["action_mask"].dtype == np.int8
        assert result[-1]["action_mask"].shape == (actions,)


@games
def test_the_mask_has_the_name_that_maskable_ppo_looks_for(game: str) -> None:
    env = SoloEnv(game)
    _, info = env.reset(seed=1)
    assert env.action_masks().dtype == np.bool_
    assert np.array_equal(env.action_masks(), info["action_mask"] != 0)


def test_the_first_player_starts_in_checkers() -> None:
    first, second = SoloEnv("checkers"), SoloEnv("checkers", side="second", opponent=lowest)
    seen, info = first.reset(seed=1)
    assert np.flatnonzero(info["action_mask"]).tolist() == FIRST_ACTIONS
    answer, info = second.reset(seed=1)
    assert np.flatnonzero(info["action_mask"]).tolist() == FIRST_ACTIONS
    assert np.array_equal(seen[0], answer[0])
    assert not np.array_equal(seen[2], answer[2])


def test_the_opening_roll_decides_who_starts_in_backgammon() -> None:
    calls = []

    def counted(observation: Any, mask: Any, rng: Any) -> int:
        calls.append(int(observation[58]))
        return lowest(observation, mask, rng)

    env, openings = SoloEnv("backgammon", opponent=counted), set()
    for seed in range(20):
        calls.clear()
        seen, _ = env.reset(seed=seed)
        assert seen[58] == 0
        assert set(calls) <= {1}
        openings.add(bool(calls))
    assert openings == {False, True}


@games
def test_a_random_side_is_drawn_for_every_game_and_reset_can_set_it(game: str) -> None:
    batch = SingleAgentBatch(game, 200, side="random", seed=1)
    assert 60 < batch.seats.sum() < 140
    before = batch.seats.copy()
    batch.reset()
    assert (batch.seats != before).any()
    env = SoloEnv(game, side="random")
    for number, side in enumerate(("first", "second")):
        env.reset(seed=5, options={"side": side})
        assert env._batch.seats[0] == number


@games
def test_several_actions_of_one_turn_are_several_steps_of_the_same_side(game: str) -> None:
    """Dice are left in backgammon, a chain continues in checkers: the opponent hasn't been asked."""
    calls = []

    def counted(observation: Any, mask: Any, rng: Any) -> int:
        calls.append(1)
        return lowest(observation, mask, rng)

    env, seen = SoloEnv(game, opponent=counted), []
    observation, info = env.reset(seed=2)
    rng = np.random.default_rng(1)
    for _ in range(2000):
        calls.clear()
        observation, _, terminated, _, info = env.step(anything(observation, info["action_mask"], rng))
        if terminated:
            observation, info = env.reset()
            continue
        is_same_turn = observation[4].any() if game == "checkers" else observation[26:32].sum() in (1, 3)
        if is_same_turn:
            assert not calls
        seen.append(bool(is_same_turn))
    assert 0 < sum(seen) < len(seen)


@games
@opponents
def test_the_same_seed_and_actions_give_the_same_games(game: str, opponent: str) -> None:
    one, two = (SoloEnv(game, opponent=OPPONENTS[opponent](game), side="random") for _ in range(2))
    first = play(one, 150)
    play(two, 20, seed=99)
    assert data_equivalence(first, play(two, 150), exact=True)
    assert data_equivalence(first, play(one, 150), exact=True)
    assert not data_equivalence(first, play(one, 150, seed=2), exact=True)


@games
def test_without_a_seed_games_differ(game: str) -> None:
    assert not data_equivalence(play(SoloEnv(game), 50, seed=None), play(SoloEnv(game), 50, seed=None), exact=True)


@games
@pytest.mark.parametrize("scoring", ["win", "points"])
def test_what_one_seat_wins_the_other_loses(game: str, scoring: str) -> None:
    """The same game from both seats: the opponent of one is the agent of the other."""
    white = SoloEnv(game, opponent=highest, side="first", scoring=scoring, variant="standard")
    black = SoloEnv(game, opponent=lowest, side="second", scoring=scoring, variant="standard")
    rewards = [(finish(white, lowest, seed), finish(black, highest, seed)) for seed in range(12)]
    assert all(one == -other for one, other in rewards)
    most = 3 if game == "backgammon" and scoring == "points" else 1
    assert {abs(one) for one, _ in rewards} <= set(range(most + 1))


def test_points_are_paid_for_gammons() -> None:
    batch = SingleAgentBatch("backgammon", 64, scoring="points", seed=1)
    paid = set()
    for _ in range(400):
        paid |= set(batch.step().reward.tolist())
    assert paid == {-3, -2, -1, 0, 1, 2, 3}


@games
def test_random_against_random_wins_about_half(game: str) -> None:
    totals = SingleAgentBatch(game, 256, side="random", seed=4).rollout(steps=400)
    assert totals.games > 500
    assert abs(totals.first_wins - totals.second_wins) < 0.12 * totals.games
    batch, won = SingleAgentBatch(game, 256, side="random", seed=4), []
    for _ in range(400):
        batch.step()
        won.extend(batch.reward[batch.terminated].tolist())
    assert len(won) == totals.games
    assert abs(np.mean(won)) < 0.12


@games
def test_a_random_agent_against_a_random_opponent_plays_the_games_of_the_batch(game: str) -> None:
    selfplay, batch = CpuBatch(game, 1, seed=6), SingleAgentBatch(game, 1, seed=6)
    expected: list[int] = []
    got: list[int] = []
    while len(expected) < 20:
        sign = 1 - 2 * int(selfplay.to_play[0])
        if selfplay.step().terminated[0]:
            expected.append(sign * int(selfplay.reward[0]))
    while len(got) < 20:
        if batch.step().terminated[0]:
            got.append(int(batch.reward[0]))
    assert got == expected


@games
def test_the_last_observation_is_the_agents_own_and_nothing_is_legal(game: str) -> None:
    ends = set()
    for side in ("first", "second"):
        env = SoloEnv(game, side=side)
        for seed in range(12):
            reward = finish(env, anything, seed)
            seen, mask = env._observation(), env.action_masks()
            assert not mask.any()
            ends.add(reward)
            if game == "backgammon":
                assert seen[25 if reward > 0 else 57] == 15
                assert seen[58] == (side == "second")
                assert not seen[26:32].any()
            else:
                position, number = env._batch.position(0), int(side == "second")
                mine = (position.first, position.second)[number]
                assert seen[:2].sum() == mine.bit_count()
                assert seen[2:4].sum() == (position.first | position.second).bit_count() - mine.bit_count()
                men, home = seen[0], seen[2]
                assert not men[7].any()
                assert not home[0].any()
    assert {-1, 1} <= ends


@games
@pytest.mark.parametrize("bad", [None, "3", 1.5, [145], np.array([145]), np.array(145.0), True, {}, [[1], [1, 2]]])
def test_a_malformed_action_is_refused_and_changes_nothing(game: str, bad: Any) -> None:
    assert_refused(game, bad, MalformedAction)


@games
@pytest.mark.parametrize("bad", [-1, 5, 255, 256, 10**6, np.int8(-3), np.uint64(2**63 + 1)])
def test_an_illegal_action_is_refused_and_changes_nothing(game: str, bad: Any) -> None:
    assert_refused(game, bad, IllegalAction)


def assert_refused(game: str, bad: Any, kind: type[Exception]) -> None:
    untouched, env = SoloEnv(game), SoloEnv(game)
    (_, info), _ = env.reset(seed=8), untouched.reset(seed=8)
    with pytest.raises(kind):
        env.step(bad)
    assert np.array_equal(env.action_masks(), untouched.action_masks())
    action = np.int32(info["action_mask"].argmax())
    assert data_equivalence(env.step(action), untouched.step(action), exact=True)


@games
@pytest.mark.parametrize(("scoring", "price"), [("win", 1), ("points", None)])
def test_an_illegal_action_can_lose_the_game_instead(game: str, scoring: str, price: int | None) -> None:
    env = SoloEnv(game, illegal="lose", scoring=scoring)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(0)
    assert reward == -(price or GAMES[game].most_points)
    assert terminated is True
    assert truncated is False
    assert not info["action_mask"].any()
    with pytest.raises(MalformedAction):
        env.reset()
        env.step(0.5)


@games
def test_steps_before_reset_and_after_the_end_are_refused(game: str) -> None:
    with pytest.raises(ResetNeeded):
        SoloEnv(game).step(0)
    with pytest.raises(ResetNeeded):
        gymnasium.make(IDS[game]).step(0)
    with pytest.raises(ResetNeeded):
        LudusVectorEnv(game, 2).step(np.zeros(2, np.int64))
    env = SoloEnv(game)
    finish(env, lowest, seed=1)
    before = env._observation()
    with pytest.raises(GameIsOver):
        env.step(0)
    assert np.array_equal(env._observation(), before)
    _, info = env.reset()
    env.step(info["action_mask"].argmax())


@games
@pytest.mark.parametrize(
    ("options", "kind", "known"),
    [
        ({"opponent": "kasparov"}, UnknownOption, "random"),
        ({"side": "third"}, UnknownOption, "first, second, random"),
        ({"scoring": "goals"}, UnknownOption, "win, points"),
        ({"illegal": "shrug"}, UnknownOption, "raise, lose"),
        ({"layout": "packed"}, UnknownOption, "there are bytes"),
        ({"render_mode": "hologram"}, UnknownOption, "human, ansi, rgb_array"),
        ({"max_steps": -1}, UnknownOption, "max_steps"),
        ({"seed": 1}, UnknownOption, "an argument of reset"),
        ({"variant": "chess960"}, UnknownVariant, "standard"),
    ],
)
def test_unknown_options_are_refused_with_a_list_of_the_known_ones(
    game: str, options: Any, kind: Any, known: str
) -> None:
    for env in (SoloEnv, LudusVectorEnv):
        with pytest.raises(kind, match=known):
            env(game, **options)


@games
def test_unknown_options_of_reset_are_refused_and_change_nothing(game: str) -> None:
    env, vector = SoloEnv(game), LudusVectorEnv(game, 2)
    for one in (env, vector):
        one.reset(seed=1)
        before = one.action_masks()
        for options in ({"colour": "x"}, {"side": "left"}, {1: 2}):
            with pytest.raises(UnknownOption, match=r"there (is|are)"):
                one.reset(options=options)  # type: ignore[arg-type]  # wrong on purpose
        assert np.array_equal(one.action_masks(), before)
        with pytest.raises(gymnasium.error.Error):
            one.reset(seed=-1)
    for seeds in ([1], [1, -2], [1, 2.5], "ab", 2.5):
        for one in (vector, LudusVectorEnv(game, 2)):
            with pytest.raises(UnknownOption, match="seed"):
                one.reset(seed=seeds)  # type: ignore[arg-type]  # wrong on purpose


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(UnknownOption, match="checkers, checkers_v4, checkers_v5, backgammon"):
        SoloEnv("chess")


@games
def test_max_steps_truncates_with_the_agent_to_move(game: str) -> None:
    env = SoloEnv(game, max_steps=3, side="second")
    found = play(env, 9)
    ends = [result[3] for result in found if len(result) == 5]
    assert ends == [False, False, True] * 3
    assert all(result[4]["action_mask"].any() for result in found if len(result) == 5)


def test_variants_start_as_they_should() -> None:
    seen, _ = SoloEnv("backgammon", variant="hypergammon").reset(seed=1)
    assert seen[0:26].sum() == 3


@games
def test_every_render_mode_renders(game: str, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    text = SoloEnv(game, render_mode="ansi")
    text.reset(seed=1)
    assert isinstance(text.render(), str)
    pixels = SoloEnv(game, render_mode="rgb_array")
    pixels.reset(seed=1)
    assert pixels.render().dtype == np.uint8
    human = SoloEnv(game, render_mode="human")
    human.reset(seed=1)
    assert capsys.readouterr().out
    many = LudusVectorEnv(game, 3, render_mode="ansi")
    many.reset(seed=1)
    frames = many.render()
    assert frames is not None
    assert frames[0] == text.render()
    assert len(frames) == 3
    shown = LudusVectorEnv(game, 3, render_mode="human")
    shown.reset(seed=1)
    assert shown.render() is None
    for env in (text, pixels, human, many, shown):
        env.close()
