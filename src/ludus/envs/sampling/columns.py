"""Draws for the games of a batch, whose columns say what is legal: `game` is the kernel being played."""

from __future__ import annotations

import math
from typing import Any

from ludus.core.bits import count, nth
from ludus.envs.batched.streams import LOW, draw
from ludus.envs.sampling.rows import (
    ROWS,
    can_draw_together,
    count_legal,
    draw_one_by_one,
    draw_together,
    first_bad,
    higher,
    scaled,
)
from ludus.envs.sampling.weights import log_probability, weight_of

game: Any = None
"""Bound by `ludus.core.kernel`."""


def sample_all(state: Any, first: int, actions: Any, copy: Any) -> None:
    """The random actions that `step()` would play, for a caller that needs to see them first."""
    for i in range(len(actions)):
        actions[i] = copy[i] = game.sample_action(state, first + i)


def sample_columns(
    state: Any,
    first: int,
    logits: Any,
    purpose: int,
    softmax: Any,
    actions: Any,
    copy: Any,
    log_probs: Any,
    listed: Any,
    scratch: Any,
) -> int:
    """Like `sample_rows` for the games from `first` on, with their own random numbers and without masks."""
    bad, is_together = -1, can_draw_together(game.ACTIONS, logits, softmax)
    for start in range(0, len(actions), ROWS):
        block, logs, row = actions[start : start + ROWS], log_probs[start : start + ROWS], first + start
        draw_numbers(state, row, purpose, block, scratch[3])
        if is_together:
            list_games(state, row, len(block), listed, scratch[4], scratch[5])
            draw_together(row, logits, softmax, block, logs, scratch)
        else:
            write_games(state, row, len(block), scratch[0])
            draw_one_by_one(row, game.ACTIONS, logits, softmax, block, logs, scratch)
        found = first_bad(row, block)
        bad = found if bad < 0 else bad
    for i in range(len(actions)):
        copy[i] = actions[i]
    return bad


def sample_column(
    state: Any,
    i: int,
    sets: Any,
    has_logits: bool,
    logits: Any,
    purpose: int,
    scale: float,
    is_greedy: bool,
    wants_log: bool,
    values: Any,
    at: int,
    stride: int,
) -> Any:
    """An action of one game and its log-probability, without lists, for which a GPU thread has no room.

    `values` has room for logits: this game's start at `at` and are `stride` apart. A game with more legal actions than
    that reads its logits for each purpose again.
    """
    game.write_legal(state, i, sets, 0)
    split_sets(sets)
    word, number = draw(state[game.KEY, i], purpose, state[game.STEPS, i]), count_legal(sets)
    if number == 0:
        return -1, math.nan
    if not has_logits:
        return nth_action(sets, scaled(word, number)), -math.log(number) if wants_log else 0.0
    last = at + (number - 1) * stride
    if last >= len(values):
        highest = highest_logit(sets, logits, i)
        total = total_weight(sets, logits, i, highest, scale, is_greedy)
    else:
        write_actions(sets, values, at, stride)
        highest = load_logits(logits, i, values, at, last, stride)
        total = sum_weights(values, at, last, stride, highest, scale, is_greedy)
    if total == 0:
        return -1, math.nan
    mark = 0 if is_greedy else scaled(word, total)
    if last >= len(values):
        action = find_action(sets, logits, i, highest, scale, is_greedy, mark)
    else:
        action = nth_action(sets, find_weight(values, at, stride, highest, scale, is_greedy, mark))
    if not wants_log:
        return action, 0.0
    return action, log_probability(logits[i, action] - highest, scale, is_greedy, total)


def write_actions(sets: Any, values: Any, at: int, stride: int) -> None:
    """Writes the legal actions into the places of their logits: float32 is exact for them."""
    for part in range(len(sets)):
        left = sets[part]
        while left:
            values[at] = lowest(part, left)
            at += stride
            left &= left - 1


def load_logits(logits: Any, i: int, values: Any, at: int, last: int, stride: int) -> Any:
    """Replaces the actions by their logits, four at a time to wait once for all of them; returns the highest."""
    highest = logits[i, int(values[at])]
    for first in range(at, last + 1, 4 * stride):
        second, third, fourth = min(first + stride, last), min(first + 2 * stride, last), min(first + 3 * stride, last)
        a, b = logits[i, int(values[first])], logits[i, int(values[second])]
        c, d = logits[i, int(values[third])], logits[i, int(values[fourth])]
        values[first], values[second], values[third], values[fourth] = a, b, c, d
        highest = higher(d, higher(c, higher(b, higher(a, highest))))
    return highest


def sum_weights(values: Any, at: int, last: int, stride: int, highest: float, scale: float, is_greedy: bool) -> int:
    total = 0
    for place in range(at, last + 1, stride):
        total += weight_of(values[place], highest, scale, is_greedy)
    return total


def find_weight(values: Any, at: int, stride: int, highest: float, scale: float, is_greedy: bool, mark: int) -> int:
    """The number of the first logit whose cumulative weight is above the mark."""
    number, seen = -1, 0
    while seen <= mark:
        number += 1
        seen += weight_of(values[at + number * stride], highest, scale, is_greedy)
    return number


def split_sets(sets: Any) -> None:
    """Splits the sets of 64 in the first half into sets of 32, since a GPU computes with 32 bits; this avoids signs."""
    for part in range(len(sets) // 2 - 1, -1, -1):
        word = sets[part]
        sets[2 * part + 1] = word >> 32 & LOW
        sets[2 * part] = word & LOW


def lowest(part: int, left: int) -> int:
    """The first action of a set of 32."""
    return 32 * part + count((left & -left) - 1)


def nth_action(sets: Any, number: int) -> int:
    part = 0
    while number >= count(sets[part]):
        number -= count(sets[part])
        part += 1
    return 32 * part + nth(sets[part], number)


def highest_logit(sets: Any, logits: Any, i: int) -> Any:
    """The highest logit of the legal actions, of which there is at least one."""
    highest = logits[i, nth_action(sets, 0)]
    for part in range(len(sets)):
        left = sets[part]
        while left:
            highest = higher(logits[i, lowest(part, left)], highest)
            left &= left - 1
    return highest


def total_weight(sets: Any, logits: Any, i: int, highest: float, scale: float, is_greedy: bool) -> int:
    total = 0
    for part in range(len(sets)):
        left = sets[part]
        while left:
            total += weight_of(logits[i, lowest(part, left)], highest, scale, is_greedy)
            left &= left - 1
    return total


def find_action(sets: Any, logits: Any, i: int, highest: float, scale: float, is_greedy: bool, mark: int) -> int:
    """The first action whose cumulative weight is above the mark."""
    part, left, action, seen = 0, sets[0], -1, 0
    while seen <= mark:
        while not left:
            part += 1
            left = sets[part]
        action = lowest(part, left)
        seen += weight_of(logits[i, action], highest, scale, is_greedy)
        left &= left - 1
    return action


def draw_numbers(state: Any, first: int, purpose: int, numbers: Any, keys: Any) -> None:
    """The games' random numbers, computed in vectors because another loop reads the columns."""
    for i in range(len(numbers)):
        keys[i] = state[game.KEY, first + i]
        numbers[i] = state[game.STEPS, first + i]
    for i in range(len(numbers)):
        numbers[i] = draw(keys[i], purpose, numbers[i])


def list_games(state: Any, first: int, number: int, listed: Any, ids: Any, starts: Any) -> None:
    """Like `list_actions`, for these games."""
    end = 0
    for i in range(number):
        starts[i] = end
        end = game.list_legal(state, first + i, listed, ids, end)
    starts[number] = end


def write_games(state: Any, first: int, number: int, sets: Any) -> None:
    parts = game.ACTIONS + 63 >> 6
    for i in range(number):
        game.write_legal(state, first + i, sets, i * parts)
