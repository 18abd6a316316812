"""After-states on the CPU: a share of the games for each thread, which lists its moves and then writes its rows."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedAction
from ludus.core.kernel import compiled
from ludus.envs.batched.afterstates import Afterstates, check_listable, driver, no_moves, segments
from ludus.envs.batched.driver import OUTCOME

if TYPE_CHECKING:
    from ludus.envs.batched.environment import Environment

MIN_SHARE = 256
"""Another thread doesn't pay for fewer games than this."""
USUAL_MOVES = 24
"""A guess at a game's number of moves, for the initial size of the list."""


def list_afterstates(env: Environment[Any], states: NDArray[np.int64], threads: int) -> Afterstates[NDArray[Any]]:
    """The after-states of games whose states have been checked."""
    check_listable(env._kernel, env._encoding.name)
    number, loops = len(states), compiled(driver, env._kernel)
    parents, counts = (columns(env, states), states.reshape(-1), env.state_words), np.zeros(number, np.int64)
    threads = max(1, min(threads, number // MIN_SHARE))
    shares = [*pairwise(number * k // threads for k in range(threads + 1))]
    moves = run(lambda first, last: list_share(loops, env._kernel, parents, first, last, counts), shares)
    empty = np.flatnonzero((counts == 0) & (states[:, OUTCOME] == 0))
    if len(empty):
        raise no_moves(env._format, states[empty[0]], int(empty[0]))
    offsets = np.zeros(number + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    found, words = allocate(env, offsets)
    lists = dict(zip(shares, moves, strict=True))
    run(lambda first, last: write_share(loops, env, parents, first, last, lists[first, last], found, words), shares)
    return found


def run(work: Callable[[int, int], Any], shares: list[tuple[int, int]]) -> list[Any]:
    """Does the work for all shares, each in its own thread."""
    if len(shares) == 1:
        return [work(*shares[0])]
    with ThreadPoolExecutor(len(shares), "ludus") as pool:
        return [*pool.map(lambda share: work(*share), shares)]


def columns(env: Environment[Any], states: NDArray[np.int64]) -> NDArray[np.int64]:
    """The kernel's words, a column per game."""
    return states[:, env._format.column].T


def list_share(
    loops: Any, kernel: Any, parents: Any, first: int, last: int, counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Lists a share's moves; the list grows until they fit."""
    moves = np.empty(((last - first) * USUAL_MOVES + kernel.MOST_MOVES) * kernel.MOVE_WORDS, np.int64)
    next_game, listed = first, 0
    while next_game < last:
        next_game = loops.list_all(*parents, next_game, last, moves, listed, counts)
        listed = int(counts[first:next_game].sum())
        if next_game < last:
            moves = np.concatenate([moves, np.empty_like(moves)])
    return moves


def allocate(env: Environment[Any], offsets: NDArray[np.int64]) -> tuple[Afterstates[Any], NDArray[np.int64]]:
    """The arrays, and the words of the observation before they are shaped."""
    number, kernel, (width, mask_width) = int(offsets[-1]), env._kernel, env._widths
    words = np.empty((number, width), np.int64)
    shown, _ = env._shaped(words, np.empty((0, mask_width), np.int64))
    found = Afterstates(
        offsets,
        np.empty((number, env.state_words), np.int64),
        np.empty((number, kernel.MOVE_ACTIONS), np.int16),
        shown,
        np.empty(number, env._encoding.reward),
        np.empty(number, np.int8),
        np.empty(number, np.bool_),
        np.empty(number, np.int8),
    )
    return found, words


def write_share(
    loops: Any, env: Environment[Any], parents: Any, first: int, last: int, moves: Any, found: Any, words: Any
) -> None:
    rows = found.actions, found.reward, found.discount, found.terminated, found.to_play
    children = columns(env, found.states), found.states.reshape(-1)
    mask = np.empty((1, env._widths[1]), np.int64)
    loops.write_all(
        *parents[1:], first, last, found.offsets, moves, env._scored, *children, rows, env._layout, words, mask
    )


def roll_dice(env: Environment[Any], states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rolls the dice, in place, in games that wait for them."""
    check_listable(env._kernel, env._encoding.name)
    compiled(driver, env._kernel).resolve_all(columns(env, states), states.reshape(-1), env.state_words)
    return states


def count_rows(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.diff(offsets)


def name_games(found: Afterstates[NDArray[Any]]) -> NDArray[np.int64]:
    """The game of each row."""
    return np.repeat(np.arange(len(found.offsets) - 1), np.diff(found.offsets))


def find_best(offsets: NDArray[np.int64], worth: Any) -> NDArray[np.int64]:
    values = np.asarray(worth).astype(np.float64, copy=False)
    wrong = np.flatnonzero(np.isnan(values))
    if len(wrong):
        game = int(np.searchsorted(offsets, wrong[0], "right")) - 1
        raise MalformedAction(f"the value of move {wrong[0] - offsets[game]} of game {game} is not a number")
    chosen = np.empty(len(offsets) - 1, np.int64)
    compiled(segments).find_all(offsets, values, chosen)
    return chosen
