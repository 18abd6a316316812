"""Retrograde analysis of two slices that lead to each other. Kernel code.

The side to move goes down; positions after a move are rotated by 180 degrees so that it does again.
"""

from __future__ import annotations

import typing
from typing import Any

from ludus.core.bits import Words, reverse
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, WIN, Three, index_of, position_at, value_at
from ludus.games.checkers.kernel import BOTTOM, DARK, WORDS, jumpers, play, shift, write_moves

UNSOLVED = 0
DRAWN = 0xFFFF
SAFE = 128


class Work(typing.NamedTuple):
    """The arrays for two slices; `start` is the index of their first position.

    `distances` is `UNSOLVED`, `DRAWN` where forced moves draw, or one more than the plies to the end of the game: the
    side to move wins if the plies are odd and loses if they are even. A win by crowning may still be replaced by a
    shorter one, until `retract_level` reaches its level.
    `open_moves` counts the moves not known to lose, plus `SAFE` if one is known to draw.
    `wld` and `lengths` are the tables of all earlier slices: the value, and the number of moves the side to move has
    until the game ends. `out` is room for a move list.
    """

    distances: Any
    open_moves: Any
    start: int
    wld: Any
    lengths: Any
    layout: Words
    out: Any


def distance_at(work: Work, place: int) -> int:
    """What `distances` held for a position of an earlier slice."""
    value = value_at(work.wld, place)
    if value == DRAW:
        return DRAWN
    moves: int = work.lengths[place]
    return 2 * moves + (1 if value == LOSS else 0)


def after(own: int, other: int, kings: int, origin: int, landing: int, taken: int) -> Three:
    """The position after a move, rotated."""
    o, t, k, _ = play(own, other, kings, 0, origin, landing, taken)
    return reverse(o), reverse(t), reverse(k)


def stays_in_pair(kings: int, origin: int, landing: int, taken: int) -> bool:
    """Whether a move leads to the other slice of the pair, not to an earlier pair."""
    return taken == 0 and (kings & origin != 0 or landing & BOTTOM == 0)


def earlier_distance(work: Work, own: int, other: int, kings: int) -> int:
    if own == 0:
        return 1
    return distance_at(work, index_of(work.layout, own, other, kings))


def init_slice(work: Work, part: Any, base: int, first: int, last: int) -> None:
    """Initializes places `first` to `last` of a slice that starts at `base`, from captures and crownings alone."""
    a, k, b, n = part
    for place in range(first, last):
        own, other, kings = position_at(work.layout, a, k, b, n, place)
        init_position(work, base + place, own, other, kings)


def init_position(work: Work, place: int, own: int, other: int, kings: int) -> None:
    out = work.out
    fewest, most, left, is_safe = DRAWN, 0, 0, False
    for i in range(0, write_moves(out, 0, own, other, kings, 0) * WORDS, WORDS):
        if stays_in_pair(kings, out[i], out[i + 1], out[i + 2]):
            left += 1
            continue
        o, t, k = after(own, other, kings, out[i], out[i + 1], out[i + 2])
        distance = earlier_distance(work, o, t, k)
        if distance == DRAWN:
            is_safe = True
        elif distance & 1:
            fewest = min(fewest, distance)
        else:
            most = max(most, distance)
    if fewest != DRAWN:
        work.distances[place] = fewest + 1
    elif left == 0:
        work.distances[place] = DRAWN if is_safe else most + 1
    work.open_moves[place] = left + SAFE if is_safe else left


def retract_level(work: Work, part: Any, base: int, first: int, last: int, level: int) -> int:
    """Propagates from the positions at distance `level` to their predecessors; returns how many there are."""
    a, k, b, n = part
    found = 0
    for place in range(first, last):
        if work.distances[base + place] == level:
            own, other, kings = position_at(work.layout, a, k, b, n, place)
            retract_moves(work, reverse(other), reverse(own), reverse(kings), level)
            found += 1
    return found


def retract_moves(work: Work, mover: int, waiting: int, kings: int, level: int) -> None:
    """Retracts each step that the mover, whose men go down, may just have made."""
    empty = DARK & ~(mover | waiting)
    for direction in range(4):
        origins = shift(mover if direction >= 2 else mover & kings, 3 - direction) & empty
        while origins:
            origin = origins & -origins
            origins ^= origin
            landing = shift(origin, direction)
            was = kings ^ landing | origin if kings & landing else kings
            update_predecessor(work, mover ^ landing | origin, waiting, was, level)


def update_predecessor(work: Work, own: int, other: int, kings: int, level: int) -> None:
    """A step leads from here to a position at distance `level`; it isn't legal if there is a jump."""
    a, b, c, d = jumpers(own, other, kings, 0)
    if a | b | c | d:
        return
    place = index_of(work.layout, own, other, kings) - work.start
    distance = work.distances[place]
    if level & 1:
        if distance == UNSOLVED or distance > level + 1:
            work.distances[place] = level + 1
    elif distance == UNSOLVED:
        work.open_moves[place] -= 1
        if work.open_moves[place] == 0:
            work.distances[place] = worst_distance(work, own, other, kings) + 1


def worst_distance(work: Work, own: int, other: int, kings: int) -> int:
    """The largest distance that a move leads to; all moves are known to lose."""
    out, most = work.out, 0
    for i in range(0, write_moves(out, 0, own, other, kings, 0) * WORDS, WORDS):
        o, t, k = after(own, other, kings, out[i], out[i + 1], out[i + 2])
        if stays_in_pair(kings, out[i], out[i + 1], out[i + 2]):
            most = max(most, work.distances[index_of(work.layout, o, t, k) - work.start])
        else:
            most = max(most, earlier_distance(work, o, t, k))
    return most


def write_slice(work: Work, base: int, size: int) -> None:
    """Writes a slice into the tables."""
    for i in range(base, base + size):
        distance, place, value = work.distances[i], work.start + i, DRAW
        if distance != UNSOLVED and distance != DRAWN:
            value = LOSS if distance & 1 else WIN
            work.lengths[place] = distance >> 1
        work.wld[place >> 2] |= value << 2 * (place & 3)
