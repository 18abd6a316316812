"""One hop of checkers as a learner sees it: the board from the mover's side, men walking down.

A game is `WORDS` integers in column `i` of `state`, and the kings' places since the last move that cannot be undone in
`history`. No rules in here: `ludus.games.checkers.kernel` has them.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import count, nth, reverse, spread_by_halves, write_set
from ludus.envs.batched.streams import POLICY, below, draw
from ludus.games.checkers.kernel import FIRST_START, SECOND_START, hop, hoppers

OWN, OTHER, KINGS, CHAIN, QUIET, PLAYER, LENGTH, STEPS, KEY, LEGAL = range(10)
WORDS = LEGAL + 4
HISTORY = QUIET_LIMIT = 80
ACTIONS = 256
OBSERVATION_WORDS, MASK_WORDS = 48, 32
"""Bytes written eight at a time: six planes of 64 squares, and a mask of 256 actions."""
PACKED_OBSERVATION, PACKED_MASK, COMPACT = 6, 4, 10
EVEN_ROWS = 0x00FF00FF00FF00FF
EVERY_BYTE = 0x0101010101010101
NO_SIGN = 0x7FFFFFFFFFFFFFFF

Four = tuple[int, int, int, int]


def begin(state: Any, i: int) -> None:
    """A new game, the first player to move."""
    place(state, i, FIRST_START, SECOND_START, 0, 0, 0)


def place(state: Any, i: int, own: int, other: int, kings: int, player: int, quiet: int) -> None:
    """Any position, as the player to move sees it."""
    state[OWN, i] = own
    state[OTHER, i] = other
    state[KINGS, i] = kings
    state[CHAIN, i] = 0
    state[QUIET, i] = quiet
    state[PLAYER, i] = player
    state[LENGTH, i] = 0
    a, b, c, d = hoppers(own, other, kings, 0, 0)
    keep_legal(state, i, a, b, c, d)


def keep_legal(state: Any, i: int, a: int, b: int, c: int, d: int) -> None:
    state[LEGAL, i] = a
    state[LEGAL + 1, i] = b
    state[LEGAL + 2, i] = c
    state[LEGAL + 3, i] = d


def is_legal(state: Any, i: int, action: int) -> bool:
    return 0 <= action < ACTIONS and (state[LEGAL + (action >> 6), i] >> (action & 63) & 1) != 0


def pick_random(state: Any, i: int) -> int:
    """A legal action; they are counted in the order of their ids."""
    second = count(state[LEGAL, i])
    third = second + count(state[LEGAL + 1, i])
    fourth = third + count(state[LEGAL + 2, i])
    total = fourth + count(state[LEGAL + 3, i])
    number = below(draw(state[KEY, i], POLICY, state[STEPS, i]), total)
    direction = 0 if number < second else 1 if number < third else 2 if number < fourth else 3
    number -= 0 if number < second else second if number < third else third if number < fourth else fourth
    return direction << 6 | nth(state[LEGAL + direction, i], number)


def kings_key(own: int, other: int) -> int:
    """Where both sides' kings stand, in one number.

    One square of the other's is cut off with the sign; while only kings move their number is the same, so the others
    tell where it stands.
    """
    other = (other & EVEN_ROWS) >> 1 | (other & ~EVEN_ROWS) << 1
    return (own | other) & NO_SIGN


def is_third(history: Any, at: int, stride: int, quiet: int, key: int) -> bool:
    """Whether this position has stood on the board twice before with the same side to move."""
    found = 0
    for past in range(quiet - 4, -1, -2):
        found += history[at + past * stride] == key
    return found >= 2


def act(state: Any, i: int, history: Any, at: int, stride: int, action: int) -> int:
    """Plays a legal action: 0 if the game goes on, 1 if the mover has won, 2 if it is drawn."""
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
    keep_legal(state, i, a, b, c, d)
    if chain:
        return 0
    return judge(own, other, kings, quiet, (a | b | c | d) != 0, history, at, stride)


def judge(own: int, other: int, kings: int, quiet: int, can_move: bool, history: Any, at: int, stride: int) -> int:
    """The game at the start of a turn: 0 it goes on, 1 the mover has lost, 2 it is drawn."""
    if not can_move:
        return 1
    if quiet >= QUIET_LIMIT:
        return 2
    if not quiet:
        return 0
    key = kings_key(own & kings, other & kings)
    history[at + quiet * stride] = key
    return 2 if quiet >= 8 and is_third(history, at, stride, quiet, key) else 0


def points(state: Any, i: int) -> int:  # noqa: ARG001
    """What the win just made is worth."""
    return 1


def write_packed(state: Any, i: int, out: Any, at: int, mask: Any, mask_at: int) -> None:
    """Own men and kings, the other's men and kings, the piece that must go on, the quiet moves; and the mask's sets."""
    own, other, kings = state[OWN, i], state[OTHER, i], state[KINGS, i]
    out[at] = own & ~kings
    out[at + 1] = own & kings
    out[at + 2] = other & ~kings
    out[at + 3] = other & kings
    out[at + 4] = state[CHAIN, i]
    out[at + 5] = state[QUIET, i]
    for direction in range(4):
        mask[mask_at + direction] = state[LEGAL + direction, i]


def write_bytes(state: Any, i: int, out: Any, mask: Any, at: int) -> None:
    """The same, a byte for each square: five planes of 0 and 1, one filled with the quiet moves, and the mask."""
    own, other, kings = state[OWN, i], state[OTHER, i], state[KINGS, i]
    write_set(out, at, 0, own & ~kings)
    write_set(out, at, 8, own & kings)
    write_set(out, at, 16, other & ~kings)
    write_set(out, at, 24, other & kings)
    write_set(out, at, 32, state[CHAIN, i])
    for row in range(8):
        out[at, 40 + row] = state[QUIET, i] * EVERY_BYTE
    for direction in range(4):
        write_set(mask, at, 8 * direction, state[LEGAL + direction, i])


def write_compact(state: Any, i: int, out: Any, at: int) -> None:
    """All that `observation_word` and `mask_word` need, in as few words as there are."""
    write_packed(state, i, out, at, out, at + PACKED_OBSERVATION)


def observation_word(packed: Any, at: int, word: int) -> int:
    """Eight bytes of what `write_bytes` writes, from what `write_compact` has written, read as bytes."""
    if word >= 40:
        return (int(packed[at + 40]) & 255) * EVERY_BYTE
    return spread_by_halves(int(packed[at + word]) & 255)


def mask_word(packed: Any, at: int, word: int) -> int:
    return spread_by_halves(int(packed[at + word]) & 255)
