"""Pgx and Ludus inside JAX in one process, by turns: `python -m benchmarks.envs.jax_peer`.

Random games run in Pgx's own loop, with its `auto_reset` and `act_randomly`, for both; then with the first legal action
in place of a random one, which leaves the cost of the step. A search is mctx's Gumbel MuZero with uniform priors.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from benchmarks.envs.peers import ROOT

sys.path.insert(0, str(ROOT / "src"))

import jax

LENGTHS = {"backgammon": (185, 225), "checkers": (66, 77)}
"""Steps of random games."""


def clock() -> float:
    """CPU time on a CPU, which other programs may share; wall time on a GPU."""
    return time.process_time() if jax.default_backend() == "cpu" else time.perf_counter()


def act_randomly(key: Any, mask: Any) -> Any:
    return import_module("pgx.experimental").act_randomly(key, mask)


def first_legal(_: Any, mask: Any) -> Any:
    return mask.argmax(axis=-1)


def pgx_loop(env: Any, choose: Callable[..., Any], batch: int, steps: int) -> Any:
    """A compiled function from games and a key to both after some steps, and how many games ended."""
    step = jax.vmap(import_module("pgx.experimental").auto_reset(env.step, env.init))

    def once(carried: Any, _: Any) -> Any:
        games, key, ended = carried
        key, choice, dice = jax.random.split(key, 3)
        games = step(games, choose(choice, games.legal_action_mask), jax.random.split(dice, batch))
        return (games, key, ended + games.terminated.sum()), None

    return loop(once, steps)


def own_loop(env: Any, choose: Callable[..., Any] | None, steps: int) -> Any:
    """The same with what Ludus has instead: games that start over by themselves, and None for a random action."""

    def once(carried: Any, _: Any) -> Any:
        games, key, ended = carried
        games = env.step(games, choose(key, games.legal_action_mask) if choose else None)
        return (games, key, ended + games.terminated.sum()), None

    return loop(once, steps)


def loop(once: Any, steps: int) -> Any:
    return jax.jit(lambda games, key: jax.lax.scan(once, (games, key, jax.numpy.int32(0)), None, length=steps)[0])


class Game:
    """Random games of one kind, of all ages."""

    def __init__(self, name: str, run: Any, games: Any, batch: int, steps: int) -> None:
        self.decisions, self.games, self.key, self.run = batch * steps, games, jax.random.key(1), run
        self.seconds, self.ended, self.runs, self.name = float("inf"), 0, 0, name

    def measure(self) -> None:
        began = clock()
        self.games, self.key, ended = jax.block_until_ready(self.run(self.games, self.key))
        self.seconds = min(self.seconds, clock() - began)
        self.ended += int(ended)
        self.runs += 1

    def rate(self) -> float:
        if self.name in LENGTHS:
            low, high = LENGTHS[self.name]
            length = self.runs * self.decisions / self.ended
            assert low < length < high, f"random games of {self.name} have {low} to {high} steps, not {length:.1f}"
        return self.decisions / self.seconds


def search(env: Any, simulations: int) -> Any:
    """A compiled function from games and a key to the actions that mctx chooses."""
    mctx = import_module("mctx")

    def look(games: Any) -> Any:
        return jax.numpy.where(games.legal_action_mask, 0.0, -1e9), jax.numpy.zeros(games.current_player.shape)

    def recurrent(_: Any, key: Any, action: Any, games: Any) -> Any:
        after = jax.vmap(env.step)(games, action, jax.random.split(key, len(action)))
        reward = jax.numpy.take_along_axis(after.rewards, games.current_player[:, None], 1)[:, 0]
        sign = jax.numpy.where(after.current_player == games.current_player, 1.0, -1.0)
        logits, value = look(after)
        discount = sign * ~after.terminated
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), after

    def run(games: Any, key: Any) -> Any:
        logits, value = look(games)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=games)
        illegal = ~games.legal_action_mask
        return mctx.gumbel_muzero_policy(None, key, root, recurrent, simulations, invalid_actions=illegal).action

    return jax.jit(run)


def search_rate(envs: dict[str, Any], batch: int, simulations: int, best_of: int) -> dict[str, float]:
    """Simulations a second."""
    keys = jax.random.split(jax.random.key(2), batch)
    runs = {name: search(env, simulations) for name, env in envs.items()}
    games = {name: jax.jit(jax.vmap(env.init))(keys) for name, env in envs.items()}
    seconds = dict.fromkeys(envs, float("inf"))
    for turn in range(best_of + 1):
        for name, run in runs.items():
            began = clock()
            chosen = jax.block_until_ready(run(games[name], jax.random.key(turn)))
            if turn:
                seconds[name] = min(seconds[name], clock() - began)
            legal = games[name].legal_action_mask
            assert bool(jax.numpy.take_along_axis(legal, chosen[:, None], 1).all())
    return {name: batch * simulations / least for name, least in seconds.items()}


def measure(batch: int, steps: int, best_of: int, searched: int, simulations: int) -> dict[str, Any]:
    make = import_module("ludus.envs.jax").make
    theirs, ours = import_module("pgx").make("backgammon"), make("backgammon")
    own = {name: make(name, autoreset=True) for name in LENGTHS}
    keys = jax.random.split(jax.random.key(0), batch)
    pgx_games, games = jax.jit(jax.vmap(theirs.init))(keys), {name: env.init(keys) for name, env in own.items()}
    many = 20 * steps
    runs = {
        "pgx": Game("backgammon", pgx_loop(theirs, act_randomly, batch, steps), pgx_games, batch, steps),
        "same": Game("backgammon", pgx_loop(ours, act_randomly, batch, steps), games["backgammon"], batch, steps),
        "pgx_first": Game("first", pgx_loop(theirs, first_legal, batch, steps), pgx_games, batch, steps),
        "same_first": Game("first", pgx_loop(ours, first_legal, batch, steps), games["backgammon"], batch, steps),
    }
    for name, env in own.items():
        runs[f"{name}_first"] = Game("first", own_loop(env, first_legal, many), games[name], batch, many)
        runs[name] = Game(name, own_loop(env, None, many), games[name], batch, many)
    warm_up = max(1, 400 // steps)
    for turn in range(warm_up + best_of):
        for run in runs.values():
            run.measure()
            if turn < warm_up:
                run.seconds, run.ended, run.runs = float("inf"), 0, 0
    envs = {"pgx_search": theirs, "search": ours, "checkers_search": make("checkers")}
    return {name: run.rate() for name, run in runs.items()} | search_rate(envs, searched, simulations, best_of)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--steps", type=int, default=100, help="steps of every game in one run")
    parser.add_argument("--best-of", type=int, default=4)
    parser.add_argument("--searched", type=int, default=64, help="games that are searched together")
    parser.add_argument("--simulations", type=int, default=32)
    given = parser.parse_args()
    print(json.dumps(measure(given.batch, given.steps, given.best_of, given.searched, given.simulations)))
