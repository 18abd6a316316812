"""What the search remembers of positions. Kernel code.

An entry is the position's key and one packed word: value (16 bits), depth (8), bound (2), best move (10), age (16).
Two neighbouring entries are a bucket.
"""

from __future__ import annotations

from ludus.core.bits import Words
from ludus.engines.checkers.memory import AGE, TABLE

UPPER = 1
LOWER = 2
EXACT = 3
SURE = 15_000
"""Values beyond are wins and losses, counted in plies from here: they are kept as seen from the position itself."""


def bucket(memory: Words, key: int) -> int:
    """Where a position is looked for first."""
    return TABLE + 2 * (key & (len(memory) - TABLE) // 2 - 1)


def find(memory: Words, key: int) -> int:
    """The packed word of a position, or 0."""
    place = bucket(memory, key)
    if memory[place] == key:
        return memory[place + 1]
    place = TABLE + (place - TABLE ^ 2)
    return memory[place + 1] if memory[place] == key else 0


def remember(memory: Words, key: int, ply: int, value: int, depth: int, bound: int, move: int) -> None:
    place = bucket(memory, key)
    if memory[place] != key:
        second = TABLE + (place - TABLE ^ 2)
        if memory[second] == key or rank_of(memory, second) < rank_of(memory, place):
            place = second
    value += ply if value > SURE else -ply if value < -SURE else 0
    memory[place] = key
    memory[place + 1] = value + 32768 | depth << 16 | bound << 24 | move << 26 | (memory[AGE] & 0xFFFF) << 36


def rank_of(memory: Words, place: int) -> int:
    """How much an entry is worth keeping: depth, and less the older it is."""
    word = memory[place + 1]
    return (word >> 16 & 255) - 8 * ((memory[AGE] & 0xFFFF) - (word >> 36))


def value_in(word: int, ply: int) -> int:
    value = (word & 0xFFFF) - 32768
    return value - ply if value > SURE else value + ply if value < -SURE else value


def depth_in(word: int) -> int:
    return word >> 16 & 255


def bound_in(word: int) -> int:
    return word >> 24 & 3


def move_in(word: int) -> int:
    return word >> 26 & 1023
