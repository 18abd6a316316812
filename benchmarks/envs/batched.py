"""The batched environment on one core: the cost of a step, observation and mask included, and a game's memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from benchmarks.envs.figures import Row, ratio
from benchmarks.envs.peers import measure
from benchmarks.report import cpu_seconds
from ludus.envs.batched import batch
from ludus.envs.batched.environment import Batch

GAMES = 1024
"""Enough to amortise a call, few enough to stay in the L2 cache."""
DECISIONS = 3_000_000
FIRST_ACTIONS = [145, 147, 149, 151, 209, 211, 213]
LENGTHS = {"checkers": (68, 77), "backgammon": (198, 214)}
MEASURED = 65_536


class Speed(NamedTuple):
    steps: float
    games: float


def rows() -> list[Row]:
    return checkers_rows() + backgammon_rows() + sampling_rows() + large_rows() + memory_rows()


def checkers_rows() -> list[Row]:
    openspiel, puffer = measure("openspiel", "checkers"), measure("puffer")
    as_bytes, packed = speed("checkers", "bytes"), speed("checkers", "packed")
    alone, chosen = outside("checkers")
    name = "OpenSpiel, tensor and mask"
    return [
        ratio("batched checkers, bytes, steps/s per core", as_bytes.steps, openspiel["steps"], name, 150),
        ratio("the same with actions from outside", alone, openspiel["steps"], name),
        ratio("the same with NumPy's time to choose them", chosen, openspiel["steps"], name),
        ratio("batched checkers, packed, steps/s per core", packed.steps, openspiel["steps"], name, 300),
        ratio("the same", packed.steps, puffer["steps"], "PufferLib's C core, its steps", 50),
        ratio("the same", packed.steps, puffer["moves"], "PufferLib's C core, moves alone"),
    ]


def backgammon_rows() -> list[Row]:
    openspiel = measure("openspiel", "backgammon")
    pools = [measure("envpool", size) for size in ("4096", "256")]
    pgx = measure("pgx", "--batch", "256", "--steps", "200")
    as_bytes, packed = speed("backgammon", "bytes"), speed("backgammon", "packed")
    alone, chosen = outside("backgammon")
    name = "OpenSpiel, tensor and mask"
    per_step = as_bytes.games / as_bytes.steps
    return [
        ratio("batched backgammon, bytes, games/s per core", as_bytes.games, openspiel["games"], name, 40),
        *(ratio("the same", as_bytes.games, pool["games"], f"EnvPool, batch {pool['batch']:,}", 40) for pool in pools),
        ratio("the same", as_bytes.games, pgx["games"], "Pgx on CPU, batch 256"),
        ratio("the same with actions from outside", alone * per_step, openspiel["games"], name),
        ratio("the same with NumPy's time to choose them", chosen * per_step, openspiel["games"], name),
        ratio("batched backgammon, packed, games/s per core", packed.games, openspiel["games"], name),
    ]


def warmed_up(game: str, layout: str) -> Batch[Any]:
    """An environment whose games are of all ages, after checking known facts about it."""
    env = batch(game, GAMES, layout=layout, threads=1, seed=1)
    if game == "checkers" and layout == "bytes":
        assert all(np.flatnonzero(mask).tolist() == FIRST_ACTIONS for mask in env.action_mask)
    env.rollout(steps=1000)
    totals = env.rollout(steps=2000)
    low, high = LENGTHS[game]
    length = totals.steps / totals.games
    assert low < length < high, f"random games of {game} have {low} to {high} steps, not {length:.1f}"
    return env


def speed(game: str, layout: str) -> Speed:
    """Random legal play, one pass over all games per step."""
    print(f"measuring our batched {game}, {layout}", flush=True)
    env, steps = warmed_up(game, layout), DECISIONS // GAMES
    ended: list[int] = []

    def play() -> None:
        ended.append(sum(int(np.count_nonzero(env.step().terminated)) for _ in range(steps)))

    seconds = cpu_seconds(play, best_of=7)
    found = Speed(steps * GAMES / seconds, sum(ended) / len(ended) / seconds)
    print(f"    {found}", flush=True)
    return found


def outside(game: str) -> tuple[float, float]:
    """Steps a second with actions chosen by NumPy: without and with the time to choose."""
    print(f"measuring our batched {game}, actions from outside", flush=True)
    env, steps = warmed_up(game, "bytes"), DECISIONS // GAMES // 20
    rng = np.random.default_rng(1)
    best = [float("inf"), float("inf")]
    for _ in range(5):
        alone, began = 0.0, time.process_time()
        for _ in range(steps):
            actions = choose(env.action_mask, rng)
            before = time.process_time()
            env.step(actions)
            alone += time.process_time() - before
        best = [min(best[0], alone), min(best[1], time.process_time() - began)]
    return steps * GAMES / best[0], steps * GAMES / best[1]


def choose(mask: Any, rng: np.random.Generator) -> Any:
    """A random legal action in each game."""
    return (mask * (1 - rng.random(mask.shape, np.float32))).argmax(axis=1)  # 1 - r, since r can be 0 and never 1


def sampling_rows() -> list[Row]:
    return [found for game in LENGTHS for found in sampled_rows(game)]


def sampled_rows(game: str) -> list[Row]:
    """Steps a second including the choice, beside the bare step; by turns, since a busy machine slows all alike."""
    print(f"measuring our batched {game}, sampled actions", flush=True)
    env, rng = warmed_up(game, "bytes"), np.random.default_rng(1)
    logits = rng.normal(size=(GAMES, env.num_actions)).astype(np.float32)
    ways: dict[str, Callable[[], Any]] = {
        "the bare step": env.step,
        "`sample()`": lambda: env.step(env.sample()),
        "`sample(stream=1)`": lambda: env.step(env.sample(stream=1)),
        "`sample(logits)`": lambda: env.step(env.sample(logits)),
        "`sample(logits, log_probs=True)`": lambda: env.step(env.sample(logits, log_probs=True).actions),
        "NumPy's argmax": lambda: env.step(choose(env.action_mask, rng)),
        "NumPy's Gumbel noise": lambda: env.step(choose_by_gumbel(env.action_mask, logits, rng)),
    }
    rates = dict(zip(ways, rates_by_turns(list(ways.values())), strict=True))
    bare = rates.pop("the bare step")
    aims = {"`sample()`": 0.6, "`sample(logits)`": 0.6}
    what = f"batched {game}, steps/s with actions by"
    return [ratio(f"{what} {name}", rate, bare, "the bare step", aims.get(name, 0)) for name, rate in rates.items()]


def rates_by_turns(ways: list[Callable[[], Any]], games: int = GAMES, turns: int = 30) -> list[float]:
    """Steps a second of CPU time, the best turn of each. The logits are in the cache, as after a network."""
    best, calls = [float("inf")] * len(ways), 20 * GAMES // min(games, 20 * GAMES)
    for _ in range(turns):
        for number, way in enumerate(ways):
            best[number] = min(best[number], cpu_seconds(lambda way=way: [way() for _ in range(calls)], best_of=2))  # type: ignore[misc]  # mypy infers no lambda with a default
    return [calls * games / seconds for seconds in best]


def choose_by_gumbel(mask: Any, logits: Any, rng: np.random.Generator) -> Any:
    """An action from the softmax of the logits in each game."""
    noise = rng.gumbel(size=mask.shape).astype(np.float32)
    return np.where(mask, logits + noise, -np.inf).argmax(axis=1)


def large_rows() -> list[Row]:
    return [found for game in LENGTHS for layout in ("bytes", "packed") for found in large(game, layout)]


def large(game: str, layout: str) -> list[Row]:
    """A batch that fits into no cache, beside a small one and beside NumPy filling arrays as large as its output."""
    print(f"measuring our batched {game}, {layout}, {MEASURED:,} games", flush=True)
    env, small = batch(game, MEASURED, layout=layout, threads=1, seed=1), warmed_up(game, layout)
    env.rollout(steps=300)
    outputs = [np.zeros((MEASURED, array.strides[0] // 8), np.int64) for array in (env.observation, env.action_mask)]
    ways: list[Callable[[], Any]] = [
        env.step,
        lambda: [small.step() for _ in range(MEASURED // GAMES)],
        partial(fill, outputs),
    ]
    large, usual, filled = rates_by_turns(ways, MEASURED)
    what = f"batched {game}, {layout}, {MEASURED:,} games, steps/s per core"
    return [
        ratio(what, large, usual, f"{GAMES:,} games", 0.7),
        ratio("the same", large, filled, "rows filled by NumPy"),
    ]


def fill(arrays: list[Any]) -> None:
    for array in arrays:
        array.fill(1)


def memory_rows() -> list[Row]:
    return [memory(game, layout) for game in LENGTHS for layout in ("bytes", "packed")]


def memory(game: str, layout: str) -> Row:
    """What NumPy allocates for each game besides the rows of observation and mask."""
    tracemalloc.start()
    env = batch(game, MEASURED, layout=layout, threads=1)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    shown = sum(array.strides[0] for array in (env.observation, env.action_mask))
    beside = held / MEASURED - shown
    what = f"{game}, {layout}, bytes a game beside {shown} of observation and mask"
    return Row(what, f"{beside:.0f}", "", "", "≤ 1024" if beside <= 1024 else "≤ 1024, missed")
