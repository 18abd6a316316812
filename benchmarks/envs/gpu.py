"""The batched environment on a GPU: `PYTHONPATH=src python -m benchmarks.envs.gpu`, and `--pgx FOLDER` for the peer.

First it checks that CPU and GPU play the same games, draw the same actions and list the same moves; then it times
everything until the device is idle. `--only 'same|small'` runs some of the sections: same, fill, checkers, backgammon,
small, graphs and states. In Numba's simulator, `NUMBA_ENABLE_CUDASIM=1 … gpu --trial` runs all but the graphs on a few
games.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from benchmarks.envs.figures import Row, aim_text
from benchmarks.report import heading, machine, row
from ludus.core.cuda import cuda
from ludus.envs import sampling
from ludus.envs.batched import batch, stateless
from ludus.envs.batched.cuda import IS_SIMULATED

TRANSITION = 4
"""Bytes a game for reward, terminated, truncated and to_play."""
WORDS = {
    ("checkers", "bytes"): 80,
    ("checkers", "packed"): 10,
    ("backgammon", "bytes"): 28,
    ("backgammon", "packed"): 12,
}
"""Integers of observation and mask that a step writes for each game."""
DEVICES: Any = ("cpu", "cuda")
VERSIONS = ("checkers", "checkers_v5", "backgammon", "backgammon_v1")
AT_ONCE = 8
"""Steps in the longer graphs."""


class Sizes(NamedTuple):
    """How much to measure; `TRIAL` is for the simulator."""

    batches: tuple[int, ...] = (1 << 18, 1 << 20, 1 << 22)
    small: int = 4096
    filled: int = 1 << 29
    compared: tuple[int, int] = (4096, 300)
    enough: float = 0.2
    most: int = 1000
    best_of: int = 5


TRIAL = Sizes((8,), 4, 256, (4, 12), 0.0, 2, 1)


def seconds(work: Callable[[], Any], best_of: int) -> float:
    """The best of a few runs, each from an idle device to an idle device."""
    times = []
    for _ in range(best_of):
        cuda.synchronize()
        began = time.perf_counter()
        work()
        cuda.synchronize()
        times.append(time.perf_counter() - began)
    return min(times)


def seconds_per_call(work: Callable[[], Any], sizes: Sizes) -> float:
    """Measured over enough calls to be timed; the first ones compile."""
    for _ in range(2):
        work()
    number = int(min(sizes.most, max(2, sizes.enough / seconds(work, 1))))
    return seconds(lambda: [work() for _ in range(number)], sizes.best_of) / number


@cache
def fill_rate(sizes: Sizes) -> tuple[float, Row]:
    """Bytes a second at which a plain kernel fills memory, with torch's rate for reference."""

    @cuda.jit
    def fill(out: Any, value: int) -> None:
        for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
            out[i] = value

    out = cuda.device_array(sizes.filled, np.int64)
    threads = 256
    every = (sizes.filled + threads - 1) // threads
    grids = {min(every, blocks) for blocks in (1 << 10, 1 << 11, 1 << 13, every)}
    best = min(seconds_per_call(lambda grid=grid: fill[grid, threads](out, 7), sizes) for grid in grids)  # type: ignore[misc]  # mypy infers no lambda with a default
    assert (out[-3:].copy_to_host() == 7).all()
    rate = sizes.filled * 8 / best
    reference = ""
    if find_spec("torch"):
        torch: Any = import_module("torch")
        filled = torch.as_tensor(out, device="cuda")
        reference = f"{sizes.filled * 8 / seconds_per_call(lambda: filled.fill_(9), sizes) / 1e9:,.0f} (torch `fill_`)"
    return rate, Row("plain fill kernel, GB/s", f"{rate / 1e9:,.0f}", reference)


def same_on_both(sizes: Sizes) -> None:
    """Checks that a seed gives bit-identical games on CPU and GPU, stepped and rolled out."""
    number, steps = sizes.compared
    for game, layout in WORDS:
        here, there = (batch(game, number, layout=layout, seed=7, device=device) for device in DEVICES)
        for _ in range(min(steps, 20)):
            here.step()
            there.step()
        assert here.rollout(steps=steps) == there.rollout(steps=steps)
        marks = [digest(env) for env in (here, there)]
        assert marks[0] == marks[1], f"{game}, {layout}: CPU and GPU differ"
        print(f"same on CPU and GPU: {game}, {layout}, sha256 {marks[0]}", flush=True)


def same_functions(sizes: Sizes) -> None:
    """Checks the same of draws, after-states, rolls and pure steps."""
    number = sizes.compared[0]
    for game in VERSIONS:
        envs = [batch(game, number, seed=7, device=device) for device in DEVICES]
        logits = np.random.default_rng(7).normal(size=(number, envs[0].num_actions)).astype(np.float32)
        found = []
        for env in envs:
            env.rollout(steps=sizes.compared[1])
            functions = stateless(game, device=env.device)
            states, step = functions.step(env.save())
            listed = env.afterstates()
            found.append([env.sample(logits), *listed, listed.counts, *functions.chance(states), states, *step])
        for ours, theirs in zip(*found, strict=True):
            assert np.array_equal(ours, theirs.copy_to_host()), f"{game}: CPU and GPU differ"
        print(f"same on CPU and GPU: {game}, draws, after-states, rolls and pure steps", flush=True)


def digest(env: Any) -> str:
    """Of the state of all games and all public arrays."""
    found = hashlib.sha256(np.ascontiguousarray(env._host(env._state)[: env._kernel.WORDS]).tobytes())
    for array in (env.observation, env.action_mask, env.reward, env.terminated, env.truncated, env.to_play):
        found.update(np.ascontiguousarray(env._host(array)).tobytes())
    return found.hexdigest()


class Rates(NamedTuple):
    """Steps a second: a launch per step; fused, all shown; fused, only the last shown; actions chosen by torch.

    The last two include the choice, by `sample()` and by `sample(logits)`.
    """

    launched: float
    fused: float
    hidden: float
    chosen: float
    with_choice: float
    sampled: float
    with_logits: float


def measure(game: str, layout: str, number: int, sizes: Sizes) -> Rates:
    env: Any = batch(game, number, layout=layout, device="cuda", seed=1)
    at_once = 4 if sizes is TRIAL else max(500, min(2000, 200_000_000 // number))
    env.play(at_once, show=False)  # until the games are of all ages
    launched = number / seconds_per_call(env.step, sizes)
    fused = number * at_once / seconds(lambda: env.play(at_once, show=True), min(3, sizes.best_of))
    hidden = number * at_once / seconds(lambda: env.play(at_once, show=False), min(3, sizes.best_of))
    sampled = number / seconds_per_call(lambda: env.step(env.sample(), check=False), sizes)
    chosen = by_torch(env, number, sizes) if layout == "bytes" and find_spec("torch") else (0.0, 0.0)
    found = Rates(launched, fused, hidden, *chosen, sampled, by_logits(env, number, sizes))
    print(f"{game}, {layout}, {number:,} games: {text(found)}; {resources(env)}", flush=True)
    return found


def text(found: Rates) -> str:
    return ", ".join(f"{name} {value / 1e6:,.1f} M/s" for name, value in found._asdict().items() if value)


def resources(env: Any) -> str:
    """Registers and memory of the step kernel, if the compiler reports them."""
    kernel = env._launch.step
    try:
        found = kernel.get_regs_per_thread(), kernel.get_local_mem_per_thread(), kernel.get_shared_mem_per_block()
    except (AttributeError, NotImplementedError):
        return "resources unknown"
    registers, local, shared = (next(iter(values.values())) for values in found)
    return f"{registers} registers, {local} bytes of local memory a thread, {shared} of shared memory a block"


def by_torch(env: Any, number: int, sizes: Sizes) -> tuple[float, float]:
    """Steps a second with actions that torch samples from the mask: without and with the time to sample."""
    torch: Any = import_module("torch")
    mask = torch.as_tensor(env.action_mask, device="cuda")
    noise = torch.empty(mask.shape, dtype=torch.float16, device="cuda")

    def choose() -> Any:
        return (noise.uniform_(0.5, 1.0) * mask).argmax(dim=1)

    def step() -> None:
        env.step(cuda.as_cuda_array(choose()), check=False)

    both, alone = seconds_per_call(step, sizes), seconds_per_call(choose, sizes)
    env.raise_illegal()
    return number / max(both - alone, 1e-9), number / both


def by_logits(env: Any, number: int, sizes: Sizes) -> float:
    """Steps a second with actions that our sampler draws from logits, which are there already."""
    logits = some_logits(number, env.num_actions)
    found = number / seconds_per_call(lambda: env.step(env.sample(logits, check=False), check=False), sizes)
    env.raise_illegal()
    return found


def some_logits(number: int, actions: int) -> Any:
    """From -2 to 2, made on the device: on the host gigabytes of them take long."""
    logits = cuda.device_array((number, actions), np.float32)
    fill_logits[max(1, min(1 << 13, number * actions // 256)), 256](logits.reshape(-1))
    return logits


@cuda.jit
def fill_logits(out: Any) -> None:
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[i] = (i * 2654435761 >> 8 & 0xFFFF) / 16384 - 2


def pgx_rates(folder: str, number: int) -> float:
    """Steps a second of Pgx's backgammon on the same card, in a separate process."""
    steps = max(100, min(1000, 50_000_000 // number))
    command = [sys.executable, "-m", "benchmarks.envs.pgx_peer", "--pgx", folder]
    command += ["--batch", str(number), "--steps", str(steps), "--best-of", "3"]
    env = os.environ | {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    figures = json.loads(subprocess.check_output(command, env=env, text=True).splitlines()[-1])
    print(f"Pgx: {figures}", flush=True)
    assert figures["device"] != "cpu"
    return float(figures["steps"])


def checkers_rows(sizes: Sizes) -> Iterator[Row]:
    fill, _ = fill_rate(sizes)
    for number in sizes.batches:
        found = {layout: measure("checkers", layout, number, sizes) for layout in ("bytes", "packed")}
        what = f"checkers, bytes, {number:,} games, steps/s"
        aim = 0.6 if number == sizes.batches[-1] else 0
        as_bytes, packed = found["bytes"], found["packed"]
        yield of_fill(f"{what}, a launch each", as_bytes.launched, "bytes", fill, aim)
        yield of_fill(f"{what}, fused", as_bytes.fused, "bytes", fill, aim)
        if as_bytes.chosen:
            yield of_fill(f"{what}, actions by torch", as_bytes.chosen, "bytes", fill)
            yield of_fill(f"{what}, and torch's time to pick them", as_bytes.with_choice, "bytes", fill)
        yield of_bare(f"{what}, `step(sample())`", as_bytes.sampled, as_bytes.launched, 0.6)
        yield of_bare(f"{what}, `step(sample(logits))`", as_bytes.with_logits, as_bytes.launched, 0.6)
        yield of_fill(f"checkers, packed, {number:,} games, steps/s, a launch each", packed.launched, "packed", fill)
        yield of_fill(f"checkers, packed, {number:,} games, steps/s, fused", packed.fused, "packed", fill)
        yield Row(f"checkers, {number:,} games, steps/s, fused, nothing shown", f"{packed.hidden:,.0f}")


def of_bare(what: str, steps: float, bare: float, aim: float = 0) -> Row:
    """Step and choice as a share of the step alone."""
    return Row(
        what, f"{steps:,.0f}", f"{bare:,.0f} (the bare step)", f"{steps / bare:.2f}", aim_text(steps / bare, aim)
    )


def of_fill(what: str, steps: float, layout: str, fill: float, aim: float = 0) -> Row:
    """Bytes written for observation, mask and transition, as a share of the fill kernel's rate."""
    written = steps * (WORDS["checkers", layout] * 8 + TRANSITION)
    share = written / fill
    peer = f"{written / 1e9:,.0f} of {fill / 1e9:,.0f} GB/s filled"
    return Row(what, f"{steps:,.0f}", peer, f"{share:.2f}", aim_text(share, aim))


def backgammon_rows(sizes: Sizes, pgx: str) -> Iterator[Row]:
    peer = pgx_rates(pgx, sizes.batches[0]) if pgx else 0.0
    for number in sizes.batches:
        for layout in ("bytes", "packed"):
            found, what = (
                measure("backgammon", layout, number, sizes),
                f"backgammon, {layout}, {number:,} games, steps/s",
            )
            yield over_pgx(f"{what}, a launch each", found.launched, peer, sizes.batches[0], 50)
            yield over_pgx(f"{what}, fused", found.fused, peer, sizes.batches[0], 50)
            if found.chosen:
                yield over_pgx(f"{what}, actions by torch", found.chosen, peer, sizes.batches[0])
            yield of_bare(f"{what}, `step(sample())`", found.sampled, found.launched, 0.6)
            yield of_bare(f"{what}, `step(sample(logits))`", found.with_logits, found.launched, 0.6)


def small_rows(sizes: Sizes, pgx: str) -> Iterator[Row]:
    """A batch of a few blocks, where launches dominate."""
    peer = pgx_rates(pgx, sizes.small) if pgx else 0.0
    for game in ("backgammon", "checkers"):
        found, what = measure(game, "bytes", sizes.small, sizes), f"{game}, bytes, {sizes.small:,} games, steps/s"
        beside, aim = (peer, 10) if game == "backgammon" else (0.0, 0)
        yield over_pgx(f"{what}, fused", found.fused, beside, sizes.small, aim)
        yield over_pgx(f"{what}, a launch each", found.launched, beside, sizes.small)


def graph_rows(sizes: Sizes) -> Iterator[Row]:
    """Small batches whose launches torch has captured in a CUDA graph, beside a launch each."""
    if IS_SIMULATED or not find_spec("torch"):
        return
    for game in ("backgammon", "checkers"):
        env: Any = batch(game, sizes.small, device="cuda", seed=1)
        env.play(500, show=False)
        for what, work, steps in graph_work(env):
            launched = steps / seconds_per_call(work, sizes)
            captured = steps / seconds_per_call(captured_by_torch(env, work), sizes)
            env.raise_illegal()
            name, times = f"{game}, bytes, {sizes.small:,} games, steps/s, {what}, captured", captured / launched
            peer = f"{launched:,.0f} (a launch each)"
            yield Row(name, f"{captured:,.0f}", peer, f"{times:.1f}", aim_text(times, 4))


def graph_work(env: Any) -> Iterator[Work]:
    """What is captured, once and several times in a graph."""
    torch: Any = import_module("torch")
    logits = torch.as_tensor(some_logits(env.num_envs, env.num_actions), device="cuda")
    observation = torch.as_tensor(env.observation, device="cuda")
    weights = torch.randn(observation[0].numel(), env.num_actions, device="cuda")
    loops: tuple[tuple[str, Callable[[], Any]], ...] = (
        ("`step()`", lambda: env.step(check=False)),
        ("`step(sample(logits))`", lambda: env.step(env.sample(logits, check=False), check=False)),
        (
            "a linear network, `sample` and `step`",
            lambda: env.step(env.sample(observation.float().flatten(1) @ weights, check=False), check=False),
        ),
    )
    for what, work in loops:
        yield Work(what, work, env.num_envs)
        yield Work(f"{what}, {AT_ONCE} times", lambda work=work: repeated(work), AT_ONCE * env.num_envs)  # type: ignore[misc]  # mypy infers no lambda with a default


def repeated(work: Callable[[], Any]) -> None:
    for _ in range(AT_ONCE):
        work()


def captured_by_torch(env: Any, work: Callable[[], Any]) -> Callable[[], Any]:
    """What replays this work, which has run before."""
    torch: Any = import_module("torch")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), env.on_stream(torch.cuda.current_stream()):
        work()
    return graph.replay  # type: ignore[no-any-return]


def state_rows(sizes: Sizes) -> Iterator[Row]:
    """States, pure functions, after-states and log-probabilities of each version, in the smallest of the batches."""
    number = sizes.batches[0]
    for game in VERSIONS:
        env: Any = batch(game, number, device="cuda", seed=1)
        env.play(4 if sizes is TRIAL else 500, show=False)
        for what, work, rows in [*batch_work(env), *function_work(env)]:
            rate = rows / seconds_per_call(work, sizes)
            print(f"{game}, {number:,} games, {what}: {rate / 1e6:,.2f} M/s", flush=True)
            yield Row(f"{game}, bytes, {number:,} games, {what}", f"{rate:,.0f}")


class Work(NamedTuple):
    """What is done, and how many things in one call."""

    what: str
    call: Callable[[], Any]
    number: int


def batch_work(env: Any) -> Iterator[Work]:
    number, states, logits = env.num_envs, env.save(), some_logits(env.num_envs, env.num_actions)
    listed = env.afterstates()
    yield Work("steps/s, a launch each", env.step, number)
    yield Work(
        "steps/s, `step(sample(logits, log_probs=True))`",
        lambda: env.step(env.sample(logits, log_probs=True, check=False).actions, check=False),
        number,
    )
    yield Work("rows/s, `log_softmax`", lambda: sampling.log_softmax(env.action_mask, logits, check=False), number)
    yield Work("states/s, `save`", env.save, number)
    yield Work("states/s, `restore`", lambda: env.restore(states), number)
    yield Work("games/s, `clone`", env.clone, number)
    yield Work("moves/s, `afterstates`", env.afterstates, len(listed.states))
    yield Work("moves/s, `best`", lambda: listed.best(listed.reward), len(listed.states))
    yield Work("whole moves/s, `afterstates` and `step_afterstates`", lambda: play_first(env), number)


def play_first(env: Any) -> None:
    """The first move of each game."""
    found = env.afterstates()
    env.step_afterstates(found.best(found.reward), check=False)


def function_work(env: Any) -> Iterator[Work]:
    functions: Any = stateless(env._version, device="cuda")
    states = functions.init(env.num_envs, seed=1)
    yield Work("pure steps/s", lambda: functions.step(states, check=False), len(states))
    yield Work("states/s, `observe`", lambda: functions.observe(states), len(states))
    if env.has_dice:
        yield Work("rolls/s, `chance`", lambda: functions.chance(states), len(functions.chance(states).states))


def over_pgx(what: str, steps: float, peer: float, number: int, aim: float = 0) -> Row:
    if not peer:
        return Row(what, f"{steps:,.0f}", "", "", f"≥ {aim:g} × Pgx" if aim else "")
    times = steps / peer
    return Row(what, f"{steps:,.0f}", f"{peer:,.0f} (Pgx, batch {number:,})", f"{times:.1f}", aim_text(times, aim))


def same_rows(sizes: Sizes) -> Iterator[Row]:
    same_on_both(sizes)
    same_functions(sizes)
    yield from ()


def fill_rows(sizes: Sizes) -> Iterator[Row]:
    yield fill_rate(sizes)[1]


def main(sizes: Sizes, pgx: str, only: str) -> None:
    """Prints each row when it is known, and all of them again at the end."""
    name = getattr(cuda.get_current_device(), "name", "the simulator")
    print(f"Environments on {name.decode() if isinstance(name, bytes) else name}, {machine()}", flush=True)
    sections: dict[str, Callable[[], Iterator[Row]]] = {
        "same": lambda: same_rows(sizes),
        "fill": lambda: fill_rows(sizes),
        "checkers": lambda: checkers_rows(sizes),
        "backgammon": lambda: backgammon_rows(sizes, pgx),
        "small": lambda: small_rows(sizes, pgx),
        "graphs": lambda: graph_rows(sizes),
        "states": lambda: state_rows(sizes),
    }
    rows: list[Row] = []
    for section, measured in sections.items():
        if re.fullmatch(only, section):
            for found in measured():
                row(*found)
                rows.append(found)
    print()
    heading("what", "ours", "peer", "ratio", "aim")
    for cells in rows:
        row(*cells)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--pgx", default=os.environ.get("PGX_FOLDER", ""), help="a folder with a copy of Pgx")
    parser.add_argument("--trial", action="store_true", help="a few games, for the simulator")
    parser.add_argument("--only", default=".*", help="sections to run, as a regular expression")
    given = parser.parse_args()
    main(TRIAL if given.trial else Sizes(), given.pgx, given.only)
