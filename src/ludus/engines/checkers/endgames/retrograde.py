"""Solves two slices of endgames that lead to each other, backwards from the ends of games.

The side to move goes down, and what a move leads to is turned by half a circle, so that it does again.
"""

from __future__ import annotations

import typing
from typing import Any

from ludus.core.bits import Words, reverse
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, WIN, Three, number, position, value_at
from ludus.games.checkers.kernel import BOTTOM, DARK, WORDS, jumpers, play, shift, write_moves

OPEN = 0
DRAWN = 0xFFFF
SAFE = 128


class Work(typing.NamedTuple):
    """The arrays for two slices, of which the first position has the number `start`.

    `ends` has for each position `OPEN` while nothing is known, `DRAWN` where a forced move draws, and else one more
    than the plies to the end of the game: the side to move wins if they are odd, loses if even. A win by crowning may
    still give way to a shorter one; it is certain when `settle` comes to its plies.
    `moves_left` counts the moves that are not known to lose, with `SAFE` added where one is known to draw.
    `wld` and `lengths` are the tables of all earlier slices: what a position is, and the moves of the side to move
    until the game ends. `out` is room for a list of moves.
    """

    ends: Any
    moves_left: Any
    start: int
    wld: Any
    lengths: Any
    layout: Words
    out: Any


def end_at(work: Work, place: int) -> int:
    """What `ends` held for a position of an earlier slice."""
    value = value_at(work.wld, place)
    if value == DRAW:
        return DRAWN
    moves: int = work.lengths[place]
    return 2 * moves + (1 if value == LOSS else 0)


def after(own: int, other: int, kings: int, origin: int, landing: int, taken: int) -> Three:
    """The position after a move, turned."""
    o, t, k, _ = play(own, other, kings, 0, origin, landing, taken)
    return reverse(o), reverse(t), reverse(k)


def is_inside(kings: int, origin: int, landing: int, taken: int) -> bool:
    """Whether a move leads to the other one of the two slices, not to an earlier one."""
    return taken == 0 and (kings & origin != 0 or landing & BOTTOM == 0)


def earlier_end(work: Work, own: int, other: int, kings: int) -> int:
    if own == 0:
        return 1
    return end_at(work, number(work.layout, own, other, kings))


def open_slice(work: Work, part: Any, base: int, first: int, last: int) -> None:
    """Finds what captures and crownings alone tell of a slice's places `first` to `last`; it begins at `base`."""
    a, k, b, n = part
    for place in range(first, last):
        own, other, kings = position(work.layout, a, k, b, n, place)
        open_position(work, base + place, own, other, kings)


def open_position(work: Work, place: int, own: int, other: int, kings: int) -> None:
    out = work.out
    fewest, most, left, is_safe = DRAWN, 0, 0, False
    for i in range(0, write_moves(out, 0, own, other, kings, 0) * WORDS, WORDS):
        if is_inside(kings, out[i], out[i + 1], out[i + 2]):
            left += 1
            continue
        o, t, k = after(own, other, kings, out[i], out[i + 1], out[i + 2])
        end = earlier_end(work, o, t, k)
        if end == DRAWN:
            is_safe = True
        elif end & 1:
            fewest = min(fewest, end)
        else:
            most = max(most, end)
    if fewest != DRAWN:
        work.ends[place] = fewest + 1
    elif left == 0:
        work.ends[place] = DRAWN if is_safe else most + 1
    work.moves_left[place] = left + SAFE if is_safe else left


def settle(work: Work, part: Any, base: int, first: int, last: int, level: int) -> int:
    """Goes one move back from the positions whose `ends` is `level`; returns how many there are."""
    a, k, b, n = part
    found = 0
    for place in range(first, last):
        if work.ends[base + place] == level:
            own, other, kings = position(work.layout, a, k, b, n, place)
            take_back(work, reverse(other), reverse(own), reverse(kings), level)
            found += 1
    return found


def take_back(work: Work, mover: int, waiting: int, kings: int, level: int) -> None:
    """Undoes each step that the mover, whose men go down, can have made last."""
    empty = DARK & ~(mover | waiting)
    for direction in range(4):
        origins = shift(mover if direction >= 2 else mover & kings, 3 - direction) & empty
        while origins:
            origin = origins & -origins
            origins ^= origin
            landing = shift(origin, direction)
            was = kings ^ landing | origin if kings & landing else kings
            note(work, mover ^ landing | origin, waiting, was, level)


def note(work: Work, own: int, other: int, kings: int, level: int) -> None:
    """Notes that a step leads from here to an end at `level`; where a jump is forced it is no move at all."""
    a, b, c, d = jumpers(own, other, kings, 0)
    if a | b | c | d:
        return
    place = number(work.layout, own, other, kings) - work.start
    end = work.ends[place]
    if level & 1:
        if end == OPEN or end > level + 1:
            work.ends[place] = level + 1
    elif end == OPEN:
        work.moves_left[place] -= 1
        if work.moves_left[place] == 0:
            work.ends[place] = worst_end(work, own, other, kings) + 1


def worst_end(work: Work, own: int, other: int, kings: int) -> int:
    """The latest end that a move leads to; all are known to lose."""
    out, most = work.out, 0
    for i in range(0, write_moves(out, 0, own, other, kings, 0) * WORDS, WORDS):
        o, t, k = after(own, other, kings, out[i], out[i + 1], out[i + 2])
        if is_inside(kings, out[i], out[i + 1], out[i + 2]):
            most = max(most, work.ends[number(work.layout, o, t, k) - work.start])
        else:
            most = max(most, earlier_end(work, o, t, k))
    return most


def write_values(work: Work, base: int, size: int) -> None:
    """Writes a slice into the tables."""
    for i in range(base, base + size):
        end, place, value = work.ends[i], work.start + i, DRAW
        if end != OPEN and end != DRAWN:
            value = LOSS if end & 1 else WIN
            work.lengths[place] = end >> 1
        work.wld[place >> 2] |= value << 2 * (place & 3)
