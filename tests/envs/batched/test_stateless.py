"""Pure functions over states play the same games as a batch, and know all rolls."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from ludus.core.errors import IllegalAction, MalformedAction, MalformedState, UnknownOption
from ludus.envs import batch, stateless
from ludus.games import GAMES as RULES

GAMES: dict[str, tuple[str, Any]] = {
    "checkers": ("checkers", {"max_steps": 50}),
    "backgammon": ("backgammon", {"scoring": "points", "variant": "hypergammon"}),
    "match": ("backgammon", {"match_length": 2, "variant": "hypergammon"}),
}
every_game = pytest.mark.parametrize("name", GAMES)
WON, DRAWN, TRUNCATED = 1, 2, 3


def pair(name: str, num_envs: int = 50) -> tuple[Any, Any]:
    """A batch and the functions with the same options."""
    game, options = GAMES[name]
    return batch(game, num_envs, seed=4, **options), stateless(game, **options)


@every_game
def test_a_new_state_is_that_of_a_batch(name: str) -> None:
    env, functions = pair(name)
    states = functions.init(50, seed=4)
    assert np.array_equal(states, env.save())
    for ours, theirs in zip(functions.observe(states), (env.observation, env.action_mask, env.to_play), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("copied", [deepcopy, lambda functions: pickle.loads(pickle.dumps(functions))])
@every_game
def test_functions_can_be_copied_and_pickled(name: str, copied: Any) -> None:
    game, options = GAMES[name]
    functions = stateless(game, threads=2, layout="packed", **options)
    twin = copied(functions)
    states = functions.init(20, seed=4)
    for _ in range(60):
        (after, step), (same, again) = functions.step(states), twin.step(states)
        assert np.array_equal(after, same)
        for ours, theirs in zip(step, again, strict=True):
            assert np.array_equal(ours, theirs)
        states = after


@every_game
def test_a_step_is_that_of_a_batch_until_the_game_ends(name: str) -> None:
    env, functions = pair(name)
    states = functions.init(50, seed=4)
    live = np.ones(50, bool)
    for step in range(120):
        actions = None if step % 3 else env.action_mask.argmax(axis=1)
        movers = env.to_play.copy()
        before, kept = states, states.copy()
        states, now = functions.step(states, actions)
        then = env.step(actions)
        assert np.array_equal(before, kept)
        for ours, theirs in zip(now[2:5], then[2:5], strict=True):
            assert np.array_equal(ours[live], theirs[live])
        ended = live & (then.terminated | then.truncated)
        for ours, theirs in zip(env.final[1:], (now[0], now[1], now[5]), strict=True):
            assert np.array_equal(ours[live[env.final.which]], theirs[ended])
        points = np.where(movers[ended] == 0, 1, -1) * then.reward[ended]
        kind = np.where(then.truncated[ended], TRUNCATED, np.where(then.reward[ended] != 0, WON, DRAWN))
        assert np.array_equal(states[ended, 1], kind | points.astype(np.int64) << 2)
        assert not now.reward[~live].any()
        assert np.array_equal(states[~live], before[~live])
        assert (now.terminated | now.truncated)[~live].all()
        live &= ~ended
        assert np.array_equal(states[live], env.save()[live])
    assert not live.all()


@every_game
def test_only_truncated_games_still_show_legal_actions(name: str) -> None:
    _, functions = pair(name)
    states = functions.init(50, seed=1)
    for _ in range(60):
        states, _ = functions.step(states)
    view, how = functions.observe(states), states[:, 1] & 3
    assert np.array_equal(view.action_mask.any(axis=1), (how == 0) | (how == TRUNCATED))


def test_an_illegal_action_is_refused_and_a_finished_game_takes_any() -> None:
    _, functions = pair("backgammon", 3)
    states = functions.init(3, seed=4)
    actions = functions.observe(states).action_mask.argmax(axis=1)
    actions[1] = -5
    with pytest.raises(IllegalAction, match="game 1"):
        functions.step(states, actions)
    states[1, 1] = DRAWN
    new, step = functions.step(states, actions)
    assert np.array_equal(new[1], states[1])
    assert step.terminated.tolist() == [False, True, False]


def test_malformed_arguments_are_refused() -> None:
    _, functions = pair("checkers")
    states = functions.init(3)
    with pytest.raises(MalformedAction):
        functions.step(states, [1.5, 2, 3])
    for bad in (states[:, :-1], states.astype(np.int32), states.tolist(), stateless("backgammon").init(3)):
        with pytest.raises(MalformedState):
            functions.observe(bad)
    with pytest.raises(UnknownOption):
        functions.init(0)
    with pytest.raises(UnknownOption):
        stateless("checkers", device="tpu")
    with pytest.raises(UnknownOption, match="no dice"):
        functions.set_dice(states, (3, 1))


@pytest.mark.parametrize("name", ["backgammon", "match"])
def test_all_rolls_of_a_turn_have_the_weights_of_the_rules(name: str) -> None:
    env, functions = pair(name, 20)
    seen = set()
    for _ in range(25):
        states = env.save()
        rolls = functions.chance(states)
        for i in range(20):
            mine = slice(rolls.offsets[i], rolls.offsets[i + 1])
            seen.add(check_rolls(functions, states[i], rolls.states[mine], rolls.weights[mine].tolist()))
        env.step()
    assert seen == {1, 21, 30}


def check_rolls(functions: Any, state: Any, rolled: Any, weights: list[int]) -> int:
    encoding, column = functions._encoding, functions._format.column
    kernel, now = encoding.kernel, state[column].tolist()
    if len(rolled) == 1:
        assert not kernel.is_start_of_turn(now[kernel.DICE])
        assert np.array_equal(rolled[0], state)
        return 1
    is_opening = len(rolled) == 30
    position = encoding.decode_position(now)._replace(dice=(), mover=None if is_opening else now[kernel.PLAYER])
    expected = dict(RULES["backgammon"].chances(position._replace(cube=None)))
    assert is_opening == (set(expected.values()) == {1})
    got = {}
    for row, weight in zip(rolled, weights, strict=True):
        words = row[column].tolist()
        dice = words[kernel.DICE]
        roll = dice & 7, dice >> 3 & 7
        got[roll[:: -1 if is_opening and words[kernel.PLAYER] else 1]] = weight
    assert got == {tuple(roll): weight for roll, weight in expected.items()}
    assert any(np.array_equal(row, state) for row in rolled)
    return len(rolled)


def test_checkers_has_a_single_chance() -> None:
    env, functions = pair("checkers", 4)
    states, weights, offsets = functions.chance(env.save())
    assert np.array_equal(states, env.save())
    assert weights.tolist() == [1] * 4
    assert offsets.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", ["backgammon", "match"])
def test_dice_are_set_at_the_start_of_a_turn_only(name: str) -> None:
    env, functions = pair(name, 20)
    states = functions.set_dice(env.save(), (2, 5))
    seen = functions.observe(states)
    assert (seen.observation[:, 26:32] == [0, 1, 0, 0, 1, 0]).all()
    assert np.array_equal(seen.to_play, env.to_play)
    for dice in ((3, 3), (0, 1), (1, 7), (1, 2, 3), (1.5, 2), "ab"):
        with pytest.raises(UnknownOption):
            functions.set_dice(states, dice)
    rolls = functions.chance(states)
    starts = np.repeat(env.to_play, 30) == functions.observe(rolls.states).to_play
    assert starts.reshape(20, 30).sum(axis=1).tolist() == [15] * 20
    after, _ = functions.step(states)
    with pytest.raises(UnknownOption, match="row 0"):
        functions.set_dice(after, (2, 5))


def test_other_seeds_give_the_same_games_other_dice() -> None:
    env, functions = pair("backgammon", 30)
    states = env.save()
    one, two = functions.reseed(states, 1), functions.reseed(states, 2)
    assert np.array_equal(functions.reseed(states, 4), states)
    for _ in range(4):
        one, two = functions.step(one)[0], functions.step(two)[0]
    assert not np.array_equal(functions.observe(one).observation, functions.observe(two).observation)


@every_game
def test_threads_change_nothing(name: str) -> None:
    game, options = GAMES[name]
    one, two = (stateless(game, threads=threads, **options) for threads in (1, 2))
    ours, theirs = one.init(5000, seed=2), two.init(5000, seed=2)
    for _ in range(3):
        (ours, seen), (theirs, shown) = one.step(ours), two.step(theirs)
        assert np.array_equal(ours, theirs)
        assert all(np.array_equal(a, b) for a, b in zip(seen, shown, strict=True))
