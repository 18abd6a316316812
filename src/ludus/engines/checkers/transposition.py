"""The transposition table. Kernel code.

An entry is the position's key and one packed word: value (16 bits), depth (8), bound (2), best move (10), age (16).
Two neighbouring entries form a bucket.
"""

from __future__ import annotations

from ludus.core.bits import Words
from ludus.engines.checkers.state import AGE, TABLE

UPPER = 1
LOWER = 2
EXACT = 3
DECISIVE = 15_000
"""Values beyond this are wins and losses in a number of plies, which entries count from their own position."""


def bucket(state: Words, key: int) -> int:
    """Index of the position's first entry."""
    return TABLE + 2 * (key & (len(state) - TABLE) // 2 - 1)


def probe(state: Words, key: int) -> int:
    """The packed word of a position, or 0."""
    place = bucket(state, key)
    if state[place] == key:
        return state[place + 1]
    place = TABLE + (place - TABLE ^ 2)
    return state[place + 1] if state[place] == key else 0


def store(state: Words, key: int, ply: int, value: int, depth: int, bound: int, move: int) -> None:
    place = bucket(state, key)
    if state[place] != key:
        second = TABLE + (place - TABLE ^ 2)
        if state[second] == key or replacement_value(state, second) < replacement_value(state, place):
            place = second
    value += ply if value > DECISIVE else -ply if value < -DECISIVE else 0
    state[place] = key
    state[place + 1] = value + 32768 | depth << 16 | bound << 24 | move << 26 | (state[AGE] & 0xFFFF) << 36


def replacement_value(state: Words, place: int) -> int:
    """How much an entry is worth keeping, by depth and age; a bucket's entry with the lower value is replaced."""
    word = state[place + 1]
    return (word >> 16 & 255) - 8 * ((state[AGE] & 0xFFFF) - (word >> 36))


def value_in(word: int, ply: int) -> int:
    value = (word & 0xFFFF) - 32768
    return value - ply if value > DECISIVE else value + ply if value < -DECISIVE else value


def depth_in(word: int) -> int:
    return word >> 16 & 255


def bound_in(word: int) -> int:
    return word >> 24 & 3


def move_in(word: int) -> int:
    return word >> 26 & 1023
