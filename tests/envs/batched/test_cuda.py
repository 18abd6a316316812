"""The environments on a GPU take what those on a CPU take, and leave their data on the device."""

from __future__ import annotations

import pickle
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from tests.envs.strict_cuda import StrictArray, check_simulated, device_array, shapes, simulated, to_device

from ludus.core.errors import IllegalAction, MalformedAction, MalformedObservation, UnknownOption
from ludus.envs import batch, stateless
from ludus.envs.batched.environment import LAYOUTS
from ludus.envs.expectimax import expectimax

GAMES = ("checkers", "backgammon")
DEVICES: Any = ("cpu", "cuda")


def both(game: str, **options: Any) -> Any:
    return [batch(game, 6, device=device, seed=3, **options) for device in DEVICES]


def host(array: Any) -> Any:
    return array.copy_to_host()


def test_the_simulated_gpu_plays_the_same_games() -> None:
    assert check_simulated("-m", "tests.envs.batched.gpu", "16", "12").count("the same") == 12


@pytest.mark.deep
def test_the_simulated_gpu_plays_many_of_the_same_games() -> None:
    assert check_simulated("-m", "tests.envs.batched.gpu", "100", "100").count("the same") == 12


NO_ROWS = """
from ludus.envs import stateless
env = stateless("backgammon", device="cuda")
none = env.init(1).copy_to_host()[:0]
assert len(env.step(none, none[:, 0])[0]) == len(env.chance(none).weights) == 0
"""


def test_no_rows_are_taken_from_the_host_in_numbas_own_simulator() -> None:
    check_simulated("-c", NO_ROWS)


@simulated
def test_four_warps_write_what_one_has_played() -> None:
    """As on a GPU: elsewhere in the simulator a block has one warp."""
    from ludus.envs.batched import cuda as batched_cuda

    batched_cuda.BLOCK, batched_cuda.WARPS = 128, 4
    for game in (*GAMES, "checkers_v5", "backgammon_v1"):
        for layout in LAYOUTS:
            for games in (1, 7, 33, 70):
                ours, theirs = (batch(game, games, device=device, layout=layout, seed=11) for device in DEVICES)
                for _ in range(3):
                    ours.step()
                    theirs.step()
                    for name in ours._views._fields:
                        assert np.array_equal(getattr(ours, name), host(getattr(theirs, name))), (game, layout, name)
                assert np.array_equal(ours.save(), host(theirs.save()))


@simulated
def test_moves_are_counted_and_named_on_the_device() -> None:
    for game in GAMES:
        ours, theirs = (env.afterstates() for env in both(game))
        assert isinstance(theirs.counts, StrictArray)
        assert isinstance(theirs.games, StrictArray)
        assert np.array_equal(ours.counts, host(theirs.counts))
        assert np.array_equal(ours.games, host(theirs.games))
        assert ours.counts.min() > 1


@simulated
def test_any_number_beats_a_value_that_is_none_on_a_gpu() -> None:
    found = both("backgammon")[1].afterstates()
    offsets = host(found.offsets)
    worth = np.random.default_rng(1).normal(size=offsets[-1])
    worth[offsets[:-1]] = worth[offsets[1:] - 1] = np.nan
    worth[offsets[2] : offsets[3]] = np.nan
    worth[offsets[3] : offsets[4] - 1] = np.nan
    worth[offsets[4] - 1] = -9
    games = [worth[first:last] for first, last in pairwise(offsets)]
    expected = [0 if np.isnan(values).all() else int(np.nanargmax(values)) for values in games]
    assert expected[2] == 0
    assert expected[3] == len(games[3]) - 1
    assert host(found.best(to_device(worth))).tolist() == expected


@simulated
def test_after_states_are_written_where_they_are_read() -> None:
    for game in GAMES:
        functions = [stateless(game, device=device) for device in DEVICES]
        ours, theirs = (each.afterstates(each.init(2)) for each in functions)
        assert np.array_equal(ours.states, host(theirs.states))
        rolled = [each.roll(found.states) for each, found in zip(functions, (ours, theirs), strict=True)]
        assert np.array_equal(rolled[0], host(rolled[1]))
        assert np.array_equal(ours.states, host(theirs.states))


@simulated
def test_actions_are_taken_from_arrays_of_any_kind() -> None:
    env = both("checkers")[1]
    actions = host(env.sample())
    fixed, gaps = actions.copy(), np.zeros((6, 2), np.int64)
    fixed.flags.writeable = False
    gaps[:, 0] = actions
    kinds = [fixed, gaps[:, 0], actions.astype(np.int16), actions.tolist(), to_device(actions), to_device(gaps)[:, 0]]
    seen = [host(env.clone().step(kind).observation) for kind in kinds]
    assert all(np.array_equal(one, seen[0]) for one in seen)
    assert not np.array_equal(host(env.observation), seen[0])


@simulated
def test_the_flags_of_a_step_choose_games() -> None:
    ours, theirs = both("checkers", max_steps=4)
    for env in (ours, theirs):
        env.step()
        env.reset(where=[1, 4])
        for _ in range(3):
            env.step()
    assert host(theirs.truncated).tolist() == [1, 0, 1, 1, 0, 1]
    assert host(theirs.to_play).tolist() == [0, 1, 0, 0, 1, 0]
    for one, two in ((ours.truncated, theirs.truncated), (ours.to_play, theirs.to_play)):
        assert np.array_equal(ours.save(one), host(theirs.save(two)))
        assert np.array_equal(ours.take(one).save(), host(theirs.take(two).save()))
        for env, where in ((ours, one), (theirs, two)):
            env.reset(where=where)
        assert np.array_equal(ours.save(), host(theirs.save()))


@simulated
def test_chosen_moves_are_taken_from_arrays_of_any_kind() -> None:
    env = both("backgammon")[1]
    fixed = np.zeros(6, np.int64)
    fixed.flags.writeable = False
    seen = []
    for kind in (fixed, [0] * 6, np.zeros(12, np.int32)[::2], to_device(fixed)):
        one = env.clone()
        one.afterstates()
        seen.append(host(one.step_afterstates(kind).observation))
    assert all(np.array_equal(one, seen[0]) for one in seen)


@simulated
def test_moves_that_no_game_has_are_refused_and_nothing_is_read_for_them() -> None:
    env = both("backgammon")[1]
    env.afterstates()
    before = host(env.save())
    with pytest.raises(MalformedAction, match="6 integers"):
        env.step_afterstates(None)
    for number in (-1, 99, 2**63 - 1):
        with pytest.raises(IllegalAction):
            env.step_afterstates(np.full(6, number))
        assert np.array_equal(host(env.save()), before)


@simulated
def test_functions_can_be_pickled() -> None:
    functions = stateless("backgammon", device="cuda", cube=True)
    twin = pickle.loads(pickle.dumps(functions))
    assert np.array_equal(host(twin.init(2, seed=3)), host(functions.init(2, seed=3)))


@simulated
def test_wrong_numbers_of_random_steps_are_refused() -> None:
    env = both("checkers")[1]
    for steps in (-1, 1.5, 1 << 63):
        with pytest.raises(UnknownOption, match="steps"):
            env.play(steps)


@simulated
def test_values_on_a_gpu_are_real_numbers() -> None:
    functions = stateless("backgammon", device="cuda")
    states = functions.init(2)
    found = functions.afterstates(states)
    for kind in (complex, object, "U1"):
        values = np.zeros(len(found.states)).astype(kind)
        with pytest.raises(MalformedAction, match="real numbers"):
            found.best(values)
        with pytest.raises(MalformedObservation, match="real numbers"):
            expectimax(functions, states, lambda observation, values=values: values)  # type: ignore[misc]  # a default


@simulated
def test_malformed_actions_are_refused_and_nothing_is_played() -> None:
    env, functions = both("checkers")[1], stateless("checkers", device="cuda")
    before = host(env.save())
    for bad in (np.zeros(6), np.zeros(5, int), ["a"] * 6, [[1], [2, 3]], 3, device_array(6, np.float32)):
        with pytest.raises(MalformedAction):
            env.step(bad)
        with pytest.raises(MalformedAction):
            functions.step(before, bad)
    assert np.array_equal(before, host(env.save()))
    with pytest.raises(IllegalAction, match="game"):
        env.step([-1] * 6)


@simulated
def test_states_with_gaps_are_read_as_they_are() -> None:
    ours, theirs = (stateless("backgammon", device=device) for device in DEVICES)
    states = ours.init(6)
    for some in (to_device(states)[::2], states[::2]):
        for name in ("observe", "chance", "roll", "afterstates"):
            for one, two in zip(getattr(ours, name)(states[::2]), getattr(theirs, name)(some), strict=True):
                assert np.array_equal(one, host(two) if isinstance(two, StrictArray) else two), name


@simulated
def test_padding_is_cut_off_without_a_look_at_each_row() -> None:
    seen, visit = [], shapes().Array.iter_contiguous_extent

    def count(array: Any) -> Any:
        parts = [*visit(array)]
        seen.append(len(parts))
        return parts

    shapes().Array.iter_contiguous_extent = count
    env, functions = both("backgammon")[1], stateless("backgammon", device="cuda")
    states, step = functions.step(functions.init(6))
    shown = functions.afterstates(states).observation
    for array, padded in ((env.observation, 64), (step.observation, 64), (shown, 64), (step.action_mask, 160)):
        assert array.shape[1] < padded == array.strides[0]
    assert set(seen) == {1}


@simulated
def test_of_no_states_there_is_nothing_to_list() -> None:
    for game in GAMES:
        ours, theirs = (stateless(game, device=device) for device in DEVICES)
        none = ours.init(1)[:0]
        for name in ("observe", "chance", "afterstates", "step"):
            one, two = (getattr(functions, name)(none) for functions in (ours, theirs))
            assert two[0].shape == one[0].shape, name
        assert ours.roll(none).shape == theirs.roll(none).shape == ours.reseed(none, 1).shape
        assert ours.afterstates(none).counts.shape == theirs.afterstates(none).counts.shape == (0,)
