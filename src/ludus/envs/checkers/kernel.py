"""Checkers hop by hop for learners: the board from the mover's side, men moving down.

`history` holds the kings' squares since the last irreversible move. The rules are in `ludus.games.checkers.kernel`;
`ludus.envs.encoding` describes the functions and constants of every game's kernel.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import count, join_two, list_members, nth, reverse, spread_by_halves, write_set
from ludus.envs.batched.streams import POLICY, below, draw
from ludus.games.checkers.kernel import (
    DARK,
    FIRST_START,
    MOST_MOVES,
    QUIET_LIMIT,
    SECOND_START,
    hop,
    hoppers,
    is_repeated,
    shift,
    write_chains,
)
from ludus.games.checkers.kernel import WORDS as MOVE_WORDS
from ludus.games.checkers.kernel import write_moves as write_paths

__all__ = ["MOST_MOVES", "MOVE_WORDS"]

OWN, OTHER, KINGS, CHAIN, QUIET, PLAYER, LENGTH, STEPS, KEY, LEGAL = range(10)
WORDS = LEGAL + 4
RNG = (KEY, STEPS)
HISTORY = QUIET_LIMIT
LATEST = QUIET
BOUNDS = ((QUIET, HISTORY),)
ACTIONS = 256
LISTED = 128
MOST_ROLLS = 1
OBSERVATION_WORDS, MASK_WORDS = 48, 32
PACKED_OBSERVATION, PACKED_MASK, COMPACT = 6, 4, 10
MOVE_ACTIONS = 9
EVEN_ROWS = 0x00FF00FF00FF00FF
EVERY_BYTE = 0x0101010101010101
NO_SIGN = 0x7FFFFFFFFFFFFFFF


def reset(state: Any, i: int) -> None:
    set_board(state, i, FIRST_START, SECOND_START, 0, 0, 0)


def set_position(
    state: Any, i: int, history: Any, at: int, own: int, other: int, kings: int, player: int, quiet: int
) -> None:
    set_board(state, i, own, other, kings, player, quiet)
    for past in range(HISTORY):
        history[at + past] = -1
    history[at + quiet] = kings_key(own & kings, other & kings)


def set_board(state: Any, i: int, own: int, other: int, kings: int, player: int, quiet: int) -> None:
    state[OWN, i] = own
    state[OTHER, i] = other
    state[KINGS, i] = kings
    state[CHAIN, i] = 0
    state[QUIET, i] = quiet
    state[PLAYER, i] = player
    state[LENGTH, i] = 0
    a, b, c, d = hoppers(own, other, kings, 0, 0)
    set_legal(state, i, a, b, c, d)


def set_legal(state: Any, i: int, a: int, b: int, c: int, d: int) -> None:
    state[LEGAL, i] = a
    state[LEGAL + 1, i] = b
    state[LEGAL + 2, i] = c
    state[LEGAL + 3, i] = d


def is_legal(state: Any, i: int, action: int) -> bool:
    return 0 <= action < ACTIONS and (state[LEGAL + (action >> 6), i] >> (action & 63) & 1) != 0


def write_legal(state: Any, i: int, sets: Any, at: int) -> None:
    for direction in range(4):
        sets[at + direction] = state[LEGAL + direction, i]


def listed_action(number: int) -> int:
    """The list has the actions from dark squares, one in each pair of squares."""
    direction, square = number >> 5, 2 * (number & 31)
    return direction << 6 | square + (0 if DARK >> square & 1 else 1)


def list_legal(state: Any, i: int, listed: Any, ids: Any, at: int) -> int:
    """Lists two directions at a time, in one set."""
    at = list_members(both(state[LEGAL, i], state[LEGAL + 1, i]), listed, 0, ids, at)
    return list_members(both(state[LEGAL + 2, i], state[LEGAL + 3, i]), listed, 64, ids, at)


def both(one: int, two: int) -> int:
    """The dark squares of two sets."""
    return join_two(one | one >> 1) | join_two(two | two >> 1) << 32


def sample_action(state: Any, i: int) -> int:
    """A random legal action; they are counted in the order of their ids."""
    second = count(state[LEGAL, i])
    third = second + count(state[LEGAL + 1, i])
    fourth = third + count(state[LEGAL + 2, i])
    total = fourth + count(state[LEGAL + 3, i])
    number = below(draw(state[KEY, i], POLICY, state[STEPS, i]), total)
    direction = 0 if number < second else 1 if number < third else 2 if number < fourth else 3
    number -= 0 if number < second else second if number < third else third if number < fourth else fourth
    return direction << 6 | nth(state[LEGAL + direction, i], number)


def kings_key(own: int, other: int) -> int:
    """Both sides' kings in one number.

    The sign bit is dropped, and with it one square of the other side. While only kings move their number is constant,
    so the rest of the key still tells whether that square is occupied.
    """
    other = (other & EVEN_ROWS) >> 1 | (other & ~EVEN_ROWS) << 1
    return (own | other) & NO_SIGN


def repetitions(history: Any, at: int, quiet: int, key: int) -> int:
    """How often the position after `quiet` quiet moves has occurred before."""
    found = 0
    for past in range(quiet - 4, -1, -2):
        found += history[at + past] == key
    return found


def apply_action(state: Any, i: int, history: Any, at: int, action: int) -> int:
    kings = state[KINGS, i]
    origin = 1 << (action & 63)
    was_man = not kings & origin
    before = state[OTHER, i]
    own, other, kings, chain = hop(state[OWN, i], before, kings, 0, origin, action >> 6)
    state[STEPS, i] += 1
    state[LENGTH, i] += 1
    quiet = 0 if was_man or other != before else state[QUIET, i] + 1
    if quiet == 1:
        history[at] = kings_key(state[OWN, i] & state[KINGS, i], before & state[KINGS, i])
    state[QUIET, i] = quiet
    state[CHAIN, i] = chain
    if not chain:
        own, other, kings = reverse(other), reverse(own), reverse(kings)
        state[PLAYER, i] = 1 - state[PLAYER, i]
    state[OWN, i] = own
    state[OTHER, i] = other
    state[KINGS, i] = kings
    a, b, c, d = hoppers(own, other, kings, 0, chain)
    set_legal(state, i, a, b, c, d)
    if chain:
        return 0
    return result(own, other, kings, quiet, (a | b | c | d) != 0, history, at)


def result(own: int, other: int, kings: int, quiet: int, can_move: bool, history: Any, at: int) -> int:
    """The result at the start of a turn: 0 the game continues, 1 the side to move has lost, 2 it is drawn."""
    if not can_move:
        return 1
    if quiet >= QUIET_LIMIT:
        return 2
    if not quiet:
        return 0
    key = kings_key(own & kings, other & kings)
    history[at + quiet] = key
    return 2 if quiet >= 8 and repetitions(history, at, quiet, key) >= 2 else 0


def count_rolls(state: Any, i: int) -> int:
    return 1


def roll_weight(state: Any, i: int, number: int) -> int:
    return 1


def set_roll(state: Any, i: int, number: int) -> None:
    """Does nothing: there is no chance in this game."""


def points(state: Any, i: int) -> int:
    return 1


def write_packed(state: Any, i: int, out: Any, at: int, mask: Any, mask_at: int) -> None:
    """Own men and kings, the other's men and kings, the chain's piece, the quiet moves; one mask word a direction."""
    own, other, kings = state[OWN, i], state[OTHER, i], state[KINGS, i]
    out[at] = own & ~kings
    out[at + 1] = own & kings
    out[at + 2] = other & ~kings
    out[at + 3] = other & kings
    out[at + 4] = state[CHAIN, i]
    out[at + 5] = state[QUIET, i]
    for direction in range(4):
        mask[mask_at + direction] = state[LEGAL + direction, i]


def write_bytes(state: Any, i: int, out: Any, mask: Any, row: int) -> None:
    """Five planes of 0 and 1, one filled with the number of quiet moves."""
    own, other, kings = state[OWN, i], state[OTHER, i], state[KINGS, i]
    write_set(out, row, 0, own & ~kings)
    write_set(out, row, 8, own & kings)
    write_set(out, row, 16, other & ~kings)
    write_set(out, row, 24, other & kings)
    write_set(out, row, 32, state[CHAIN, i])
    for rank in range(8):
        out[row, 40 + rank] = state[QUIET, i] * EVERY_BYTE
    for direction in range(4):
        write_set(mask, row, 8 * direction, state[LEGAL + direction, i])


def write_compact(state: Any, i: int, out: Any, at: int) -> None:
    write_packed(state, i, out, at, out, at + PACKED_OBSERVATION)


def observation_word(compact: Any, at: int, word: int) -> int:
    if word >= 40:
        return (int(compact[at + 40]) & 255) * EVERY_BYTE
    return spread_by_halves(int(compact[at + word]) & 255)


def mask_word(compact: Any, at: int, word: int) -> int:
    return spread_by_halves(int(compact[at + word]) & 255)


def can_list(state: Any, i: int) -> bool:
    return count(state[OWN, i]) <= 12


def write_moves(state: Any, i: int, out: Any, n: int) -> int:
    """Writes the moves; of several ways to take the same pieces, only the first."""
    own, other, kings, chain = state[OWN, i], state[OTHER, i], state[KINGS, i], state[CHAIN, i]
    end = write_chains(out, n, own, other, kings, 0, chain) if chain else write_paths(out, n, own, other, kings, 0)
    kept = n
    for move in range(n, end):
        if not (out[move * MOVE_WORDS + 2] and is_repeated(out, n, move)):
            for word in range(MOVE_WORDS):
                out[kept * MOVE_WORDS + word] = out[move * MOVE_WORDS + word]
            kept += 1
    return kept


def move_action(moves: Any, n: int, k: int) -> int:
    here, landing, taken = moves[n * MOVE_WORDS], moves[n * MOVE_WORDS + 1], moves[n * MOVE_WORDS + 2]
    if not taken:
        return direction_to(here, landing) << 6 | count(here - 1) if k == 0 else -1
    if k >= count(taken):
        return -1
    path: int = moves[n * MOVE_WORDS + 3]
    for past in range(k):
        direction = path >> 2 * past & 3
        here = shift(shift(here, direction), direction)
    return (path >> 2 * k & 3) << 6 | count(here - 1)


def direction_to(here: int, landing: int) -> int:
    """The direction of a step from one square to the next."""
    if landing < here:
        return 0 if landing == here >> 9 else 1
    return 2 if landing == here << 7 else 3


def play_move(state: Any, i: int, history: Any, at: int, moves: Any, n: int) -> int:
    code = 0
    for k in range(MOVE_ACTIONS):
        action = move_action(moves, n, k)
        if action >= 0:
            code = apply_action(state, i, history, at, action)
    return code


def awaits_chance(state: Any, i: int) -> bool:
    return False


def resolve_chance(state: Any, i: int) -> None:
    """Does nothing: there is no chance in this game."""
