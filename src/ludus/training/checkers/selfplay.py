"""Games that the engine plays against itself or against an earlier one. Kernel code.

A position to learn from is `ROW` words: the pieces of the side to move, turned so that its men go down, the other's,
the kings, and `lesson`: what the search thought of it in points and how the game ended for it.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words, count, reverse
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, MOST, UNKNOWN, probe
from ludus.engines.checkers.memory import (
    FIRST_MOVE,
    KEY_BITS,
    NODE_LIMIT,
    PATH,
    STOP,
    clear,
    key_of,
)
from ludus.engines.checkers.root import deepen
from ludus.engines.checkers.search import QUIET_LIMIT, TABLE_WIN
from ludus.games.checkers.kernel import FIRST_START, SECOND_START, WORDS, jumpers, play, write_moves

ROW = 4
MOST_PLIES = 240
"""A game that goes on longer is a draw."""
MOST_DEPTH = 60
LEFT_OUT = 4_000
"""Positions that the search values higher than this are not learned from: they are over."""
ZERO = 32_768
"""Added to the points in a lesson's low bits."""

Four = tuple[int, int, int, int]


def next_random(random: Words) -> int:
    """A number of 63 bits (xorshift)."""
    x = random[0]
    x ^= x << 13 & KEY_BITS
    x ^= x >> 7
    x ^= x << 17 & KEY_BITS
    random[0] = x
    return x >> 11


def open_game(memory: Words, random: Words, plies: int) -> Four:
    """The position after so many moves at random from the start, of which the last is not a jump's threat alone."""
    own, other, kings, side = FIRST_START, SECOND_START, 0, 0
    for _ in range(plies):
        end = write_moves(memory, FIRST_MOVE, own, other, kings, side)
        if end == FIRST_MOVE:
            return FIRST_START, SECOND_START, 0, 0
        i = (FIRST_MOVE + next_random(random) % (end - FIRST_MOVE)) * WORDS
        own, other, kings, side = play(own, other, kings, side, memory[i], memory[i + 1], memory[i + 2])
    return own, other, kings, side


def think(
    memory: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int, nodes: int
) -> int:
    """Searches until so many positions have been looked at; the best move is then the first of the list."""
    memory[NODE_LIMIT] = nodes
    memory[STOP] = 0
    return deepen(memory, weights, tables, own, other, kings, side, quiet, MOST_DEPTH, 1)


def is_calm(own: int, other: int, kings: int, side: int) -> bool:
    """Whether neither side could jump."""
    a, b, c, d = jumpers(own, other, kings, side)
    e, f, g, h = jumpers(other, own, kings, 1 - side)
    return (a | b | c | d | e | f | g | h) == 0


def write_row(out: Words, row: int, own: int, other: int, kings: int, side: int, points: int) -> int:
    """Notes a position; how the game ended is added later, until then the lesson says whose move it was."""
    if side == 1:
        own, other, kings = reverse(own), reverse(other), reverse(kings)
    out[row * ROW] = own
    out[row * ROW + 1] = other
    out[row * ROW + 2] = kings
    out[row * ROW + 3] = points + ZERO | side << 16
    return row + 1


def settle_rows(out: Words, first: int, row: int, result: int) -> None:
    """Writes how the game ended: `result` is 2, 1 or 0 for the first player's win, a draw, a loss."""
    for i in range(first, row):
        lesson = out[i * ROW + 3]
        mine = 2 - result if lesson >> 16 & 1 else result
        out[i * ROW + 3] = (lesson & 0xFFFF) | mine << 16


def keep_path(memory: Words, path: Words, length: int, quiet: int) -> None:
    """Tells the search which positions the game has been through since the last move that cannot be undone."""
    for back in range(1, min(quiet, length) + 1):
        memory[PATH - back] = path[length - back]


def play_game(
    memory: Words, weights: Any, rival: Words, rival_weights: Any, tables: Any, random: Words, path: Words,
    own: int, other: int, kings: int, side: int, rival_side: int, nodes: int, whims: int, out: Words, row: int,
) -> int:  # fmt: skip
    """One game from a position; `rival` plays `rival_side`, of which 2 is nobody. Returns the next free row.

    One move in `whims` is made at random, if that is not 0. The result comes back in `random[1]`.
    """
    first, quiet, length = row, 0, 0
    result = 1
    while length < MOST_PLIES and quiet < QUIET_LIMIT:
        found = UNKNOWN
        if count(own | other) <= memory[MOST]:
            found = probe(tables, memory, own, other, kings, side)
        if found != UNKNOWN:
            result = 1 if found == DRAW else 2 * side if found == LOSS else 2 - 2 * side
            break
        path[length] = key_of(own, other, kings, side)
        if side == rival_side:
            keep_path(rival, path, length, quiet)
            points = think(rival, rival_weights, tables, own, other, kings, side, quiet, nodes)
            end = write_moves(memory, FIRST_MOVE, own, other, kings, side)
            for word in range(WORDS):
                memory[FIRST_MOVE * WORDS + word] = rival[FIRST_MOVE * WORDS + word]
        else:
            keep_path(memory, path, length, quiet)
            points = think(memory, weights, tables, own, other, kings, side, quiet, nodes)
            end = FIRST_MOVE + 1
        if points <= -TABLE_WIN // 2 or points >= TABLE_WIN // 2:
            result = 2 - 2 * side if points > 0 else 2 * side
            break
        if abs(points) < LEFT_OUT and is_calm(own, other, kings, side):
            row = write_row(out, row, own, other, kings, side, points)
        i = FIRST_MOVE * WORDS
        if whims and next_random(random) % whims == 0:
            end = write_moves(memory, FIRST_MOVE, own, other, kings, side)
            i = (FIRST_MOVE + next_random(random) % (end - FIRST_MOVE)) * WORDS
        quiet = quiet + 1 if memory[i + 2] == 0 and kings & memory[i] else 0
        own, other, kings, side = play(own, other, kings, side, memory[i], memory[i + 1], memory[i + 2])
        length += 1
    settle_rows(out, first, row, result)
    random[1] = result
    return row


def play_games(
    memory: Words, weights: Any, tables: Any, random: Words, path: Words, seed: int, number: int, nodes: int,
    whims: int, out: Words,
) -> int:  # fmt: skip
    """So many games against itself after some moves at random; returns how many rows were written."""
    row = 0
    for game in range(number):
        random[0] = (seed + game) * 0x4F6CDD1D & KEY_BITS | 1
        for _ in range(8):
            next_random(random)
        clear(memory)
        own, other, kings, side = open_game(memory, random, 3 + next_random(random) % 10)
        row = play_game(
            memory, weights, memory, weights, tables, random, path, own, other, kings, side, 2, nodes, whims, out, row
        )
    return row


def play_match(
    memory: Words, weights: Any, rival: Words, rival_weights: Any, tables: Any, random: Words, path: Words,
    seed: int, number: int, nodes: int, out: Words, scores: Words,
) -> None:  # fmt: skip
    """Pairs of games from the same opening with sides changed; `scores` counts losses, draws and wins of `weights`."""
    for game in range(number):
        random[0] = (seed + game // 2) * 0x4F6CDD1D & KEY_BITS | 1
        for _ in range(8):
            next_random(random)
        clear(memory)
        clear(rival)
        own, other, kings, side = open_game(memory, random, 4 + next_random(random) % 3)
        play_game(
            memory, weights, rival, rival_weights, tables, random, path, own, other, kings, side, game & 1,
            nodes, 0, out, 0,
        )  # fmt: skip
        scores[random[1] if game & 1 else 2 - random[1]] += 1
