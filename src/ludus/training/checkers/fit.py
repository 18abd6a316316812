"""Logistic regression of the weights on self-play positions, by AdaGrad. Kernel code."""

from __future__ import annotations

from math import exp, log
from typing import Any

from ludus.core.bits import Words, count
from ludus.engines.checkers.evaluation import ALL_CELLS, ALL_PIECES, MOST_CELLS, write_cells
from ludus.training.checkers.selfplay import ROW, ZERO

SCALE = 100
"""Points per unit of the logistic scale."""
KINDS = 4
"""Own men, the opponent's, own kings, the opponent's."""
WEIGHTS = ALL_CELLS + KINDS * 32
"""The cells, and a weight for each kind of piece on each square. These generalize to arrangements that no game has
shown; `folding` adds them to the cells."""
MOST_WEIGHTS = MOST_CELLS + ALL_PIECES


def write_pieces(squares: int, kind: int, out: Words, number: int) -> int:
    while squares:
        bit = squares & -squares
        squares ^= bit
        out[number] = ALL_CELLS + kind * 32 + (count(bit - 1) >> 1)
        number += 1
    return number


def write_weights(words: Any, own: int, other: int, kings: int, out: Words) -> int:
    """Writes the indices of all weights of a position; returns how many there are."""
    number = write_cells(words, own, other, kings, out)
    number = write_pieces(own & ~kings, 0, out, number)
    number = write_pieces(other & ~kings, 1, out, number)
    number = write_pieces(own & kings, 2, out, number)
    return write_pieces(other & kings, 3, out, number)


def chance(x: float) -> float:
    """The expected result, 0 to 1."""
    return 1 / (1 + exp(-min(max(x, -30.0), 30.0)))


def target_of(label: int, search_weight: float) -> float:
    """A blend of the search's score, with weight `search_weight`, and the game's result."""
    return search_weight * chance(((label & 0xFFFF) - ZERO) / SCALE) + (1 - search_weight) * (label >> 16) / 2


def predict(theta: Any, cells: Words, number: int, full: float) -> float:
    total = 0.0
    for k in range(number):
        total += full * theta[2 * cells[k]] + (1 - full) * theta[2 * cells[k] + 1]
    return total


def fit(
    words: Any, theta: Any, squared_gradients: Any, rows: Words, order: Words, first: int, last: int, rate: float,
    search_weight: float, cells: Words,
) -> float:  # fmt: skip
    """One pass over some rows; returns the mean loss, each row's measured before its step."""
    loss = 0.0
    for i in range(first, last):
        row = order[i] * ROW
        own, other, kings, label = rows[row], rows[row + 1], rows[row + 2], rows[row + 3]
        number = write_weights(words, own, other, kings, cells)
        full = count(own | other) / ALL_PIECES
        p, target = chance(predict(theta, cells, number, full)), target_of(label, search_weight)
        loss -= target * log(p + 1e-9) + (1 - target) * log(1 - p + 1e-9)
        error = p - target
        for k in range(number):
            place = 2 * cells[k]
            for step in range(2):
                slope = error * (full if step == 0 else 1 - full)
                squared_gradients[place + step] += slope * slope
                theta[place + step] -= rate * slope / squared_gradients[place + step] ** 0.5
    return loss / max(last - first, 1)


def loss_of(words: Any, theta: Any, rows: Words, first: int, last: int, search_weight: float, cells: Words) -> float:
    """The mean loss."""
    loss = 0.0
    for i in range(first, last):
        own, other, kings, label = rows[i * ROW], rows[i * ROW + 1], rows[i * ROW + 2], rows[i * ROW + 3]
        number = write_weights(words, own, other, kings, cells)
        p = chance(predict(theta, cells, number, count(own | other) / ALL_PIECES))
        target = target_of(label, search_weight)
        loss -= target * log(p + 1e-9) + (1 - target) * log(1 - p + 1e-9)
    return loss / max(last - first, 1)
