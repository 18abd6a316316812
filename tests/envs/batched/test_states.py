"""States are values: saved, restored, copied and forked games continue exactly as their originals."""

from __future__ import annotations

import copy
import hashlib
import pickle
from typing import Any
from zlib import crc32

import numpy as np
import pytest

from ludus.core.errors import GameIsOver, MalformedState, UnknownOption
from ludus.envs import batch, stateless
from ludus.envs.batched.states import STATE_FORMAT

GAMES: dict[str, tuple[str, Any]] = {
    "checkers": ("checkers", {}),
    "backgammon": ("backgammon", {}),
    "match": ("backgammon", {"match_length": 2, "variant": "hypergammon", "scoring": "points", "max_steps": 60}),
}
every_game = pytest.mark.parametrize("name", GAMES)


def make(name: str, num_envs: int = 40, seed: int = 5, steps: int = 0) -> Any:
    """A batch whose games have gone on for so many random steps."""
    game, options = GAMES[name]
    env: Any = batch(game, num_envs, seed=seed, **options)
    for _ in range(steps):
        env.step()
    return env


def digest(env: Any, steps: int) -> str:
    """All arrays of so many random steps."""
    seen = hashlib.sha256()
    for _ in range(steps):
        for array in env.step():
            seen.update(array.tobytes())
    return seen.hexdigest()


def is_same(one: Any, two: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one._views, two._views, strict=True))


@every_game
def test_games_restored_at_random_points_of_a_long_run_continue_alike(name: str) -> None:
    env, other, rng = make(name), make(name, seed=77), np.random.default_rng(1)
    for _ in range(12):
        env.rollout(steps=int(rng.integers(1, 300)))
        states = env.save()
        expected = digest(env, 40)
        other.restore(states)
        assert digest(other, 40) == expected
        assert np.array_equal(env.save(), other.save())


def copied_at_random(env: Any, rng: Any) -> Any:
    """The same games in another batch: a clone, a copy by pickle, or one that had played others."""
    kind = rng.integers(4)
    if kind == 0:
        return env.clone()
    if kind == 1:
        return pickle.loads(pickle.dumps(env))
    other, states = env.clone(), env.save()
    other.reset(seed=int(rng.integers(1 << 30)))
    other.rollout(steps=30)
    if kind == 2:
        other.restore(states)
    else:
        for part in np.array_split(rng.permutation(env.num_envs), 3):
            other.restore(states[part], where=part)
    return other


@every_game
def test_a_million_steps_interrupted_at_random_points_are_those_of_one_run(name: str) -> None:
    straight, env = make(name, 1000), make(name, 1000)
    rng, done = np.random.default_rng(1), 0
    while done < 1000:
        steps = min(int(rng.integers(1, 20)), 1000 - done)
        env = copied_at_random(env, rng)
        assert digest(env, steps) == digest(straight, steps)
        done += steps
    assert np.array_equal(env.save(), straight.save())


@every_game
def test_a_restored_batch_shows_the_saved_games(name: str) -> None:
    env = make(name, steps=70)
    states, shown = env.save(), [array.copy() for array in env._views]
    other = make(name, seed=9, steps=20)
    other.restore(states)
    for now, then in zip((other.observation, other.action_mask, other.to_play), (*shown[:2], shown[-1]), strict=True):
        assert np.array_equal(now, then)
    assert not any(array.any() for array in (other.reward, other.terminated, other.truncated))


@every_game
def test_chosen_games_are_restored_and_the_others_stay(name: str) -> None:
    env, other = make(name, steps=50), make(name, seed=8, steps=33)
    before, games = other.save(), [31, 2, 17]
    other.restore(env.save()[games], where=games)
    after = other.save()
    assert np.array_equal(after[games], env.save()[games])
    rest = np.setdiff1d(np.arange(40), games)
    assert np.array_equal(after[rest], before[rest])
    mask = np.zeros(40, bool)
    mask[:4] = True
    other.restore(env.save()[:4], where=mask)
    assert np.array_equal(other.save()[:4], env.save()[:4])


@every_game
def test_a_clone_is_independent_and_goes_on_alike(name: str) -> None:
    env = make(name, steps=64)
    clone = env.clone()
    assert is_same(env, clone)
    before = [array.copy() for array in env._views]
    expected = digest(clone, 60)
    assert all(np.array_equal(a, b) for a, b in zip(env._views, before, strict=True))
    assert digest(env, 60) == expected


@every_game
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_pickles_and_deep_copies_go_on_alike(name: str, copied: Any) -> None:
    env = make(name, steps=59)
    twin = copied(env)
    assert is_same(env, twin)
    assert all(np.array_equal(a, b) for a, b in zip(env.final, twin.final, strict=True))
    assert digest(twin, 50) == digest(env, 50)


def test_a_pickle_of_another_format_is_refused() -> None:
    env = make("checkers", 2)
    rebuild, (kind, game, num_envs, options, tag, contents) = env.__reduce__()
    with pytest.raises(MalformedState, match="format"):
        rebuild(kind, game, num_envs, options, tag + 1, contents)


@every_game
def test_a_fork_has_the_games_that_were_taken(name: str) -> None:
    env = make(name, steps=45)
    fork = env.take([7, 7, 0])
    assert fork.num_envs == 3
    assert np.array_equal(fork.observation, env.observation[[7, 7, 0]])
    env.step()
    fork.step()
    assert np.array_equal(fork.save(), env.save()[[7, 7, 0]])


@every_game
def test_chosen_games_are_reset(name: str) -> None:
    env, fresh = make(name, steps=30), make(name, seed=21)
    before = env.save()
    env.reset(seed=21, where=np.arange(40) % 2 == 0)
    after, kernel, column = env.save(), env._kernel, env._format.column
    assert np.array_equal(after[::2, column], fresh.save()[::2, column])
    assert np.array_equal(after[1::2], before[1::2])
    assert np.array_equal(env.observation[::2], fresh.observation[::2])
    env.reset(where=[1])
    assert env.save()[1, column][kernel.LENGTH] == 0
    assert env.save()[1, column][kernel.KEY] == before[1, column][kernel.KEY]
    assert env.save()[1, column][kernel.STEPS] == before[1, column][kernel.STEPS]


@every_game
def test_a_state_is_a_row_with_tag_outcome_column_and_history(name: str) -> None:
    env = make(name, steps=150)
    states, kernel = env.save(), env._kernel
    assert states.dtype == np.int64
    assert states.shape == (40, env.state_words) == (40, 2 + kernel.WORDS + kernel.HISTORY)
    assert set(states[:, 0] & 0xFFFF) == {STATE_FORMAT}
    assert set(states[:, 0] >> 16) == {crc32(env._encoding.name.encode())}
    assert not states[:, 1].any()
    assert np.array_equal(states[:, 2 : 2 + kernel.WORDS], env._state.T[:, : kernel.WORDS])
    assert np.array_equal(states[:, 2 + kernel.WORDS :].ravel(), env._history[:-1])


def test_what_is_no_state_of_the_game_is_refused() -> None:
    env = make("checkers", 2, steps=9)
    good = env.save()

    def changed(word: int, value: int) -> Any:
        states = good.copy()
        states[1, word] = value
        return states

    kernel = env._kernel
    for states, said in (
        (make("backgammon", 2).save(), "shape"),
        (good[:1], "shape"),
        (good[0], "shape"),
        (good.astype(np.int32), "int32"),
        (good.tolist(), "list"),
        (changed(0, 0), "unknown"),
        (changed(0, crc32(b"backgammon") << 16 | STATE_FORMAT), "states of backgammon, not of checkers"),
        (changed(0, int(good[0, 0]) + 1), f"format {STATE_FORMAT + 1}"),
        (changed(2 + kernel.PLAYER, 2), "no state"),
        (changed(2 + kernel.PLAYER, -1), "no state"),
        (changed(2 + kernel.QUIET, kernel.HISTORY + 1), "no state"),
    ):
        with pytest.raises(MalformedState, match=said):
            env.restore(states)
    with pytest.raises(GameIsOver, match="row 1"):
        env.restore(changed(1, 2))
    assert np.array_equal(env.save(), good)


def test_a_state_with_a_third_player_as_the_owner_of_its_cube_is_no_position() -> None:
    env = stateless("backgammon", cube=True)
    states = env.init(2)
    states[1, 2 + env._kernel.CUBE] |= 3 << env._kernel.OWNER
    with pytest.raises(MalformedState, match="no state of backgammon_v1 has these words"):
        env.positions(states)


@pytest.mark.parametrize("where", [[0, 0], [2], [-1], [0.5], "ab", [[0]], np.ones(3, bool), {"a": 1}])
def test_games_that_cannot_be_chosen_are_refused(where: Any) -> None:
    env = make("backgammon", 2)
    states = env.save()
    with pytest.raises(UnknownOption):
        env.reset(where=where)
    assert np.array_equal(env.save(), states)


def test_a_mask_of_numbers_is_refused_with_a_hint() -> None:
    with pytest.raises(UnknownOption, match="a mask must be of booleans"):
        make("backgammon", 3).reset(where=np.array([0, 1, 0]))
    env = make("backgammon", 4)
    for choose in (env.save, env.take):
        with pytest.raises(UnknownOption, match="a mask of 0s and 1s"):
            choose(np.array([3, 2, 1, 0], np.uint8))


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8])
def test_a_row_of_booleans_or_8_bit_integers_is_a_mask(kind: Any) -> None:
    env = make("backgammon", 4, steps=3)
    states, mask = env.save(), np.array([0, 1, 1, 0], kind)
    assert np.array_equal(env.save(mask), states[1:3])
    assert np.array_equal(env.take(mask).save(), states[1:3])
    env.reset(where=np.zeros(4, kind))
    assert np.array_equal(env.save(), states)
    env.reset(where=mask)
    assert (env.save() != states).any(axis=1).tolist() == [False, True, True, False]


def test_an_empty_choice_changes_nothing_and_makes_no_batch() -> None:
    env = make("backgammon", 2, steps=3)
    states = env.save()
    env.reset(where=np.zeros(2, bool))
    env.restore(states[:0], where=[])
    assert np.array_equal(env.save(), states)
    with pytest.raises(UnknownOption, match="at least one"):
        env.take([])
