"""Looking one or two rolls ahead, in the kernel's style: what a position is worth after all rolls that may follow.

To look one roll ahead is to list the plays of each of the 21 rolls, take the one that the network likes best, and
average what it says about those; two rolls, to look at each of the best plays in the same way. The walk goes level by
level over a stack instead of by calls to itself: Numba's cache on disk cannot restore such calls.
"""

from __future__ import annotations

from typing import Any, Final

from ludus.engines.backgammon.bearoff import is_bearoff, is_exact, write_bearoff
from ludus.engines.backgammon.network.inference import OUTCOMES, equity, write_chances
from ludus.games.backgammon.kernel import WORDS, is_off, write_plays

STOP, SEEN, MOST = 0, 1, 2
"""In `state`: not zero to stop; how many positions have been looked at; at how many to stop."""
CASE, BEFORE, LEVEL_WORDS = 4, 5, 6
"""After the position in a row of the stack: the number of its roll, the positions seen before; words of a row."""
KEYS: Final = 5
"""Words of a memory's key: a position, and how many rolls it was looked ahead with what it cost in positions."""
CASES: Final = 21
SHARE: Final = 1 / 36
LOW_BITS: Final = (1 << 31) - 1
ODD: Final = 0x2545F491


def judge(out: Any, plays: Any, end: int, state: Any, tables: Any, model: Any) -> None:
    """Six chances of the side to roll after each of the first plays of a list, at six times its number."""
    for i in range(end):
        low, high, other_low, other_high = men_after(plays, i)
        at = OUTCOMES * i
        if is_bearoff(low, high, other_low, other_high) and not is_off(other_low, other_high):
            write_bearoff(out, at, low, high, other_low, other_high, tables)
        else:
            write_chances(out, at, low, high, other_low, other_high, *model)
    state[SEEN] += end


def look(
    out: Any, plays: Any, number: int, depth: int, state: Any, stack: Any, sums: Any, keys: Any, known: Any,
    tables: Any, model: Any,
) -> bool:  # fmt: skip
    """Judges so many plays of the list or, with a depth, looks ahead from the only one; whether that came to an end.

    Where the walk has no list of its own to write it judges the one it was given: two calls would be compiled twice.
    """
    level = 0
    if depth:
        push(stack, sums, 0, plays, 0, state)
    while True:
        if depth:
            low, high, other_low, other_high = stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3]
            die, then = dice(stack[level, CASE])
            number = write_plays(plays, 0, low, high, other_low, other_high, die, then)
        judge(out, plays, number, state, tables, model)
        if depth == 0:
            return True
        if state[STOP] or state[SEEN] > state[MOST]:
            return False
        best = best_of(out, number)
        if level + 1 < depth and not is_settled(out, best, plays, depth - level - 1, state, keys, known):
            level += 1
            push(stack, sums, level, plays, best, state)
            continue
        add_turned(sums, level, out, OUTCOMES * best, stack)
        while stack[level, CASE] == CASES:
            remember(stack, sums, level, depth - level, state, keys, known)
            if level == 0:
                copy(out, 0, sums, 0)
                return True
            copy(out, 0, sums, level)
            level -= 1
            add_turned(sums, level, out, 0, stack)


def men_after(plays: Any, i: int) -> tuple[int, int, int, int]:
    """Those of the side to roll after a play come first."""
    at = i * WORDS
    return plays[at + 2], plays[at + 3], plays[at], plays[at + 1]


def dice(case: int) -> tuple[int, int]:
    """The roll of a number: 11, 21, 22, 31 and so on."""
    die = 1
    while case >= die:
        case -= die
        die += 1
    return die, case + 1


def push(stack: Any, sums: Any, level: int, plays: Any, i: int, state: Any) -> None:
    """From here on the walk goes through the rolls after this play."""
    stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3] = men_after(plays, i)
    stack[level, CASE], stack[level, BEFORE] = 0, state[SEEN]
    for k in range(OUTCOMES):
        sums[level, k] = 0.0


def add_turned(sums: Any, level: int, out: Any, at: int, stack: Any) -> None:
    """Counts the chances after a roll, those of one side being the other's turned round, and goes on to the next."""
    die, then = dice(stack[level, CASE])
    share = SHARE if die == then else 2 * SHARE
    for k in range(3):
        sums[level, k] += share * out[at + 3 + k]
        sums[level, 3 + k] += share * out[at + k]
    stack[level, CASE] += 1


def copy(out: Any, at: int, rows: Any, row: int) -> None:
    for k in range(OUTCOMES):
        out[at + k] = rows[row, k]


def best_of(out: Any, end: int) -> int:
    """The play that leaves the other side the least."""
    best, least = 0, equity(out, 0)
    for i in range(1, end):
        value = equity(out, OUTCOMES * i)
        if value < least:
            best, least = i, value
    return best


def is_settled(out: Any, i: int, plays: Any, depth: int, state: Any, keys: Any, known: Any) -> bool:
    """Whether looking further after a play tells nothing new, or has been done before; then that is put in its place.

    What was done before counts as if it were done again, so that a limit of positions means the same.
    """
    low, high, other_low, other_high = men_after(plays, i)
    if is_off(other_low, other_high) or is_exact(low, high, other_low, other_high):
        return True
    slot = slot_of(low, high, other_low, other_high, depth, keys.shape[0])
    if keys[slot, 0] != low or keys[slot, 1] != high or keys[slot, 2] != other_low or keys[slot, 3] != other_high:
        return False
    cost = keys[slot, 4] >> 3
    if keys[slot, 4] & 7 != depth or state[SEEN] + cost > state[MOST]:
        return False
    state[SEEN] += cost
    copy(out, OUTCOMES * i, known, slot)
    return True


def remember(stack: Any, sums: Any, level: int, depth: int, state: Any, keys: Any, known: Any) -> None:
    low, high, other_low, other_high = stack[level, 0], stack[level, 1], stack[level, 2], stack[level, 3]
    slot = slot_of(low, high, other_low, other_high, depth, keys.shape[0])
    keys[slot, 0], keys[slot, 1], keys[slot, 2], keys[slot, 3] = low, high, other_low, other_high
    keys[slot, 4] = (state[SEEN] - stack[level, BEFORE]) << 3 | depth
    for k in range(OUTCOMES):
        known[slot, k] = sums[level, k]


def slot_of(low: int, high: int, other_low: int, other_high: int, depth: int, slots: int) -> int:
    """Where in the memory a position has its place; `slots` is a power of two."""
    mixed = folded(low, depth)
    mixed = folded(high, mixed)
    mixed = folded(other_low, mixed)
    return folded(other_high, mixed) & slots - 1


def folded(word: int, mixed: int) -> int:
    word = (word ^ word >> 27 ^ mixed) & LOW_BITS
    word = word * ODD
    return (word ^ word >> 29) & LOW_BITS
