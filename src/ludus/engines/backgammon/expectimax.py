"""Expectimax over one or two rolls, in kernel style.

One roll ahead: for each of the 21 rolls, list the plays, take the one the network likes best, and average the chances.
Two rolls ahead: look one roll ahead from each of those best plays. The walk uses an explicit stack, because Numba's
cache on disk can't restore recursive calls.
"""

from __future__ import annotations

import typing
from typing import Any, Final

from ludus.engines.backgammon.bearoff import is_bearoff, is_exact, write_bearoff
from ludus.engines.backgammon.network.inference import OUTCOMES, Activations, Weights, write_chances
from ludus.games.backgammon.kernel import WORDS, is_off, write_plays

STOP, NODES, NODE_LIMIT = 0, 1, 2
"""Places in `control`: nonzero to stop, the positions evaluated, and how many of them are allowed."""
ROLL, START_NODES, LEVEL_WORDS = 4, 5, 6
"""Places in a row of the stack, after the position: the number of its roll, and `NODES` when it was pushed."""
KEY_WORDS: Final = 5
"""The words of a cache key: the position, and the depth with the number of nodes it took."""
ROLLS: Final = 21
SHARE: Final = 1 / 36
LOW_BITS: Final = (1 << 31) - 1
ODD: Final = 0x2545F491


class Work(typing.NamedTuple):
    """One thread's arrays: a list of plays, their chances, `control`, a stack with sums of chances, and a cache.

    `payoffs` has what each outcome is worth, in the order of the chances and without sign: for the side that made the
    root play, then for its opponent. `roll_afters` and `roll_chances` have the best answer to each roll at the root:
    both sides' men after it, and the six chances of the side to roll then.
    """

    plays: Any
    out: Any
    control: Any
    stack: Any
    sums: Any
    cache_keys: Any
    cache_values: Any
    payoffs: Any
    roll_afters: Any
    roll_chances: Any


def evaluate_plays(work: Work, end: int, tables: Any, weights: Weights, layers: Activations) -> None:
    """Six chances of the side to roll after each of the first plays of the list, at six times its number."""
    for i in range(end):
        low, high, other_low, other_high = afterstate(work.plays, i)
        at = OUTCOMES * i
        if is_bearoff(low, high, other_low, other_high) and not is_off(other_low, other_high):
            write_bearoff(work.out, at, low, high, other_low, other_high, tables)
        else:
            write_chances(work.out, at, low, high, other_low, other_high, weights, layers)
    work.control[NODES] += end


def expectimax(work: Work, number: int, depth: int, tables: Any, weights: Weights, layers: Activations) -> bool:
    """Evaluates `number` plays of the list or, with a depth, looks ahead from the only one; whether it has finished.

    One function does both, because two calls of `evaluate_plays` would be compiled twice.
    """
    level, control, stack = 0, work.control, work.stack
    if depth:
        push(work, 0, 0)
    while True:
        if depth:
            low, high, other_low, other_high = stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3]
            die, then = dice(stack[level, ROLL])
            number = write_plays(work.plays, 0, low, high, other_low, other_high, die, then)
        evaluate_plays(work, number, tables, weights, layers)
        if depth == 0:
            return True
        if control[STOP] or control[NODES] > control[NODE_LIMIT]:
            return False
        best = best_play(work.out, number, work.payoffs, level & 1)
        if level == 0:
            keep_after(work, best)
        if level + 1 < depth and not is_resolved(work, best, depth - level - 1):
            level += 1
            push(work, level, best)
            continue
        add_flipped(work, level, OUTCOMES * best)
        while stack[level, ROLL] == ROLLS:
            store(work, level, depth - level)
            copy(work.out, 0, work.sums, level)
            if level == 0:
                return True
            level -= 1
            add_flipped(work, level, 0)


def afterstate(plays: Any, i: int) -> tuple[int, int, int, int]:
    """The position after a play; the men of the side to roll come first."""
    at = i * WORDS
    return plays[at + 2], plays[at + 3], plays[at], plays[at + 1]


def dice(roll: int) -> tuple[int, int]:
    """The rolls are numbered 11, 21, 22, 31, …"""
    die = 1
    while roll >= die:
        roll -= die
        die += 1
    return die, roll + 1


def push(work: Work, level: int, i: int) -> None:
    """Pushes play `i` onto the stack, to go through the rolls after it."""
    stack = work.stack
    stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3] = afterstate(work.plays, i)
    stack[level, ROLL], stack[level, START_NODES] = 0, work.control[NODES]
    for k in range(OUTCOMES):
        work.sums[level, k] = 0.0


def add_flipped(work: Work, level: int, at: int) -> None:
    """Adds the chances after a roll, as the other side sees them, and moves on to the next roll."""
    roll = work.stack[level, ROLL]
    die, then = dice(roll)
    share = SHARE if die == then else 2 * SHARE
    if level == 0:
        for k in range(OUTCOMES):
            work.roll_chances[roll, k] = work.out[at + k]
    for k in range(3):
        work.sums[level, k] += share * work.out[at + 3 + k]
        work.sums[level, 3 + k] += share * work.out[at + k]
    work.stack[level, ROLL] += 1


def copy(out: Any, at: int, rows: Any, row: int) -> None:
    for k in range(OUTCOMES):
        out[at + k] = rows[row, k]


def keep_after(work: Work, best: int) -> None:
    """Keeps the position after the best answer to a roll at the root, the men of the side to roll first."""
    roll = work.stack[0, ROLL]
    low, high, other_low, other_high = afterstate(work.plays, best)
    afters = work.roll_afters
    afters[roll, 0], afters[roll, 1], afters[roll, 2], afters[roll, 3] = low, high, other_low, other_high


def best_play(out: Any, end: int, payoffs: Any, row: int) -> int:
    """The play that leaves the least to the opponent, whose payoffs are in this row."""
    best, least = 0, payoff(out, 0, payoffs, row)
    for i in range(1, end):
        value = payoff(out, OUTCOMES * i, payoffs, row)
        if value < least:
            best, least = i, value
    return best


def payoff(out: Any, at: int, payoffs: Any, row: int) -> float:
    """What six chances are worth; with the points of the outcomes as payoffs, their equity."""
    won: float = payoffs[row, 0] * out[at] + payoffs[row, 1] * out[at + 1] + payoffs[row, 2] * out[at + 2]
    lost: float = payoffs[row, 3] * out[at + 3] + payoffs[row, 4] * out[at + 4] + payoffs[row, 5] * out[at + 5]
    return won - lost


def is_resolved(work: Work, i: int, depth: int) -> bool:
    """Whether the chances after play `i` are exact or in the cache; then writes those of the cache.

    A cache hit counts as many nodes as the search it saves, so that node limits don't depend on the cache.
    """
    low, high, other_low, other_high = afterstate(work.plays, i)
    if is_off(other_low, other_high) or is_exact(low, high, other_low, other_high):
        return True
    keys, control = work.cache_keys, work.control
    slot = slot_of(low, high, other_low, other_high, depth, keys.shape[0])
    if keys[slot, 0] != low or keys[slot, 1] != high or keys[slot, 2] != other_low or keys[slot, 3] != other_high:
        return False
    cost = keys[slot, 4] >> 3
    if keys[slot, 4] & 7 != depth or control[NODES] + cost > control[NODE_LIMIT]:
        return False
    control[NODES] += cost
    copy(work.out, OUTCOMES * i, work.cache_values, slot)
    return True


def store(work: Work, level: int, depth: int) -> None:
    """Caches the chances at a level of the stack."""
    stack, keys = work.stack, work.cache_keys
    low, high, other_low, other_high = stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3]
    slot = slot_of(low, high, other_low, other_high, depth, keys.shape[0])
    keys[slot, 0], keys[slot, 1], keys[slot, 2], keys[slot, 3] = low, high, other_low, other_high
    keys[slot, 4] = (work.control[NODES] - stack[level, START_NODES]) << 3 | depth
    for k in range(OUTCOMES):
        work.cache_values[slot, k] = work.sums[level, k]


def slot_of(low: int, high: int, other_low: int, other_high: int, depth: int, slots: int) -> int:
    """The position's slot in the cache; `slots` is a power of two."""
    mixed = mix(low, depth)
    mixed = mix(high, mixed)
    mixed = mix(other_low, mixed)
    return mix(other_high, mixed) & slots - 1


def mix(word: int, mixed: int) -> int:
    word = (word ^ word >> 27 ^ mixed) & LOW_BITS
    word = word * ODD
    return (word ^ word >> 29) & LOW_BITS
