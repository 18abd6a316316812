"""Compares the batched environments on a GPU (or in Numba's simulator) with the CPU's, step by step.

NUMBA_ENABLE_CUDASIM=1 python -m tests.envs.batched.gpu 64 40    # games, steps; without a GPU
python -m tests.envs.batched.gpu 100000 1000
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from typing import Any

import numpy as np
from tests.envs import strict_cuda

from ludus.core.cuda import to_host
from ludus.core.errors import GameIsOver, IllegalAction, MalformedAction, MalformedState, UnknownOption
from ludus.envs import batch, stateless
from ludus.envs.batched import cuda as batched_cuda
from ludus.envs.batched.cuda import IS_SIMULATED
from ludus.envs.batched.environment import LAYOUTS

DEVICES: Any = ("cpu", "cuda")
VARIANTS = (
    ("checkers", "standard"),
    ("checkers_v5", "standard"),
    ("backgammon", "standard"),
    ("backgammon", "standard+cube+jacoby+beavers"),
    ("backgammon", "hypergammon+match3"),
)


STARTS = {"checkers_v5": "B:WK32,K30:BK1,K4"}
"""Positions that repeat soon, where repetitions are part of what is seen."""


def compare(game: str, variant: str, layout: str, games: int, steps: int) -> None:
    options: Any = {"seed": 11, "layout": layout, "variant": variant, "scoring": "points"}
    cpu, gpu = (batch(game, games, device=device, **options) for device in DEVICES)
    if game in STARTS:
        cpu.set_positions(STARTS[game])
        gpu.set_positions(STARTS[game])
    repeated = 0
    for step in range(steps):
        chosen = cpu.action_mask.argmax(axis=1) if step % 2 and layout == "bytes" else None
        cpu.step(chosen)
        gpu.step(chosen)
        for name in cpu._views._fields:
            ours, theirs = getattr(cpu, name), host(getattr(gpu, name))
            assert np.array_equal(ours, theirs), (game, variant, layout, step, name)
        check_same(cpu.final, gpu.final)
        repeated += int(np.count_nonzero(cpu.observation[:, 6:])) if game in STARTS else 1
    assert repeated
    assert cpu.rollout(steps=steps) == gpu.rollout(steps=steps)
    assert cpu.rollout(steps=3) == gpu.play(3)
    assert cpu.rollout(lambda step: cpu.sample(), steps=2) == gpu.rollout(lambda step: gpu.sample(), steps=2)
    assert np.array_equal(cpu.observation, host(gpu.observation))
    compare_states(cpu, gpu)
    compare_functions(
        *(stateless(game, device=device, layout=layout, variant=variant, max_steps=4) for device in DEVICES)
    )
    compare_afterstates(cpu, gpu)
    mark = hashlib.sha256(np.ascontiguousarray(cpu.observation).tobytes()).hexdigest()[:16]
    print(f"{game}, {variant}, {layout}: {2 * games * steps} steps, the same ({mark})")


def compare_states(cpu: Any, gpu: Any) -> None:
    """Saved on one device and restored on the other, copied, forked and reset, the games stay the same."""
    games, chosen = cpu.num_envs, np.arange(cpu.num_envs) % 3 == 0
    states = cpu.save()
    assert np.array_equal(states, host(gpu.save()))
    ours, theirs = cpu.clone(), gpu.clone()
    for one, two in ((cpu, gpu), (ours, theirs)):
        one.step()
        two.step()
        one.reset(where=chosen)
        two.reset(where=chosen)
    ours.restore(cpu.save())
    theirs.restore(gpu.save())
    ours.restore(states[chosen], where=chosen)
    theirs.restore(states[chosen], where=chosen)
    twin = pickle.loads(pickle.dumps(gpu))
    check_same(cpu._views, twin._views)
    check_same([cpu.save()], [twin.save()])
    place = cpu.positions(where=[3])
    for env in (ours, theirs):
        env.set_positions(place, where=[1])
    picked = [games - 1, 0, 0]
    for one, two in ((cpu, gpu), (ours, theirs), (ours.take(picked), theirs.take(picked))):
        for name in one._views._fields:
            assert np.array_equal(getattr(one, name), host(getattr(two, name))), name
        one.reset(seed=3, where=[1])
        two.reset(seed=3, where=[1])
        one.step()
        two.step()
        assert np.array_equal(one.save(), host(two.save()))
    if cpu.has_dice:
        for env in (cpu, gpu):
            env.reset(seed=6, where=[2, 0])
            env.set_dice([(2, 1), (6, 4)], where=[0, 2])
        check_same([cpu.save(), cpu.observation], [gpu.save(), gpu.observation])
    for word, error in ((0, MalformedState), (1, GameIsOver), (2 + cpu._kernel.PLAYER, MalformedState)):
        bad = states.copy()
        bad[games // 2, word] = 9
        must_raise(error, lambda bad=bad: gpu.restore(bad))


def compare_functions(cpu: Any, gpu: Any) -> None:
    """Pure steps past the end of some games, all rolls, dice and other seeds."""
    ours, theirs = cpu.init(9, seed=2), gpu.init(9, seed=2)
    for _ in range(5):
        check_same([ours, *cpu.observe(ours), *cpu.chance(ours)], [theirs, *gpu.observe(theirs), *gpu.chance(theirs)])
        (ours, seen), (theirs, shown) = cpu.step(ours), gpu.step(theirs)
        check_same(seen, shown)
    assert (ours[:, 1] != 0).all()
    ours, theirs = cpu.init(3, seed=2), gpu.init(3, seed=2)
    ours, theirs = cpu.afterstates(ours).states[:5], gpu.afterstates(theirs).states[:5]
    check_same([*cpu.chance(ours), cpu.roll(ours)], [*gpu.chance(theirs), gpu.roll(theirs)])
    if waits(cpu):
        must_raise(UnknownOption, lambda: gpu.step(theirs))
        must_raise(UnknownOption, lambda: gpu.afterstates(theirs))
    ours = cpu.reseed(cpu.init(5, seed=2), 3)
    theirs = gpu.reseed(gpu.init(5, seed=2), 3)
    if cpu.has_dice:
        ours, theirs = cpu.set_dice(ours, (5, 2)), gpu.set_dice(theirs, (5, 2))
        must_raise(UnknownOption, lambda: gpu.set_dice(theirs, (3, 3)))
    check_same([ours], [theirs])
    places = cpu.positions(ours)
    assert places == gpu.positions(theirs)
    check_same([cpu.set_positions(ours, places)], [gpu.set_positions(theirs, places)])
    actions = np.full(5, -1)
    must_raise(IllegalAction, lambda: gpu.step(theirs, actions))
    bad = ours.copy()
    bad[3, 0] = 0
    for call in (gpu.step, gpu.observe, gpu.chance):
        must_raise(MalformedState, lambda call=call: call(bad))


def waits(env: Any) -> bool:
    """Whether all after-states wait for dice: a cube would come first."""
    return bool(env.has_dice and env.variant == "standard")


def check_same(ours: Any, theirs: Any) -> None:
    for number, (one, two) in enumerate(zip(ours, theirs, strict=True)):
        assert np.array_equal(one, host(two)), number


def must_raise(error: type[Exception], call: Any) -> None:
    try:
        call()
    except error:
        return
    raise AssertionError(error)


def compare_afterstates(cpu: Any, gpu: Any) -> None:
    """All moves, the best ones by some values, and what comes of them."""
    for turn in range(2):
        ours, theirs = cpu.afterstates(), gpu.afterstates()
        check_same(ours, theirs)
        check_same([ours.counts, ours.games], [theirs.counts, theirs.games])
        must_raise(MalformedAction, lambda theirs=theirs: theirs.best(np.zeros(1)))
        if waits(cpu):
            must_raise(UnknownOption, lambda theirs=theirs: gpu.restore(theirs.states[: gpu.num_envs]))
        worth = np.random.default_rng(turn).random(ours.offsets[-1])
        chosen = theirs.best(worth)
        check_same([ours.best(worth)], [chosen])
        check_same(cpu.step_afterstates(host(chosen)), gpu.step_afterstates(chosen))
    must_raise(IllegalAction, lambda: gpu.step_afterstates(chosen))  # the games have changed
    gpu.afterstates()
    must_raise(IllegalAction, lambda: gpu.step_afterstates(cpu.afterstates().counts))  # there are no such moves
    check_same([cpu.save()], [gpu.save()])


def host(array: Any) -> Any:
    return to_host(array)


if __name__ == "__main__":
    if IS_SIMULATED:
        strict_cuda.install()
    sizes = int(sys.argv[1]), int(sys.argv[2])
    for game, variant in VARIANTS:
        for layout in LAYOUTS:
            compare(game, variant, layout, *sizes)
    batched_cuda.FEW = 0  # the step of large batches, whatever their size
    for game, layout in (("checkers", "bytes"), ("backgammon", "packed")):
        compare(game, "standard", layout, *sizes)
