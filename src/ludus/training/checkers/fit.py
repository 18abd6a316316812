"""Fits weights to lessons: logistic regression, one position after the other. Kernel code."""

from __future__ import annotations

from math import exp, log
from typing import Any

from ludus.core.bits import Words, count
from ludus.engines.checkers.evaluation import ALL_CELLS, ALL_PIECES, MOST_CELLS, write_cells
from ludus.training.checkers.games import ROW, ZERO

SCALE = 100
"""Points of one unit of the logistic scale."""
KINDS = 4
"""Own men, the other's, own kings, the other's."""
WEIGHTS = ALL_CELLS + KINDS * 32
"""The cells, and one more weight for each kind of piece on each square. These speak for ways of standing that no game
has shown; once learned they are added to the cells."""
MOST_WEIGHTS = MOST_CELLS + ALL_PIECES


def write_pieces(squares: int, kind: int, out: Words, number: int) -> int:
    while squares:
        bit = squares & -squares
        squares ^= bit
        out[number] = ALL_CELLS + kind * 32 + (count(bit - 1) >> 1)
        number += 1
    return number


def write_weights(words: Any, own: int, other: int, kings: int, out: Words) -> int:
    """The numbers of all weights of a position; returns how many there are."""
    number = write_cells(words, own, other, kings, out)
    number = write_pieces(own & ~kings, 0, out, number)
    number = write_pieces(other & ~kings, 1, out, number)
    number = write_pieces(own & kings, 2, out, number)
    return write_pieces(other & kings, 3, out, number)


def chance(x: float) -> float:
    """The expected result, 0 to 1."""
    return 1 / (1 + exp(-min(max(x, -30.0), 30.0)))


def target_of(lesson: int, trust: float) -> float:
    """Between how the game ended and, as far as it is trusted, what the search thought."""
    return trust * chance(((lesson & 0xFFFF) - ZERO) / SCALE) + (1 - trust) * (lesson >> 16) / 2


def guess(theta: Any, cells: Words, number: int, full: float) -> float:
    total = 0.0
    for k in range(number):
        total += full * theta[2 * cells[k]] + (1 - full) * theta[2 * cells[k] + 1]
    return total


def learn(
    words: Any, theta: Any, sums: Any, rows: Words, order: Words, first: int, last: int, rate: float, trust: float,
    cells: Words,
) -> float:  # fmt: skip
    """One pass over some rows (AdaGrad: each weight has its own rate, by the `sums` of squares so far).

    Returns the loss per position before each step.
    """
    loss = 0.0
    for i in range(first, last):
        row = order[i] * ROW
        own, other, kings, lesson = rows[row], rows[row + 1], rows[row + 2], rows[row + 3]
        number = write_weights(words, own, other, kings, cells)
        full = count(own | other) / ALL_PIECES
        p, target = chance(guess(theta, cells, number, full)), target_of(lesson, trust)
        loss -= target * log(p + 1e-9) + (1 - target) * log(1 - p + 1e-9)
        error = p - target
        for k in range(number):
            place = 2 * cells[k]
            for step in range(2):
                slope = error * (full if step == 0 else 1 - full)
                sums[place + step] += slope * slope
                theta[place + step] -= rate * slope / sums[place + step] ** 0.5
    return loss / max(last - first, 1)


def measure(words: Any, theta: Any, rows: Words, first: int, last: int, trust: float, cells: Words) -> float:
    """The loss per position, without learning."""
    loss = 0.0
    for i in range(first, last):
        own, other, kings, lesson = rows[i * ROW], rows[i * ROW + 1], rows[i * ROW + 2], rows[i * ROW + 3]
        number = write_weights(words, own, other, kings, cells)
        p = chance(guess(theta, cells, number, count(own | other) / ALL_PIECES))
        target = target_of(lesson, trust)
        loss -= target * log(p + 1e-9) + (1 - target) * log(1 - p + 1e-9)
    return loss / max(last - first, 1)
