"""Where a search keeps what: one array of integers, in parts. Kernel code, but for the making of the array."""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words
from ludus.engines.checkers.endgames.kernel import LAYOUT_WORDS
from ludus.games.checkers.kernel import MOST_MOVES, WORDS

FIRST_MOVE = LAYOUT_WORDS // WORDS + 1
"""The number of the first move in the list; before it is the layout of the endgame tables."""
MOST_PLIES = 120
MOVE_ROOM = MOST_PLIES * 64
LAST_MOVE = FIRST_MOVE + MOVE_ROOM - MOST_MOVES
"""A list that begins after this may not fit any more."""

RANKS = (FIRST_MOVE + MOVE_ROOM) * WORDS - FIRST_MOVE
"""A word for each move in the list: how early to try it."""
NODES = (FIRST_MOVE + MOVE_ROOM) * WORDS + MOVE_ROOM
NODE_LIMIT = NODES + 1
STOP = NODES + 2
"""Set, it ends the search; another thread may do so."""
AGE = NODES + 3
"""Counts searches, so that what older ones left behind gives way."""
DEPTH = NODES + 4
"""The last depth searched to its end."""
NUMBER = NODES + 5
"""Of legal moves at the root."""
IS_FULL = NODES + 6
"""Set, no move is left out or looked at less deep than another: slow, and the same as plain minimax."""
VALUES = NODES + 16
"""Of the best lines, in order; the moves themselves are the first of the list."""
PAST = VALUES + MOST_MOVES
"""Keys of the positions before the root; `PATH` is the root's own."""
PATH = PAST + 96
KILLERS = PATH + MOST_PLIES + 16
HISTORY = KILLERS + 2 * (MOST_PLIES + 16)
"""A word for each side, origin and landing."""
TABLE = HISTORY + 2 * 1024 + 8
"""The transposition table: two words an entry."""
ENTRY_BITS = 20
LINE = 8
"""Words of a cache line; no bucket of the table lies on two."""

KEY_BITS = 0x7FFFFFFFFFFFFFFF
HALF = 0xFFFFFFFF


def key_of(own: int, other: int, kings: int, side: int) -> int:
    """A number of 63 bits that stands for the position; products stay within a word."""
    key = (own & HALF) * 0x6A09E667 ^ (own >> 32) * 0x3C6EF373 ^ (other & HALF) * 0x510E527F
    key ^= (other >> 32) * 0x1B873593 ^ (kings & HALF) * 0x5BE0CD19 ^ (kings >> 32) * 0x2545F491
    key ^= key >> 29 ^ side * 0x1F83D9ABFB41BD6B
    key = (key & HALF) * 0x4CF5AD43 ^ (key >> 32) * 0x68E31DA5 << 7 & KEY_BITS
    return key ^ key >> 30


def new_memory(entry_bits: int, layout: Any) -> Any:
    """An empty memory with a transposition table of so many entries (a power of two), for these endgame tables."""
    import numpy as np

    size = TABLE + (2 << entry_bits)
    room = np.zeros(size + LINE, np.int64)
    first = -(room.ctypes.data // 8 + TABLE) % LINE
    memory = room[first : first + size]
    memory[:LAYOUT_WORDS] = layout
    return memory


def clear(memory: Words) -> None:
    """Forgets what earlier games left behind."""
    for i in range(NODES, len(memory)):
        memory[i] = 0
