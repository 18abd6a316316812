"""The rows of `python -m benchmarks.envs.jax --device cuda`: many games at once, ours first, until the time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import jax

from benchmarks.envs.figures import Row, ratio
from benchmarks.envs.jax_peer import Game, act_randomly, first_legal, own_loop, pgx_loop, search_rate

BATCHES = (262_144, 4_096, 65_536)
SEARCHES = (64, 4_096)
SIMULATIONS, BEST_OF, WARM_UP = 32, 3, 400
PGX_STEPS, OWN_STEPS = 100, 1000


class Measurement(NamedTuple):
    what: str
    row: Callable[[str], Row]
    seconds: float
    """Estimated time."""


def rows(seconds: float, scale: int) -> Iterator[Row]:
    end = time.monotonic() + seconds
    for what, measure, needed in measurements(scale):
        if time.monotonic() + needed > end:
            yield Row(what, "no time left")
            continue
        try:
            yield measure(what)
        except Exception as error:  # the other rows are measured all the same
            yield Row(what, type(error).__name__, str(error).partition("\n")[0][:200])


def measurements(scale: int) -> Iterator[Measurement]:
    batches = [batch // scale for batch in BATCHES]
    for game, some in (("backgammon", batches), ("checkers", batches[:1])):
        for batch in some:
            what = f"JAX, {game}, {batch:,} games, own loop"
            yield Measurement(f"{what} and random choice, steps/s", partial(own_row, game, game, None, batch), 8)
            first = partial(own_row, game, "first", first_legal, batch)
            yield Measurement(f"{what}, first legal actions, steps/s", first, 8)
    for batch in batches:
        what = f"JAX, backgammon, {batch:,} games, Pgx's loop and random choice, steps/s"
        yield Measurement(what, partial(pgx_row, batch), 25)
    for number in SEARCHES:
        yield Measurement(f"mctx, backgammon, {number:,} games, simulations/s", partial(search_row, number), 20)


def own_row(game: str, name: str, choose: Any, batch: int, what: str) -> Row:
    env = import_module("ludus.envs.jax").make(game, autoreset=True)
    games = env.init(jax.random.split(jax.random.key(0), batch))
    return Row(what, f"{timed(Game(name, own_loop(env, choose, OWN_STEPS), games, batch, OWN_STEPS), 1):,.0f}")


def pgx_row(batch: int, what: str) -> Row:
    ours, theirs = (pgx_rate(env, batch) for env in both())
    return ratio(what, ours, theirs, "Pgx")


def search_row(number: int, what: str) -> Row:
    found = search_rate(dict(zip(("ours", "pgx"), both(), strict=True)), number, SIMULATIONS, BEST_OF)
    return ratio(what, found["ours"], found["pgx"], "Pgx")


def both() -> list[Any]:
    return [import_module(name).make("backgammon") for name in ("ludus.envs.jax", "pgx")]


def pgx_rate(env: Any, batch: int) -> float:
    games = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), batch))
    run = Game("backgammon", pgx_loop(env, act_randomly, batch, PGX_STEPS), games, batch, PGX_STEPS)
    return timed(run, WARM_UP // PGX_STEPS)


def timed(run: Game, warm_up: int) -> float:
    """The best of a few runs, in which games of all ages are played."""
    for turn in range(warm_up + BEST_OF):
        run.measure()
        if turn < warm_up:
            run.seconds, run.ended, run.runs = float("inf"), 0, 0
    return run.rate()
