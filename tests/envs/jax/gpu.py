"""Compares the games in JAX on a GPU with the same on the CPU, every array after every step.

python -m tests.envs.jax.gpu 1024 300          # games, steps; on a machine with CUDA, JAX and numba-cuda
python -m tests.envs.jax.gpu 64 50 --device cpu    # tries the script itself
"""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from ludus.core.errors import IllegalAction, MalformedState
from ludus.envs import batch
from ludus.envs.jax import make

VERSIONS = (
    ("checkers", "standard"),
    ("checkers_v5", "standard"),
    ("backgammon", "standard"),
    ("backgammon", "hypergammon+match3"),
    ("backgammon_v1", "standard+cube+jacoby+beavers"),
)
FAILED = (jax.errors.JaxRuntimeError, ValueError)


class Setting(NamedTuple):
    device: Any
    """That of JAX which is compared with the CPU."""
    games: int
    steps: int

    @property
    def is_cuda(self) -> bool:
        return str(self.device.platform) != "cpu"


def keys(number: int, seed: int = 0) -> Any:
    return jax.random.split(jax.random.key(seed), number)


def check_same(one: Any, other: Any) -> None:
    paths = [jax.tree_util.keystr(path) for path, _ in jax.tree_util.tree_leaves_with_path(one)]
    for path, ours, theirs in zip(paths, jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        assert ours.shape == theirs.shape, (path, ours.shape, theirs.shape)
        assert ours.dtype == theirs.dtype, (path, ours.dtype, theirs.dtype)
        if not np.array_equal(ours, theirs):
            wrong = np.argwhere(ours != theirs)
            raise AssertionError(f"{path}: {len(wrong)} of {ours.size} differ, first at {wrong[0].tolist()}")


def on(device: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """What the function returns on a device, as arrays of the host."""
    with jax.default_device(device):
        found = function(*jax.device_put(arguments, device))
        for leaf in jax.tree.leaves(found):
            assert leaf.devices() == {device}, leaf.devices()
        return jax.tree.map(np.asarray, found)


def check_both(setting: Setting, function: Callable[..., Any], *arguments: Any) -> Any:
    """Runs a function on both devices."""
    ours, theirs = (on(device, function, *arguments) for device in (jax.devices("cpu")[0], setting.device))
    check_same(theirs, ours)
    return ours


def choose(key: Any, mask: Any) -> Any:
    return jnp.where(mask, jax.random.bits(key, mask.shape) >> 1, 0).argmax(axis=-1)


def scan(setting: Setting, game: str, variant: str, autoreset: bool, has_keys: bool) -> str:
    """Self-play in one program."""
    options: Any = {"variant": variant, "scoring": "points", "max_steps": 120, "autoreset": autoreset}
    env = make(game, **options)

    def once(state: Any, key: Any) -> Any:
        after = env.step(state, choose(key, state.legal_action_mask), keys_of(key) if has_keys else None)
        return after, after

    def keys_of(key: Any) -> Any:
        return jax.random.split(key, setting.games)

    def play(start: Any, seed: Any) -> Any:
        return jax.lax.scan(once, env.init(start), jax.random.split(seed, setting.steps))

    _, states = check_both(setting, jax.jit(play), keys(setting.games), jax.random.key(5))
    ended = states.terminated | states.truncated
    assert ended.any() or setting.steps < 120
    return f"{setting.games * setting.steps} steps, {int(ended.sum())} of them in games that were over after them"


def like_batch(setting: Setting, game: str, variant: str) -> str:
    """Random steps and chosen ones, each a call of its own, beside the batch on the CPU."""
    games = batch(game, setting.games, seed=3, variant=variant, scoring="points", max_steps=90)
    env = make(game, variant=variant, scoring="points", max_steps=90, autoreset=True)
    ended, steps = 0, min(setting.steps, 200)
    with jax.default_device(setting.device):
        state, step = env.restore(games.save()), jax.jit(env.step, donate_argnums=0)
        for number in range(steps):
            actions = games.action_mask.argmax(axis=1) if number % 2 else None
            movers = games.to_play.copy()
            games.step(actions)
            state = step(state) if actions is None else step(state, jnp.asarray(actions))
            ended += int(games.terminated.sum() + games.truncated.sum())
            found = [np.asarray(leaf) for leaf in (state.observation, state.legal_action_mask, state.current_player)]
            check_same(found[0], games.observation)
            check_same(found[1], games.action_mask.astype(np.bool_))
            check_same(found[2], games.to_play.astype(np.int32))
            reward = np.take_along_axis(np.asarray(state.rewards), movers[:, None].astype(np.int64), 1)[:, 0]
            check_same(reward, games.reward.astype(np.float32))
            check_same(np.asarray(state.terminated), games.terminated.astype(np.bool_))
            check_same(np.asarray(state.truncated), games.truncated.astype(np.bool_))
        check_same(env.save(state), games.save())
    assert ended or setting.steps < 120
    return f"{steps * setting.games} steps, {ended} games ended"


def shapes(setting: Setting, game: str, variant: str) -> str:
    """One game, numbers of games that fill no block, `vmap` once and twice, and without `jit`."""
    env = make(game, variant=variant)

    def advance(key: Any) -> Any:
        state = env.init(key)
        for _ in range(6):
            state = env.step(state, state.legal_action_mask.argmax(axis=-1))
        return env.step(state)

    for number in (1, 31, 33, 127, 129, 1000):
        whole = check_both(setting, jax.jit(advance), keys(number))
        check_same(on(setting.device, jax.jit(jax.vmap(advance)), keys(number)), whole)
    blocks = keys(6).reshape(2, 3)
    check_same(on(setting.device, jax.vmap(jax.vmap(advance)), blocks), on(setting.device, advance, blocks))
    one = on(setting.device, advance, keys(5)[3])
    check_same(one, jax.tree.map(lambda leaf: leaf[3], on(setting.device, advance, keys(5))))
    assert on(setting.device, env.init, keys(0)).words.shape[0] == 0
    return "shapes, vmap and no jit"


def copies(setting: Setting, game: str, variant: str) -> str:
    """A step leaves its argument alone, also where a program needs the old state later."""
    env = make(game, variant=variant)

    def forks(key: Any) -> Any:
        state = env.init(key)
        ways = [env.step(state, key=jax.random.split(jax.random.key(seed), len(key))) for seed in range(3)]
        return state, ways, env.step(state), state.words + 0

    state, _, _, words = check_both(setting, jax.jit(forks), keys(setting.games))
    check_same(state.words, words)
    return "old states are kept"


def loops(setting: Setting, game: str, variant: str) -> str:
    """`while_loop`, `cond` and `fori_loop`, which become parts of CUDA graphs where XLA likes to."""
    env = make(game, variant=variant, max_steps=60, illegal="lose")

    def play(key: Any) -> Any:
        last = jax.lax.while_loop(lambda state: ~(state.terminated | state.truncated).all(), env.step, env.init(key))
        again = jax.lax.fori_loop(0, 40, lambda _, state: env.step(state), env.init(key))
        first = jax.lax.cond(last.rewards.sum() == 1, lambda: last, lambda: env.step(last))
        illegal = env.step(again, jnp.full(again.current_player.shape, -1))
        return last, again, first, illegal

    last, _, _, illegal = check_both(setting, jax.jit(play), keys(setting.games))
    assert (last.terminated | last.truncated).all()
    assert last.legal_action_mask.all()
    assert illegal.terminated.any()
    return "loops and branches"


def problems(setting: Setting) -> str:
    """Illegal actions and rows of other games are reported later, and leave the games as they are."""
    if not setting.is_cuda:
        return "nothing to check on a CPU"
    with jax.default_device(setting.device):
        env = make("checkers")
        state = env.init(keys(setting.games))
        actions = state.legal_action_mask.argmax(axis=1).at[setting.games // 2].set(-1)
        after = jax.jit(env.step)(state, actions)
        unchanged = np.flatnonzero((np.asarray(after.words) == np.asarray(state.words)).all(axis=1))
        assert unchanged.tolist() == [setting.games // 2], unchanged
        expect(IllegalAction, lambda: env.raise_illegal(after))
        env.raise_illegal(env.step(after))
        jax.block_until_ready(env.step(state, actions))
        expect(FAILED, lambda: jax.block_until_ready(env.step(state)))
        check_same(jax.tree.map(np.asarray, env.step(state)), jax.tree.map(np.asarray, env.step(state)))
        foreign = state.replace(words=state.words.at[1, 0].add(1))
        after = env.step(foreign)
        check_same(np.asarray(after.words[1]), np.asarray(foreign.words[1]))
        expect(MalformedState, lambda: env.raise_illegal(after))
    return "problems are reported once"


def expect(errors: Any, call: Callable[[], Any]) -> None:
    try:
        call()
    except errors as error:
        print(f"    as expected: {type(error).__name__}: {str(error)[:120]}")
        return
    raise AssertionError("nothing was raised")


def pools(setting: Setting) -> str:
    """Several programs at once, from several threads, as an actor and a learner have them."""
    from concurrent.futures import ThreadPoolExecutor

    env = make("backgammon", autoreset=True)
    play = jax.jit(lambda key: jax.lax.fori_loop(0, 50, lambda _, state: env.step(state), env.init(key)))
    expected = [on(jax.devices("cpu")[0], play, keys(100, seed)) for seed in range(4)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda seed: on(setting.device, play, keys(100, seed)), range(4)))
    check_same(found, expected)
    return "four threads"


def search(setting: Setting) -> str:
    """mctx, if it is there: all actions are legal, and none was illegal inside."""
    try:
        import mctx
    except ImportError as error:
        return f"skipped: {error}"
    env = make("backgammon")

    def look(state: Any) -> Any:
        return jnp.where(state.legal_action_mask, 0.0, -1e9), jnp.zeros(state.current_player.shape)

    def recurrent(_: Any, key: Any, action: Any, state: Any) -> Any:
        after = env.step(state, action, jax.random.split(key, len(action)))
        reward = jnp.take_along_axis(after.rewards, state.current_player[:, None], 1)[:, 0]
        sign = jnp.where(after.current_player == state.current_player, 1.0, -1.0)
        logits, value = look(after)
        discount = sign * ~after.terminated
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), after

    def run(key: Any) -> Any:
        state = env.init(key)
        logits, value = look(state)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state)
        illegal = ~state.legal_action_mask
        return mctx.gumbel_muzero_policy(None, key[0], root, recurrent, 16, invalid_actions=illegal).action, state

    action, state = on(setting.device, jax.jit(run), keys(64))
    assert np.take_along_axis(state.legal_action_mask, action[:, None], 1).all()
    env.raise_illegal(env.init(keys(1)))
    return "mctx"


def speed(setting: Setting, game: str) -> str:
    env, games, steps = make(game, autoreset=True), 128 * setting.games, 100
    with jax.default_device(setting.device):
        play = jax.jit(lambda state: jax.lax.fori_loop(0, steps, lambda _, state: env.step(state), state))
        state = play(env.init(keys(games)))
        jax.block_until_ready(state)
        began = time.perf_counter()
        jax.block_until_ready(play(state))
        seconds = time.perf_counter() - began
    return f"{games} games, {games * steps / seconds:,.0f} random steps/s"


def checks(setting: Setting) -> Iterator[tuple[str, Callable[[], str]]]:
    for game, variant in VERSIONS:
        name = f"{game}, {variant}"
        yield f"{name}, like a batch", partial(like_batch, setting, game, variant)
        for autoreset in (False, True):
            for has_keys in (False, True):
                label = f"{name}, scan{', autoreset' * autoreset}{', keys' * has_keys}"
                yield label, partial(scan, setting, game, variant, autoreset, has_keys)
        yield f"{name}, shapes", partial(shapes, setting, game, variant)
        yield f"{name}, copies", partial(copies, setting, game, variant)
        yield f"{name}, loops", partial(loops, setting, game, variant)
    yield "problems", partial(problems, setting)
    yield "threads", partial(pools, setting)
    yield "search", partial(search, setting)
    for game in ("checkers", "checkers_v5", "backgammon", "backgammon_v1"):
        yield f"speed, {game}", partial(speed, setting, game)


def about() -> str:
    names = ("jax", "jaxlib", "jax-cuda13-plugin", "numba", "numba-cuda", "numpy")
    versions = []
    for name in names:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    return ", ".join(versions)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("games", type=int, nargs="?", default=1024)
    parser.add_argument("steps", type=int, nargs="?", default=300)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--only", default="", help="checks with this in their names")
    given = parser.parse_args()
    print(about(), jax.devices(), flush=True)
    setting, failures, began = Setting(jax.devices(given.device)[0], given.games, given.steps), 0, time.monotonic()
    for name, check in checks(setting):
        if given.only not in name:
            continue
        started = time.monotonic()
        try:
            print(f"{name}: {check()} ({time.monotonic() - started:.1f} s)", flush=True)
        except Exception as error:  # the other checks are run all the same
            failures += 1
            print(f"{name}: FAILED, {type(error).__name__}: {str(error)[:800]}", flush=True)
            traceback.print_exc(limit=-4)
    print(f"{failures} failed; {time.monotonic() - began:.0f} s", flush=True)
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
