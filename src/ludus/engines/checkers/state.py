"""The state of a search: one array of integers, in parts. Kernel code, except for `new_state`."""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words
from ludus.engines.checkers.endgames.kernel import LAYOUT_WORDS
from ludus.games.checkers.kernel import MOST_MOVES, WORDS

FIRST_MOVE = LAYOUT_WORDS // WORDS + 1
"""Index of the first move in the move list; the layout of the endgame tables comes before it."""
MAX_PLY = 120
MOVE_CAPACITY = MAX_PLY * 64
LAST_LIST_START = FIRST_MOVE + MOVE_CAPACITY - MOST_MOVES
"""The moves of a position may not fit if their list starts after this index."""

MOVE_SCORES = (FIRST_MOVE + MOVE_CAPACITY) * WORDS - FIRST_MOVE
"""Move ordering: one word for each move in the list."""
NODES = (FIRST_MOVE + MOVE_CAPACITY) * WORDS + MOVE_CAPACITY
NODE_LIMIT = NODES + 1
STOP = NODES + 2
"""Nonzero ends the search; another thread may set it."""
AGE = NODES + 3
"""Counts searches, so that entries of older ones are replaced first."""
DEPTH = NODES + 4
"""The last completed depth."""
ROOT_MOVE_COUNT = NODES + 5
NO_PRUNING = NODES + 6
"""Nonzero turns off pruning and reductions: slow, and equal to plain minimax."""
ROOT_SCORES = NODES + 16
"""Scores of the best lines, best first; their moves head the move list."""
GAME_KEYS = ROOT_SCORES + MOST_MOVES
"""Keys of the positions before the root."""
PATH_KEYS = GAME_KEYS + 96
"""Keys of the positions from the root to the current node, by ply."""
KILLERS = PATH_KEYS + MAX_PLY + 16
HISTORY = KILLERS + 2 * (MAX_PLY + 16)
"""History heuristic: one word for each side, origin and landing."""
TABLE = HISTORY + 2 * 1024 + 8
"""The transposition table: two words per entry."""
CACHE_LINE = 8
"""The size of a cache line, in words; no bucket of the transposition table straddles two lines."""

KEY_BITS = 0x7FFFFFFFFFFFFFFF
HALF = 0xFFFFFFFF


def key_of(own: int, other: int, kings: int, side: int) -> int:
    """The position's 63-bit hash key; no product overflows a word."""
    key = (own & HALF) * 0x6A09E667 ^ (own >> 32) * 0x3C6EF373 ^ (other & HALF) * 0x510E527F
    key ^= (other >> 32) * 0x1B873593 ^ (kings & HALF) * 0x5BE0CD19 ^ (kings >> 32) * 0x2545F491
    key ^= key >> 29 ^ side * 0x1F83D9ABFB41BD6B
    key = (key & HALF) * 0x4CF5AD43 ^ (key >> 32) * 0x68E31DA5 << 7 & KEY_BITS
    return key ^ key >> 30


def new_state(entry_bits: int, layout: Any) -> Any:
    """An empty state with 2 ** `entry_bits` transposition table entries, for endgame tables of this layout."""
    import numpy as np

    size = TABLE + (2 << entry_bits)
    room = np.zeros(size + CACHE_LINE, np.int64)
    first = -(room.ctypes.data // 8 + TABLE) % CACHE_LINE
    state = room[first : first + size]
    state[:LAYOUT_WORDS] = layout
    return state


def clear(state: Words) -> None:
    """Forgets earlier games."""
    for i in range(NODES, len(state)):
        state[i] = 0
