"""Static evaluation: a sum of learned pattern weights. Kernel code: plain functions over integers.

The board is seen by the side to move, turned so that its men move down. Overlapping blocks index tables of weights:
each of thirteen 4×4 blocks has a weight for every arrangement of men on its eight dark squares and, if there are kings,
each of twelve 3×4 blocks has one for every arrangement of men and kings on its six. One more table is indexed by the
numbers of men and kings of both sides and by who has the move (the opposition).

A *cell* is an entry of these tables. It has two weights, for a full and for an empty board, interpolated by the number
of pieces. `weights` is the array made by `weights.pack`: three short tables that turn sets into digits, then the cells.
"""

from __future__ import annotations

from ludus.core.bits import Words, count, reverse
from ludus.games.checkers.kernel import DARK

BLOCK = 0x050A050A
"""The dark squares of a 4×4 block whose corner has row and column of the same parity."""
GATHER = 0x20200202
"""A magic multiplier: eight bits of the product, from `GATHER_BIT` on, differ for every set of a block's squares. No
product overflows a word, which the interpreter would not wrap."""
GATHER_BIT = 24
SMALL_BLOCK = 0x000A050A
SMALL_GATHER = 0x408808
SMALL_BIT = 18
ODD_SMALL_BLOCK = 0x00050A05
ODD_SMALL_GATHER = 0x42022
ODD_SMALL_BIT = 14

BLOCKS = 13
SMALL_BLOCKS = 12
TERNARY = 0
"""Start of the table that turns such a product into a number whose base-three digits are the squares of the set."""
QUINARY = 256
"""The same for the smaller blocks, in base five."""
ODD_QUINARY = 320
CELLS = 384
MEN_CELLS = BLOCKS * 3**8
KING_CELLS = SMALL_BLOCKS * 5**6
MOST_KINGS = 4
"""A side's kings beyond this number count as this many."""
MATERIAL_CELLS = 13 * 13 * 5 * 5 * 2
ALL_CELLS = MEN_CELLS + KING_CELLS + MATERIAL_CELLS
MOST_CELLS = BLOCKS + SMALL_BLOCKS + 1
"""Cells of one position, at most."""

UNIT = 16
"""Weights are sixteenths of a point; 100 points are one unit on the logistic scale."""
ALL_PIECES = 24
LIMIT = 9_000
SYSTEM = DARK & 0xFF00FF00FF00FF00
"""The rows whose pieces are counted to see who has the move (the opposition)."""


def men_cell(weights: Words, men: int, others: int, block: int) -> int:
    """The cell of one 4×4 block; blocks are numbered by rows, every second place of a five-by-five grid."""
    place = 2 * block + 3 * (2 * block // 5)
    own_set = (men >> place & BLOCK) * GATHER >> GATHER_BIT & 255
    other_set = (others >> place & BLOCK) * GATHER >> GATHER_BIT & 255
    return block * 6561 + weights[TERNARY + own_set] + 2 * weights[TERNARY + other_set]


def king_cell(weights: Words, own: int, other: int, kings: int, block: int) -> int:
    """The cell of one 3×4 block: its top row is 0, 2, 3 or 5; its left column 0, 2 or 4."""
    column, row = 2 * (block % 3), block // 3
    if row < 2:
        place, squares, product, bit, table = 16 * row + column, SMALL_BLOCK, SMALL_GATHER, SMALL_BIT, QUINARY
    else:
        place, squares, product, bit = 16 * row - 8 + column, ODD_SMALL_BLOCK, ODD_SMALL_GATHER, ODD_SMALL_BIT
        table = ODD_QUINARY
    own_set = (own >> place & squares) * product >> bit & 63
    other_set = (other >> place & squares) * product >> bit & 63
    king_set = (kings >> place & squares) * product >> bit & 63
    digits = weights[table + own_set] + 2 * (weights[table + other_set] + weights[table + king_set])
    return MEN_CELLS + block * 15625 + digits


def material_cell(own: int, other: int, kings: int) -> int:
    men, others = count(own & ~kings), count(other & ~kings)
    crowned, others_crowned = min(count(own & kings), MOST_KINGS), min(count(other & kings), MOST_KINGS)
    has_move = count((own | other) & SYSTEM) & 1
    return MEN_CELLS + KING_CELLS + (((men * 13 + others) * 5 + crowned) * 5 + others_crowned) * 2 + has_move


def evaluate(weights: Words, own: int, other: int, kings: int, side: int) -> int:
    """Points for the side to move."""
    if side == 1:
        own, other, kings = reverse(own), reverse(other), reverse(kings)
    men, others, pieces = own & ~kings, other & ~kings, count(own | other)
    cell = CELLS + 2 * material_cell(own, other, kings)
    full, empty = int(weights[cell]), int(weights[cell + 1])
    for block in range(BLOCKS):
        cell = CELLS + 2 * men_cell(weights, men, others, block)
        full += weights[cell]
        empty += weights[cell + 1]
    if kings:
        for block in range(SMALL_BLOCKS):
            cell = CELLS + 2 * king_cell(weights, own, other, kings, block)
            full += weights[cell]
            empty += weights[cell + 1]
    points = (full * pieces + empty * (ALL_PIECES - pieces)) // (ALL_PIECES * UNIT)
    return max(-LIMIT, min(LIMIT, points))


def write_cells(weights: Words, own: int, other: int, kings: int, out: Words) -> int:
    """Writes the cells of a position whose side to move goes down; returns how many there are."""
    men, others = own & ~kings, other & ~kings
    out[0] = material_cell(own, other, kings)
    for block in range(BLOCKS):
        out[1 + block] = men_cell(weights, men, others, block)
    if not kings:
        return 1 + BLOCKS
    for block in range(SMALL_BLOCKS):
        out[1 + BLOCKS + block] = king_cell(weights, own, other, kings, block)
    return MOST_CELLS
