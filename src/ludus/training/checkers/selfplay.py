"""Self-play games, and matches against earlier weights. Kernel code.

A training position is `ROW` words: the pieces of the side to move, turned so that its men go down, the opponent's, the
kings, and `label`: the search's score and, above it, the game's result for the side to move.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words, count, reverse
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, MAX_PIECES, UNKNOWN, probe_wld
from ludus.engines.checkers.search import TABLE_WIN, iterative_deepening
from ludus.engines.checkers.state import (
    FIRST_MOVE,
    KEY_BITS,
    NODE_LIMIT,
    PATH_KEYS,
    STOP,
    clear,
    key_of,
)
from ludus.games.checkers.kernel import FIRST_START, QUIET_LIMIT, SECOND_START, WORDS, jumpers, play, write_moves

ROW = 4
MAX_GAME_PLIES = 240
"""A longer game counts as a draw."""
MAX_DEPTH = 60
MAX_SCORE = 4_000
"""Positions with a higher score are decided, and not learned from."""
ZERO = 32_768
"""Added to the score in a label's low 16 bits."""

Four = tuple[int, int, int, int]


def next_random(random: Words) -> int:
    """The next pseudo-random number (xorshift)."""
    x = random[0]
    x ^= x << 13 & KEY_BITS
    x ^= x >> 7
    x ^= x << 17 & KEY_BITS
    random[0] = x
    return x >> 11


def random_opening(state: Words, random: Words, plies: int) -> Four:
    """The position after `plies` random moves; the start if the game ends before."""
    own, other, kings, side = FIRST_START, SECOND_START, 0, 0
    for _ in range(plies):
        end = write_moves(state, FIRST_MOVE, own, other, kings, side)
        if end == FIRST_MOVE:
            return FIRST_START, SECOND_START, 0, 0
        i = (FIRST_MOVE + next_random(random) % (end - FIRST_MOVE)) * WORDS
        own, other, kings, side = play(own, other, kings, side, state[i], state[i + 1], state[i + 2])
    return own, other, kings, side


def search_move(
    state: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int, nodes: int
) -> int:
    """Searches `nodes` nodes; the best move is then the first one of the list."""
    state[NODE_LIMIT] = nodes
    state[STOP] = 0
    return iterative_deepening(state, weights, tables, own, other, kings, side, quiet, MAX_DEPTH, 1)


def is_quiet(own: int, other: int, kings: int, side: int) -> bool:
    """Whether neither side could jump."""
    a, b, c, d = jumpers(own, other, kings, side)
    e, f, g, h = jumpers(other, own, kings, 1 - side)
    return (a | b | c | d | e | f | g | h) == 0


def write_row(out: Words, row: int, own: int, other: int, kings: int, side: int, score: int) -> int:
    """Writes a position; until the result is known, its place in the label holds the side to move."""
    if side == 1:
        own, other, kings = reverse(own), reverse(other), reverse(kings)
    out[row * ROW] = own
    out[row * ROW + 1] = other
    out[row * ROW + 2] = kings
    out[row * ROW + 3] = score + ZERO | side << 16
    return row + 1


def write_results(out: Words, first: int, row: int, result: int) -> None:
    """Adds the result: 2, 1 or 0 for the first player's win, a draw, a loss."""
    for i in range(first, row):
        label = out[i * ROW + 3]
        mine = 2 - result if label >> 16 & 1 else result
        out[i * ROW + 3] = (label & 0xFFFF) | mine << 16


def write_game_keys(state: Words, path: Words, length: int, quiet: int) -> None:
    """Passes the keys of the positions since the last irreversible move to the search, to detect repetitions."""
    for back in range(1, min(quiet, length) + 1):
        state[PATH_KEYS - back] = path[length - back]


def play_game(
    state: Words, weights: Any, rival: Words, rival_weights: Any, tables: Any, random: Words, path: Words,
    own: int, other: int, kings: int, side: int, rival_side: int, nodes: int, random_every: int, out: Words, row: int,
) -> int:  # fmt: skip
    """One game from a position; `rival` plays `rival_side` (2 for none). Returns the next free row.

    One move in `random_every` is random, if that is not 0. The result is returned in `random[1]`.
    """
    first, quiet, length = row, 0, 0
    result = 1
    while length < MAX_GAME_PLIES and quiet < QUIET_LIMIT:
        found = UNKNOWN
        if count(own | other) <= state[MAX_PIECES]:
            found = probe_wld(tables, state, own, other, kings, side)
        if found != UNKNOWN:
            result = 1 if found == DRAW else 2 * side if found == LOSS else 2 - 2 * side
            break
        path[length] = key_of(own, other, kings, side)
        if side == rival_side:
            write_game_keys(rival, path, length, quiet)
            score = search_move(rival, rival_weights, tables, own, other, kings, side, quiet, nodes)
            end = write_moves(state, FIRST_MOVE, own, other, kings, side)
            for word in range(WORDS):
                state[FIRST_MOVE * WORDS + word] = rival[FIRST_MOVE * WORDS + word]
        else:
            write_game_keys(state, path, length, quiet)
            score = search_move(state, weights, tables, own, other, kings, side, quiet, nodes)
            end = FIRST_MOVE + 1
        if score <= -TABLE_WIN // 2 or score >= TABLE_WIN // 2:
            result = 2 - 2 * side if score > 0 else 2 * side
            break
        if abs(score) < MAX_SCORE and is_quiet(own, other, kings, side):
            row = write_row(out, row, own, other, kings, side, score)
        i = FIRST_MOVE * WORDS
        if random_every and next_random(random) % random_every == 0:
            end = write_moves(state, FIRST_MOVE, own, other, kings, side)
            i = (FIRST_MOVE + next_random(random) % (end - FIRST_MOVE)) * WORDS
        quiet = quiet + 1 if state[i + 2] == 0 and kings & state[i] else 0
        own, other, kings, side = play(own, other, kings, side, state[i], state[i + 1], state[i + 2])
        length += 1
    write_results(out, first, row, result)
    random[1] = result
    return row


def play_games(
    state: Words, weights: Any, tables: Any, random: Words, path: Words, seed: int, number: int, nodes: int,
    random_every: int, out: Words,
) -> int:  # fmt: skip
    """Plays `number` self-play games from random openings; returns the number of rows written."""
    row = 0
    for game in range(number):
        random[0] = (seed + game) * 0x4F6CDD1D & KEY_BITS | 1
        for _ in range(8):
            next_random(random)
        clear(state)
        own, other, kings, side = random_opening(state, random, 3 + next_random(random) % 10)
        row = play_game(
            state, weights, state, weights, tables, random, path, own, other, kings, side, 2,
            nodes, random_every, out, row,
        )  # fmt: skip
    return row


def play_match(
    state: Words, weights: Any, rival: Words, rival_weights: Any, tables: Any, random: Words, path: Words,
    seed: int, number: int, nodes: int, out: Words, results: Words,
) -> None:  # fmt: skip
    """Pairs of games from the same opening with sides swapped; `results` counts losses, draws, wins of `weights`."""
    for game in range(number):
        random[0] = (seed + game // 2) * 0x4F6CDD1D & KEY_BITS | 1
        for _ in range(8):
            next_random(random)
        clear(state)
        clear(rival)
        own, other, kings, side = random_opening(state, random, 4 + next_random(random) % 3)
        play_game(
            state, weights, rival, rival_weights, tables, random, path, own, other, kings, side, game & 1,
            nodes, 0, out, 0,
        )  # fmt: skip
        results[random[1] if game & 1 else 2 - random[1]] += 1
