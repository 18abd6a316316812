"""A batch plays the same games as a single environment, on every device."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ludus.core.errors import (
    IllegalAction,
    LudusError,
    MalformedAction,
    MalformedObservation,
    NoDevice,
    UnknownOption,
    UnknownVariant,
)
from ludus.core.kernel import bound
from ludus.envs import backgammon_v0, batch, checkers_v4
from ludus.envs.batched import driver, streams
from ludus.envs.encoding import find_encoding

GAMES = ("checkers", "backgammon")
every_game = pytest.mark.parametrize("game", GAMES)
STEPS = 300_000


FORKED = """
import os, signal
from ludus.envs import batch, stateless
env, functions = batch("checkers", 5000, threads=2), stateless("checkers", threads=2)
states = functions.init(5000)
env.step()
child = os.fork()
if not child:
    signal.alarm(60)
    os._exit(not (env.step().observation == functions.observe(functions.step(functions.step(states)[0])[0])[0]).all())
assert os.waitpid(child, 0)[1] == 0
"""


def digest_of_batch(game: str, steps: int) -> str:
    """Observation, mask, player and reward of every random step of game 0."""
    games, seen = batch(game, 1, seed=7), hashlib.sha256()
    for _ in range(steps):
        seen.update(games.observation.tobytes())
        seen.update(games.action_mask.tobytes())
        mover = int(games.to_play[0])
        games.step()
        seen.update(bytes([mover, int(games.reward[0]) + 128, int(games.terminated[0])]))
    return seen.hexdigest()


def digest_of_aec(game: str, steps: int) -> str:
    """The same through the AEC environment, with the same random policy."""
    env, seen = {"checkers": checkers_v4, "backgammon": backgammon_v0}[game].raw_env(), hashlib.sha256()
    key = streams.key_of(7, 0)
    env.reset(seed=7)
    for step in range(steps):
        agent = env.agent_selection
        observation, mask = env.observe(agent).values()
        seen.update((observation.transpose(2, 0, 1) if observation.ndim == 3 else observation).tobytes())
        seen.update(mask.tobytes())
        legal = mask.nonzero()[0].tolist()
        if game == "backgammon":
            legal = sorted(legal, key=lambda action: (-(action % 6), action))
        env.step(legal[streams.below(streams.draw(key, streams.POLICY, step), len(legal))])
        is_over = env.terminations[agent]
        seen.update(bytes([env.possible_agents.index(agent), env.rewards[agent] + 128, int(is_over)]))
        if is_over:
            env.reset()
    return seen.hexdigest()


@every_game
def test_one_game_at_a_time_and_in_a_batch_are_the_same(game: str) -> None:
    assert digest_of_aec(game, STEPS) == digest_of_batch(game, STEPS)


@every_game
def test_threads_and_layouts_change_nothing(game: str) -> None:
    kernel = find_encoding(game).kernel
    one = batch(game, 5000, seed=3, threads=1)
    two = batch(game, 5000, seed=3, threads=2)
    packed = batch(game, 5000, seed=3, layout="packed")
    for _ in range(120):
        for env in (one, two, packed):
            env.step()
        assert all(np.array_equal(a, b) for a, b in zip(one.step(), two.step(), strict=True))
        packed.step()
        assert np.array_equal(one.to_play, packed.to_play)
        assert np.array_equal(one.reward, packed.reward)
    compact = np.zeros(kernel.COMPACT, np.int64)
    for i in range(0, 5000, 617):
        kernel.write_compact(one._state, i, compact, 0)
        pieces = compact.view(np.int8)
        words = [kernel.observation_word(pieces, 0, w) for w in range(kernel.OBSERVATION_WORDS)]
        flat = np.array(words, np.int64).view(np.int8)
        assert np.array_equal(flat[: one.observation[i].size], one.observation[i].ravel())
        at = kernel.PACKED_OBSERVATION * 8
        words = [kernel.mask_word(pieces, at, w) for w in range(kernel.MASK_WORDS)]
        assert np.array_equal(np.array(words, np.int64).view(np.int8)[: one.num_actions], one.action_mask[i])


@every_game
def test_a_rollout_is_that_many_random_steps(game: str) -> None:
    one, two = (batch(game, 300, seed=5) for _ in range(2))
    totals = one.rollout(steps=400)
    ended: Any = 0
    for _ in range(400):
        two.step()
        ended += np.count_nonzero(two.terminated)
    assert np.array_equal(one.observation, two.observation)
    assert totals.games == ended
    assert totals.steps == 300 * 400


@every_game
def test_a_policy_is_called_at_every_step(game: str) -> None:
    env, calls = batch(game, 50, seed=5), []

    def first_legal(step: Any) -> Any:
        calls.append(step.to_play.copy())
        return step.action_mask.argmax(axis=1)

    totals = env.rollout(first_legal, steps=300)
    assert len(calls) == 300
    assert totals.games > 0


@every_game
def test_a_policy_that_returns_nothing_is_refused(game: str) -> None:
    """`step` takes None for random play, which nobody means who forgets a return."""
    env = batch(game, 2, seed=5)
    before = env.save()
    with pytest.raises(MalformedAction, match="the policy returned None"):
        env.rollout(lambda step: None, steps=1)
    assert np.array_equal(env.save(), before)


@every_game
def test_winners_are_counted_alike_with_and_without_a_policy(game: str) -> None:
    """The policy makes the choices of random play, so the games are the same, counted in another way."""
    kernel = find_encoding(game).kernel
    env: Any = batch(game, 60, seed=6, max_steps=150)

    def same_choice(_: Any) -> Any:
        return np.array([kernel.sample_action(env._state, i) for i in range(60)])

    assert env.rollout(same_choice, steps=400) == batch(game, 60, seed=6, max_steps=150).rollout(steps=400)


@every_game
def test_without_a_seed_games_differ(game: str) -> None:
    one, two = (batch(game, 64, seed=None) for _ in range(2))
    for env in (one, two):
        for _ in range(30):
            env.step()
    assert len({row.tobytes() for row in one.observation}) > 50
    assert not np.array_equal(one.observation, two.observation)


@every_game
def test_a_reset_with_a_seed_starts_over_and_without_one_continues(game: str) -> None:
    env = batch(game, 20, seed=8)
    first = [env.step().observation.copy() for _ in range(30)]
    env.reset(seed=8)
    assert all(np.array_equal(env.step().observation, seen) for seen in first)
    env.reset()
    later = [env.step().observation.copy() for _ in range(30)]
    assert not all(np.array_equal(a, b) for a, b in zip(first, later, strict=True))


@every_game
def test_games_of_one_batch_differ(game: str) -> None:
    env = batch(game, 100, seed=1)
    for _ in range(30):
        env.step()
    assert len({row.tobytes() for row in env.observation}) > 90


@every_game
def test_an_illegal_action_is_refused_and_nothing_is_played(game: str) -> None:
    env = batch(game, 10, seed=1)
    before = [array.copy() for array in env.step()]
    actions = env.action_mask.argmax(axis=1)
    actions[7] = np.flatnonzero(env.action_mask[7] == 0)[0]
    with pytest.raises(IllegalAction, match="game 7"):
        env.step(actions)
    assert all(np.array_equal(a, b) for a, b in zip(before, env._views, strict=True))


@every_game
@pytest.mark.parametrize("number", [10, 4096])
def test_sampled_actions_are_checked_if_the_caller_changed_them(game: str, number: int) -> None:
    env = batch(game, number, threads=2, seed=1)
    logits = np.zeros((number, env.num_actions), np.float32)
    ways: list[Callable[[], Any]] = [env.sample, lambda: env.sample(stream=1), lambda: env.sample(logits)]
    for sample in ways:
        before = [array.copy() for array in env.step()]
        actions = sample()
        actions[7] = np.flatnonzero(env.action_mask[7] == 0)[0]
        with pytest.raises(IllegalAction, match="game 7"):
            env.step(actions)
        assert all(np.array_equal(a, b) for a, b in zip(before, env._views, strict=True))
        env.step(sample())


@every_game
@pytest.mark.parametrize("number", [10, 4096])
@pytest.mark.parametrize("change", [
    lambda env: env.step(),
    lambda env: env.step(env.sample()),
    lambda env: env.rollout(steps=1),
    lambda env: env.reset(seed=5),
    lambda env: env.reset(where=range(10)),
    lambda env: env.restore(batch(env.game, env.num_envs, seed=5).save()),
    lambda env: env.set_positions(batch(env.game, 1, seed=9).positions()[0]),
    lambda env: env._fill(batch(env.game, env.num_envs, seed=5)._contents()),
    lambda env: (env.afterstates(), env.step_afterstates(np.zeros(env.num_envs, int))),
])  # fmt: skip
def test_sampled_actions_are_checked_if_the_games_have_changed(game: str, number: int, change: Any) -> None:
    env = batch(game, number, threads=2, seed=1)
    env.rollout(steps=25)
    actions = env.sample(stream=2).copy()
    change(env)
    illegal = env.action_mask[np.arange(number), actions] == 0
    assert illegal.any()
    before = [array.copy() for array in env._views]
    with pytest.raises(IllegalAction, match=f"game {illegal.argmax()};"):
        env.step(actions)
    assert all(np.array_equal(a, b) for a, b in zip(before, env._views, strict=True))


@pytest.mark.parametrize("name", ["checkers_v4", "checkers_v5"])
def test_what_is_loaded_ahead_is_the_end_of_the_games_own_history(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = batch(name, 300, seed=1)
    env.rollout(steps=100)
    loops, places, words = bound(driver, env._kernel), list[int](), env._kernel.HISTORY
    monkeypatch.setattr(loops, "prefetch", lambda _, at: places.append(at))
    for game, position in enumerate(env.positions()):
        loops.fetch_history(env._state, game, env._history, env._latest)
        assert max(places) == game * words + position.quiet
        assert min(places) == game * words + max(position.quiet - 16, 0)
        places.clear()
    assert max(position.quiet for position in env.positions()) > 16


def test_a_kernel_need_not_say_where_its_history_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    one = batch("checkers", 300, seed=1)
    monkeypatch.delattr(one._kernel, "LATEST")
    two = batch("checkers", 300, seed=1)
    assert (one._latest >= 0, two._latest) == (True, -1)
    for _ in range(200):
        assert np.array_equal(one.step().observation, two.step().observation)


def test_actions_of_a_draw_that_failed_are_refused() -> None:
    env = batch("checkers", 10, seed=1)
    logits = np.zeros((10, env.num_actions), np.float32)
    env.sample(logits)
    logits[4] = np.nan
    with pytest.raises(MalformedObservation, match="row 4"):
        env.sample(logits)
    with pytest.raises(IllegalAction, match="action -1 is not legal in game 4"):
        env.step(env._samples.actions)


@pytest.mark.parametrize("number", [10, 4096])
def test_actions_are_taken_from_arrays_of_any_kind(number: int) -> None:
    env = batch("checkers", number, threads=2, seed=1)
    env.rollout(steps=25)
    actions = env.sample()
    fixed, gaps = actions.copy(), np.zeros((number, 2), np.int64)
    fixed.flags.writeable = False
    gaps[:, 0] = actions
    kinds = [fixed, gaps[:, 0], actions.astype(np.int16), actions.tolist(), actions]
    envs = [env.clone() for _ in kinds]
    seen = [one.step(kind).observation for one, kind in zip(envs, kinds, strict=True)]
    assert all(np.array_equal(one, seen[0]) for one in seen)


@every_game
@pytest.mark.parametrize("actions", [
    np.zeros(10), np.zeros((10, 1), int), np.zeros(9, int), ["a"] * 10, 3, np.full(10, -1), np.full(10, 256),
    np.full(10, 2**62),
])  # fmt: skip
def test_malformed_actions_are_refused(game: str, actions: Any) -> None:
    env = batch(game, 10, seed=1)
    with pytest.raises((MalformedAction, IllegalAction)):
        env.step(actions)


@pytest.mark.parametrize(("options", "error"), [
    ({"game": "chess"}, UnknownOption),
    ({"layout": "json"}, UnknownOption),
    ({"scoring": "elo"}, UnknownOption),
    ({"num_envs": 0}, UnknownOption),
    ({"max_steps": -1}, UnknownOption),
    ({"threads": 0}, UnknownOption),
    ({"threads": 1.5}, UnknownOption),
    ({"num_envs": "4"}, UnknownOption),
    ({"num_envs": 4.5}, UnknownOption),
    ({"max_steps": 2.5}, UnknownOption),
    ({"max_steps": 1 << 63}, UnknownOption),
    ({"seed": "a"}, UnknownOption),
    ({"game": ["checkers"]}, UnknownOption),
    ({"device": "tpu"}, UnknownOption),
    ({"device": "cuda"}, NoDevice),
    ({"variant": "plakoto"}, UnknownVariant),
])  # fmt: skip
def test_unknown_options_are_refused(options: dict[str, Any], error: type[LudusError]) -> None:
    with pytest.raises(error):
        batch(**({"game": "checkers", "num_envs": 4} | options))  # type: ignore[call-overload]  # wrong on purpose


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that forks")
def test_a_forked_process_goes_on_with_the_batch_and_the_functions_of_its_parent() -> None:
    """The parent's threads are not there: a learner's workers waited for them without end."""
    subprocess.run([sys.executable, "-c", FORKED], check=True)


def test_more_steps_than_a_word_can_count_are_refused() -> None:
    with pytest.raises(UnknownOption, match=r"steps must be an integer, 0 to 9,223,372,036,854,775,807, not"):
        batch("checkers", 2).rollout(steps=1 << 63)


@every_game
def test_max_steps_truncates(game: str) -> None:
    env = batch(game, 10, seed=1, max_steps=5)
    for step in range(1, 21):
        env.step()
        assert env.truncated.all() == (step % 5 == 0)
        assert not env.terminated.any()
    assert env.rollout(steps=5).truncated == 10


def test_points_are_paid_on_request() -> None:
    env = batch("backgammon", 300, seed=1, scoring="points")
    seen = set()
    for _ in range(500):
        seen.update(env.step().reward[env.terminated].tolist())
    assert seen == {1, 2, 3}


@every_game
def test_a_game_needs_less_than_a_kilobyte(game: str) -> None:
    env: Any = batch(game, 1000)
    shard = env._shards[0]
    held = shard.state.nbytes + shard.history.nbytes + sum(a.nbytes for a in shard.transition) + shard.totals.nbytes
    assert held / 1000 < 1024
