"""The search from a position that is on the board: deeper and deeper, one or several best lines. Kernel code."""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words
from ludus.engines.checkers.memory import AGE, DEPTH, FIRST_MOVE, NODES, NUMBER, PATH, STOP, VALUES, key_of
from ludus.engines.checkers.search import WIN, search
from ludus.games.checkers.kernel import WORDS, play, write_moves

WINDOW = 30
"""How far the value is thought to be from that of the last depth."""


def bring_forward(memory: Words, first: int, i: int) -> None:
    """Puts a root move before those from `first` on, and leaves their order."""
    for word in range(WORDS):
        kept = memory[i * WORDS + word]
        for j in range(i, first, -1):
            memory[j * WORDS + word] = memory[(j - 1) * WORDS + word]
        memory[first * WORDS + word] = kept


def sort_lines(memory: Words, lines: int) -> None:
    """A later line may have turned out better than an earlier one."""
    for i in range(1, lines):
        value, place = memory[VALUES + i], i
        while place > 0 and memory[VALUES + place - 1] < value:
            memory[VALUES + place] = memory[VALUES + place - 1]
            place -= 1
        memory[VALUES + place] = value
        bring_forward(memory, FIRST_MOVE + place, FIRST_MOVE + i)


def search_root(
    memory: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    depth: int, alpha: int, beta: int, first: int, end: int,
) -> int:  # fmt: skip
    """The best value of the moves from `first` on; the best comes forward."""
    ply = min(depth, 1)  # always 1, but no literal, for which the compiler would make another search
    best, floor = -WIN, alpha
    for i in range(first, end):
        origin, landing, taken = memory[i * WORDS], memory[i * WORDS + 1], memory[i * WORDS + 2]
        x, y, z, s = play(own, other, kings, side, origin, landing, taken)
        stillness = quiet + 1 if taken == 0 and kings & origin else 0
        value = floor + 1
        if i > first:
            value = -search(memory, weights, tables, x, y, z, s, stillness, depth - 1, -floor - 1, -floor, ply, end)
        if i == first or floor < value < beta:
            value = -search(memory, weights, tables, x, y, z, s, stillness, depth - 1, -beta, -floor, ply, end)
        if memory[STOP]:
            return best
        if value > best:
            best = value
            if value > floor or i == first:
                bring_forward(memory, first, i)
                memory[VALUES + first - FIRST_MOVE] = value
            floor = max(floor, value)
            if value >= beta:
                return best
    return best


def search_line(
    memory: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    depth: int, first: int, end: int,
) -> int:  # fmt: skip
    """The same within a narrow window at first, wider where the value is not in it."""
    guess, width = memory[VALUES + first - FIRST_MOVE], WINDOW
    alpha, beta = (guess - width, guess + width) if depth > 4 else (-WIN, WIN)
    while True:
        value = search_root(memory, weights, tables, own, other, kings, side, quiet, depth, alpha, beta, first, end)
        if memory[STOP] or alpha < value < beta:
            return value
        if value <= alpha:
            if alpha <= -WIN:
                return value
            alpha = value - width if width < 500 else -WIN
        else:
            if beta >= WIN:
                return value
            beta = value + width if width < 500 else WIN
        width *= 4


def deepen(
    memory: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    most_depth: int, lines: int,
) -> int:  # fmt: skip
    """Searches one ply deeper each time until it is stopped or has seen the end; returns the best line's value.

    The best moves are then the first of the list, their values in `VALUES`. What was found at a depth that was not
    finished counts as far as it goes.
    """
    memory[NODES] = memory[DEPTH] = 0
    memory[AGE] += 1
    memory[PATH] = key_of(own, other, kings, side)
    end = write_moves(memory, FIRST_MOVE, own, other, kings, side)
    memory[NUMBER] = end - FIRST_MOVE
    lines = min(lines, end - FIRST_MOVE)
    if lines == 0:
        return -WIN
    for line in range(lines):
        memory[VALUES + line] = 0
    for depth in range(1, most_depth + 1):
        for line in range(lines):
            if not memory[STOP]:
                search_line(
                    memory, weights, tables, own, other, kings, side, quiet, depth, FIRST_MOVE + line, end
                )  # fmt: skip
        sort_lines(memory, lines)
        if memory[STOP]:
            break
        memory[DEPTH] = depth
        if lines == 1 and abs(memory[VALUES]) > WIN - 1 - depth:
            break
    return memory[VALUES]
