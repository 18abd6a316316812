"""The vectors of compiled draws do what the plain functions do, and kernels list the actions that their masks have."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from ludus.core import bits
from ludus.core.kernel import compiled
from ludus.envs import batch
from ludus.envs.encoding import find_encoding, games, versions
from ludus.envs.sampling import lanes, rows
from ludus.envs.sampling.cpu import listed_actions
from ludus.envs.sampling.lanes import LANES
from ludus.envs.sampling.weights import ONE, weight_of

NAMES = [name for game in games() for name in versions(game)]
MACHINE, BITS = compiled(lanes), compiled(bits)


@pytest.mark.parametrize("word", [0, 1, 0b1011, -1, -(1 << 63), 0x5555555555555555, (1 << 40) - 1])
def test_a_set_is_listed_in_order(word: int) -> None:
    members = [64 + bit for bit in range(64) if word >> bit & 1]
    plain, fast = np.zeros(200, np.uint8), np.zeros(200, np.uint8)
    assert lanes.list_set(word & (1 << 64) - 1, 64, plain, 3) == 3 + len(members)
    assert MACHINE.list_set(word, 64, fast, 3) == 3 + len(members)
    assert plain[3 : 3 + len(members)].tolist() == fast[3 : 3 + len(members)].tolist() == members


@pytest.mark.parametrize("word", [0, 1, 0b1011, -1, -(1 << 63), (1 << 40) - 1])
def test_a_set_is_listed_by_the_names_of_its_members(word: int) -> None:
    names = np.random.default_rng(1).integers(0, 256, 100).astype(np.uint8)
    members = [int(names[20 + bit]) for bit in range(64) if word >> bit & 1]
    plain, fast = np.zeros(200, np.uint8), np.zeros(200, np.uint8)
    assert bits.list_members(word & (1 << 64) - 1, names, 20, plain, 3) == 3 + len(members)
    assert BITS.list_members(word, names, 20, fast, 3) == 3 + len(members)
    assert plain[3 : 3 + len(members)].tolist() == fast[3 : 3 + len(members)].tolist() == members


@pytest.mark.parametrize("special", [0, np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("end", [2, 3, 9, 10, 30])
def test_logits_are_gathered_and_weighed_alike(special: float, end: int) -> None:
    rng = np.random.default_rng(end)
    logits = rng.normal(scale=9, size=300).astype(np.float32)
    ids = rng.integers(0, 200, 40).astype(np.uint8)
    logits[100 + int(ids[4])] = special
    scale = np.float32(1.4427)
    found: list[Any] = []
    for module in (lanes, MACHINE):
        values, sums = np.zeros(40, np.float32), np.zeros(40, np.int64)
        with np.errstate(invalid="ignore"):
            highest = module.gather(logits, 100, ids, 2, end, values)
            module.lower(values, 2, np.float32(highest))
            total = module.weigh(values, 2, scale, 5, sums)
        counts = [module.count_up_to(sums, 2, mark) for mark in (0, 5, ONE, 3 * ONE, total)]
        found.append((float(highest), values.tolist(), sums.tolist(), total, counts))
    assert repr(found[0]) == repr(found[1])


def test_a_processor_named_for_numba_gets_no_instructions_that_only_this_one_has() -> None:
    code = f"""
import numpy as np
from {__name__} import BITS, MACHINE
ids, sums = np.zeros(200, np.uint8), np.zeros(40, np.int64)
print(MACHINE.list_set(0b1011, 64, ids, 0), MACHINE.weigh(np.zeros(40, np.float32), 0, np.float32(1), 0, sums))
print(BITS.list_members(0b1011, ids, 0, ids, 0), BITS.prefetch(sums, 3), BITS.join_two(BITS.spread_two(0xFFFFFFFF)))
"""
    environment = os.environ | {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert child.stdout.split() == ["3", str(LANES * ONE), "3", "None", str(0xFFFFFFFF)], child.stderr


def test_weights_are_as_exact_as_logits() -> None:
    exponents: Any = -np.linspace(0, 20, 5001, dtype=np.float32)
    weights = np.array([weight_of(each, 0, 1, False) for each in exponents])
    assert np.allclose(weights / ONE, np.exp2(exponents.astype(float)), rtol=1.2e-7, atol=1 / ONE)
    assert weights[0] == ONE
    assert (np.diff(weights) <= 0).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_kernel_lists_the_actions_of_its_mask(name: str) -> None:
    env = batch(name, 200, seed=3)
    kernel, names = compiled(find_encoding(name).kernel), listed_actions(env._kernel)
    sets, ids, some = np.zeros(-(-env.num_actions // 64), np.int64), np.zeros(300, np.uint8), [0] * 300
    for _ in range(20):
        env.rollout(steps=7)
        for game in range(200):
            kernel.write_legal(env._state, game, sets, 0)
            listed = np.unpackbits(sets.view(np.uint8), bitorder="little")[: env.num_actions]
            assert np.array_equal(listed, env.action_mask[game])
            end = kernel.list_legal(env._state, game, names, ids, 5)
            assert np.array_equal(ids[5:end], np.flatnonzero(listed))
        assert env._kernel.list_legal(env._state, 199, names, some, 5) == end
        assert some[5:end] == ids[5:end].tolist()


@pytest.mark.parametrize("mark", [0, 9, 10, 59, 60, 69])
def test_the_action_is_the_first_whose_cumulative_weight_is_above_the_mark(mark: int) -> None:
    number = -(-(mark << 32) // 70)
    for module in (rows, compiled(rows)):
        ids, starts, sums = np.arange(50, 66, dtype=np.uint8), np.array([0, 1, 4, 4]), np.full(16, 75)
        sums[:4], actions, totals = (5, 15, 65, 75), np.array([0, number, 0]), np.zeros(3, np.int64)
        module.choose(sums, ids, starts, actions, totals)
        place = 1 + (mark >= 10) + (mark >= 60)
        assert (actions.tolist(), totals.tolist()) == ([50, 50 + place, -1], [5, 70, 0])
        assert starts[1] == place


def test_a_row_without_weight_is_not_searched() -> None:
    ids, starts, sums = np.arange(8, dtype=np.uint8), np.array([0, 3, 3]), np.full(8, 70)
    sums[:3], actions, totals = (10, 60, 70), np.array([1 << 31, 5]), np.zeros(2, np.int64)
    rows.choose(sums, ids, starts, actions, totals)
    assert (actions.tolist(), totals.tolist(), starts[0]) == ([1, -1], [70, 0], 1)


@pytest.mark.parametrize("word", [0, 1, 0x80000001, 0xFFFFFFFF, 0x12345678])
def test_bits_are_spread_and_joined(word: int) -> None:
    apart = sum((word >> bit & 1) << 2 * bit for bit in range(32))
    for module in (bits, BITS):
        assert module.spread_two(word) == apart
        assert module.join_two(apart) == module.join_two(apart | (0x0AAAAAAAAAAAAAAA)) == word


@pytest.mark.parametrize("name", NAMES)
def test_a_game_is_drawn_alike_with_and_without_its_mask(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = batch(name, 300, seed=3)
    env.rollout(steps=60)
    logits = np.random.default_rng(1).normal(scale=3, size=(300, env.num_actions)).astype(np.float32)
    drawn = env.sample(logits, log_probs=True)
    actions, log_probs, others = drawn.actions.copy(), drawn.log_probs.copy(), env.sample(stream=1).copy()
    monkeypatch.delattr(env._kernel, "list_legal")
    same = env.clone()
    assert not same._sampler.can_list
    from_mask = same.sample(logits, log_probs=True)
    assert np.array_equal(actions, from_mask.actions)
    assert np.array_equal(log_probs, from_mask.log_probs)
    assert np.array_equal(others, same.sample(stream=1))
    assert env.action_mask.sum(axis=1).max() > LANES
