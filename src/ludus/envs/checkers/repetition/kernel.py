"""Checkers for learners with visible repetitions: the kernel without them, and how often positions have occurred.

What can be seen of a game is written from its column alone, so the counts are part of it: `REPEATED` says how often the
position has occurred before, and for each direction `ONCE` and `TWICE` hold the squares from which a step leads to a
position that has occurred at least once or twice. Only kings' steps do: the history begins with the last irreversible
move.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import count, reverse, spread, spread_by_halves, write_set
from ludus.envs.checkers.kernel import (
    ACTIONS,
    BOUNDS,
    CHAIN,
    EVEN_ROWS,
    EVERY_BYTE,
    HISTORY,
    KEY,
    KINGS,
    LATEST,
    LEGAL,
    LENGTH,
    LISTED,
    MASK_WORDS,
    MOST_MOVES,
    MOST_ROLLS,
    MOVE_ACTIONS,
    MOVE_WORDS,
    OTHER,
    OWN,
    PACKED_MASK,
    PLAYER,
    QUIET,
    RNG,
    STEPS,
    awaits_chance,
    can_list,
    count_rolls,
    is_legal,
    kings_key,
    list_legal,
    listed_action,
    mask_word,
    move_action,
    points,
    repetitions,
    resolve_chance,
    roll_weight,
    sample_action,
    set_roll,
    write_legal,
    write_moves,
)
from ludus.envs.checkers.kernel import OBSERVATION_WORDS as BOARD_WORDS
from ludus.envs.checkers.kernel import PACKED_OBSERVATION as BOARD_PACKED
from ludus.envs.checkers.kernel import WORDS as BOARD_STATE
from ludus.envs.checkers.kernel import apply_action as play_action
from ludus.envs.checkers.kernel import observation_word as board_word
from ludus.envs.checkers.kernel import play_move as play_board_move
from ludus.envs.checkers.kernel import reset as reset_board
from ludus.envs.checkers.kernel import set_position as set_board_position
from ludus.envs.checkers.kernel import write_bytes as write_board_bytes
from ludus.envs.checkers.kernel import write_packed as write_packed_board
from ludus.games.checkers.kernel import DARK, shift

__all__ = [
    "ACTIONS",
    "BOUNDS",
    "CHAIN",
    "HISTORY",
    "KEY",
    "LATEST",
    "LENGTH",
    "LISTED",
    "MASK_WORDS",
    "MOST_MOVES",
    "MOST_ROLLS",
    "MOVE_ACTIONS",
    "MOVE_WORDS",
    "PACKED_MASK",
    "PLAYER",
    "RNG",
    "STEPS",
    "awaits_chance",
    "can_list",
    "count_rolls",
    "is_legal",
    "list_legal",
    "listed_action",
    "mask_word",
    "move_action",
    "points",
    "resolve_chance",
    "roll_weight",
    "sample_action",
    "set_roll",
    "write_legal",
    "write_moves",
]

REPEATED = BOARD_STATE
ONCE = REPEATED + 1
TWICE = ONCE + 4
WORDS = TWICE + 4
OBSERVATION_WORDS = BOARD_WORDS + 40
PACKED_OBSERVATION = BOARD_PACKED + 9
COMPACT = PACKED_OBSERVATION + PACKED_MASK
UNKEYED = 1 << 1
"""The mover's square that `kings_key` leaves out when the other side is to move."""


def reset(state: Any, i: int) -> None:
    reset_board(state, i)
    forget(state, i)


def set_position(
    state: Any, i: int, history: Any, at: int, own: int, other: int, kings: int, player: int, quiet: int
) -> None:
    set_board_position(state, i, history, at, own, other, kings, player, quiet)
    forget(state, i)


def forget(state: Any, i: int) -> None:
    state[REPEATED, i] = 0
    forget_steps(state, i)


def forget_steps(state: Any, i: int) -> None:
    for word in range(ONCE, WORDS):
        state[word, i] = 0


def apply_action(state: Any, i: int, history: Any, at: int, action: int) -> int:
    return show_past(state, i, history, at, play_action(state, i, history, at, action))


def play_move(state: Any, i: int, history: Any, at: int, moves: Any, n: int) -> int:
    return show_past(state, i, history, at, play_board_move(state, i, history, at, moves, n))


def show_past(state: Any, i: int, history: Any, at: int, code: int) -> int:
    """Shows repetitions after an action with this result; a game that is over has no steps to show."""
    recall(state, i, history, at)
    if code:
        forget_steps(state, i)
    return code


def recall(state: Any, i: int, history: Any, at: int) -> None:
    """Counts how often the position, and those that a step leads to, occur in the history."""
    forget(state, i)
    quiet, kings = state[QUIET, i], state[KINGS, i]
    if quiet < 3:
        return
    own, other = state[OWN, i] & kings, state[OTHER, i] & kings
    state[REPEATED, i] = min(repetitions(history, at, quiet, kings_key(own, other)), 2)
    unmoved = kings_key(reverse(other), reverse(own))
    for past in range(quiet - 3, -1, -2):
        changed = history[at + past] ^ unmoved
        if not changed & DARK:
            count_step(state, i, own, reverse((changed & EVEN_ROWS) << 1 | (changed & ~EVEN_ROWS) >> 1))


def count_step(state: Any, i: int, own: int, squares: int) -> None:
    """Counts a position with the mover's kings changed on these squares, if one legal step leads to it."""
    if count(squares) == 1:
        squares |= UNKEYED
    if count(squares) != 2:
        return
    for direction in range(4):
        origin = state[LEGAL + direction, i] & own & squares
        if origin and shift(origin, direction) == squares ^ origin:
            state[TWICE + direction, i] |= state[ONCE + direction, i] & origin
            state[ONCE + direction, i] |= origin


def write_packed(state: Any, i: int, out: Any, at: int, mask: Any, mask_at: int) -> None:
    """The board's words, the count of the position, and the steps to positions that occurred once, and twice."""
    write_packed_board(state, i, out, at, mask, mask_at)
    for word in range(9):
        out[at + BOARD_PACKED + word] = state[REPEATED + word, i]


def write_bytes(state: Any, i: int, out: Any, mask: Any, row: int) -> None:
    """The board's planes, one filled with the count of the position, and one a direction with those of the steps."""
    write_board_bytes(state, i, out, mask, row)
    for rank in range(8):
        out[row, BOARD_WORDS + rank] = state[REPEATED, i] * EVERY_BYTE
    for direction in range(4):
        twice, first = state[TWICE + direction, i], BOARD_WORDS + 8 + 8 * direction
        write_set(out, row, first, state[ONCE + direction, i])
        if twice:
            for rank in range(8):
                out[row, first + rank] += spread(twice >> 8 * rank & 255)


def write_compact(state: Any, i: int, out: Any, at: int) -> None:
    write_packed(state, i, out, at, out, at + PACKED_OBSERVATION)


def observation_word(compact: Any, at: int, word: int) -> int:
    if word < BOARD_WORDS:
        return board_word(compact, at, word)
    if word < BOARD_WORDS + 8:
        return (int(compact[at + BOARD_WORDS]) & 255) * EVERY_BYTE
    once, twice = int(compact[at + word]) & 255, int(compact[at + word + 32]) & 255
    return spread_by_halves(once) + spread_by_halves(twice)
