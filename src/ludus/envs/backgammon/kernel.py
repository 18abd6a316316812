"""Backgammon one man and one die at a time for learners, both sides on the mover's numbering.

The rules are in `ludus.games.backgammon.kernel`; `ludus.envs.encoding` describes the functions and constants of every
game's kernel.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import (
    count,
    list_members,
    nth,
    spread_by_halves,
    spread_six,
    spread_two,
    write_counts,
    write_half,
    write_set,
)
from ludus.envs.batched.streams import POLICY, below, draw
from ludus.games.backgammon.kernel import (
    MOST_PLAYS,
    PLACES,
    POINTS,
    blocked_by,
    blots_of,
    first_steps,
    is_off,
    mirror,
    points_lost,
    send_to_bar,
    sources,
    step,
    write_doubles,
    write_plays,
    write_singles,
)
from ludus.games.backgammon.kernel import WORDS as PLAY_WORDS

LOW, HIGH, OTHER_LOW, OTHER_HIGH, DICE, PLAYER, LENGTH, STEPS, KEY, ROLLS, LEGAL = range(11)
START = LEGAL + 2
OPENING = START + 2
WORDS = OPENING + 1
RNG = (KEY, STEPS, ROLLS)
HISTORY = 0
ACTIONS = 156
AWAITED = 2
"""A bit of `OPENING`: the dice have yet to be rolled. The lowest bit says that they decide who begins."""
WAITING = (OPENING, AWAITED)
ROLLS_OF_A_TURN, OPENING_ROLLS = 21, 30
"""The number of rolls of two dice, and of one die for each player without doubles."""
MOST_ROLLS = OPENING_ROLLS
PASS = 150
PASS_BIT = 1 << 25
"""The pass is encoded as moving from place 25 with a one."""
LISTED = 64 * 64
WON, TURN_OVER = 1, 2
"""What a step may lead to; 0 if the same player makes another one."""
OBSERVATION_WORDS, MASK_WORDS = 8, 20
PACKED_OBSERVATION, PACKED_MASK, COMPACT = 6, 6, 9
MOST_MOVES, MOVE_WORDS, MOVE_ACTIONS = MOST_PLAYS, PLAY_WORDS, 4


def reset(state: Any, i: int) -> None:
    state[LENGTH, i] = 0
    start_game(state, i)


def start_game(state: Any, i: int) -> None:
    state[OPENING, i] = 0
    set_start(state, i)
    roll_opening(state, i)


def set_start(state: Any, i: int) -> None:
    """Puts the men into the layout of `START`, before the roll that decides who begins."""
    state[LOW, i] = state[OTHER_LOW, i] = state[START, i]
    state[HIGH, i] = state[OTHER_HIGH, i] = state[START + 1, i]
    state[OPENING, i] |= 1


def roll_opening(state: Any, i: int) -> None:
    """Each player rolls one die, and the higher one moves first."""
    number = below(draw(state[KEY, i], 0, state[ROLLS, i]), OPENING_ROLLS)
    state[ROLLS, i] += 1
    set_opening_roll(state, i, number)


def set_opening_roll(state: Any, i: int, number: int) -> None:
    one, two = number // 5 + 1, number % 5 + 1
    two += two >= one
    state[PLAYER, i] = 0 if one > two else 1
    set_dice(state, i, max(one, two), min(one, two))


def set_position(
    state: Any,
    i: int,
    history: Any,
    at: int,
    low: int,
    high: int,
    other_low: int,
    other_high: int,
    player: int,
    higher: int,
    lower: int,
) -> None:
    """Rolls the dice if `higher` is 0."""
    place_men(state, i, low, high, other_low, other_high, player)
    if higher:
        set_dice(state, i, higher, lower)
    else:
        roll(state, i)


def place_men(state: Any, i: int, low: int, high: int, other_low: int, other_high: int, player: int) -> None:
    """Starts a game with these men; `player` is to act."""
    set_men(state, i, low, high, other_low, other_high)
    state[PLAYER, i] = player
    state[LENGTH, i] = 0
    state[OPENING, i] = 0


def set_men(state: Any, i: int, low: int, high: int, other_low: int, other_high: int) -> None:
    state[LOW, i] = low
    state[HIGH, i] = high
    state[OTHER_LOW, i] = other_low
    state[OTHER_HIGH, i] = other_high


def roll(state: Any, i: int) -> None:
    state[OPENING, i] = 0
    number = below(draw(state[KEY, i], 0, state[ROLLS, i]), 36)
    state[ROLLS, i] += 1
    one, two = number // 6 + 1, number % 6 + 1
    set_dice(state, i, max(one, two), min(one, two))


def set_dice(state: Any, i: int, higher: int, lower: int) -> None:
    """Starts a turn: the dice, and the first steps they allow."""
    state[OPENING, i] &= 1
    blocked = blocked_by(state[OTHER_LOW, i], state[OTHER_HIGH, i])
    if higher == lower:
        state[DICE, i] = higher | higher << 3 | 4 << 6
        a, b = sources(state[LOW, i], state[HIGH, i], blocked, higher), 0
    else:
        state[DICE, i] = higher | lower << 3 | 2 << 6
        a, b = first_steps(state[LOW, i], state[HIGH, i], blocked, higher, lower)
    state[LEGAL, i] = a
    state[LEGAL + 1, i] = b


def is_start_of_turn(dice: int) -> bool:
    return dice >> 6 == (4 if dice & 7 == dice >> 3 & 7 else 2)


def count_rolls(state: Any, i: int) -> int:
    """How many rolls chance chooses the dice from, or chose if none of them has been played; otherwise 1."""
    if not (awaits_chance(state, i) or is_start_of_turn(state[DICE, i])):
        return 1
    return OPENING_ROLLS if state[OPENING, i] & 1 else ROLLS_OF_A_TURN


def roll_weight(state: Any, i: int, number: int) -> int:
    """How often a roll occurs in thirty-six, or in thirty if it decides who begins."""
    if state[OPENING, i] & 1:
        return 1
    higher, lower = dice_of(number)
    return 1 if higher == lower else 2


def dice_of(number: int) -> tuple[int, int]:
    """Rolls count by the higher die, then by the lower."""
    higher = 1
    while number >= higher:
        number -= higher
        higher += 1
    return higher, number + 1


def set_roll(state: Any, i: int, number: int) -> None:
    if state[OPENING, i] & 1:
        set_opening_roll(state, i, number)
    else:
        higher, lower = dice_of(number)
        set_dice(state, i, higher, lower)


def find_roll(state: Any, i: int, one: int, two: int) -> int:
    """The number of the roll with these dice, without a change of who begins."""
    if count_rolls(state, i) == 1 or not (1 <= one <= 6 and 1 <= two <= 6):
        return -1
    higher, lower = max(one, two), min(one, two)
    if not state[OPENING, i] & 1:
        return higher * (higher - 1) // 2 + lower - 1
    if higher == lower:
        return -1
    return (higher - 1) * 5 + lower - 1 if state[PLAYER, i] == 0 else (lower - 1) * 5 + higher - 2


def legal_with(state: Any, i: int, die: int) -> int:
    """The places that the mover may leave with `die`, none without dice; the pass counts as a one."""
    dice, a, b = state[DICE, i], state[LEGAL, i], state[LEGAL + 1, i]
    if not a | b:
        return PASS_BIT if die == 1 and dice else 0
    return (a if dice & 7 == die else 0) | (b if dice >> 3 & 7 == die else 0)


def is_legal(state: Any, i: int, action: int) -> bool:
    return 0 <= action < ACTIONS and (legal_with(state, i, action % 6 + 1) >> action // 6 & 1) != 0


def sample_action(state: Any, i: int) -> int:
    """Legal actions count from the higher die's, each die's from the bar on."""
    dice, a, b = state[DICE, i], state[LEGAL, i], state[LEGAL + 1, i]
    total = count(a) + count(b)
    if total == 0:
        return PASS
    number = below(draw(state[KEY, i], POLICY, state[STEPS, i]), total)
    is_lower = number >= count(a)
    number -= count(a) if is_lower else 0
    chosen = b if is_lower else a
    die: int = dice >> 3 & 7 if is_lower else dice & 7
    return nth(chosen, number) * 6 + die - 1


def apply_action(state: Any, i: int, history: Any, at: int, action: int) -> int:
    state[STEPS, i] += 1
    state[LENGTH, i] += 1
    code = play_step(state, i, action)
    return end_turn(state, i) if code == TURN_OVER else code


def play_step(state: Any, i: int, action: int) -> int:
    """Moves one man, or passes; at the end of a turn the sides and the dice are still the mover's."""
    if action == PASS:
        return TURN_OVER
    place, die = action // 6, action % 6 + 1
    blots = blots_of(state[OTHER_LOW, i], state[OTHER_HIGH, i])
    low, high, left = step(state[LOW, i], state[HIGH, i], blots, place, die)
    if left != blots:
        state[OTHER_LOW, i], state[OTHER_HIGH, i] = send_to_bar(
            state[OTHER_LOW, i], state[OTHER_HIGH, i], blots & ~left
        )
    state[LOW, i] = low
    state[HIGH, i] = high
    if is_off(low, high):
        return WON
    return continue_turn(state, i, die)


def continue_turn(state: Any, i: int, die: int) -> int:
    """Stays with the mover if another step is possible."""
    dice = state[DICE, i]
    left = (dice >> 6) - 1
    next_die = dice & 7 if dice & 7 != die else dice >> 3 & 7
    if left:
        blocked = blocked_by(state[OTHER_LOW, i], state[OTHER_HIGH, i])
        froms = sources(state[LOW, i], state[HIGH, i], blocked, next_die)
        if froms:
            second = next_die if left > 1 else 0
            state[DICE, i] = next_die | second << 3 | left << 6
            state[LEGAL, i] = froms
            state[LEGAL + 1, i] = 0
            return 0
    return TURN_OVER


def end_turn(state: Any, i: int) -> int:
    swap_sides(state, i)
    roll(state, i)
    return 0


def swap_sides(state: Any, i: int) -> None:
    """Makes the other player the one to act."""
    set_men(state, i, state[OTHER_LOW, i], state[OTHER_HIGH, i], state[LOW, i], state[HIGH, i])
    state[PLAYER, i] = 1 - state[PLAYER, i]


def points(state: Any, i: int) -> int:
    return points_lost(state[OTHER_LOW, i], state[OTHER_HIGH, i])


def write_packed(state: Any, i: int, out: Any, at: int, mask: Any, mask_at: int) -> None:
    """Own planes, the other's planes on the mover's numbering, dice, player; one mask word a die."""
    write_planes(state, i, out, at, state[DICE, i])
    for die in range(6):
        mask[mask_at + die] = legal_with(state, i, die + 1)


def write_planes(state: Any, i: int, out: Any, at: int, dice: int) -> None:
    out[at] = state[LOW, i]
    out[at + 1] = state[HIGH, i]
    out[at + 2] = flipped(state[OTHER_LOW, i])
    out[at + 3] = flipped(state[OTHER_HIGH, i])
    out[at + 4] = dice
    out[at + 5] = state[PLAYER, i]


def flipped(planes: int) -> int:
    """Two planes of the other side on the mover's numbering; bar and off stay first and last."""
    return flipped_plane(planes & PLACES) | flipped_plane(planes >> 32) << 32


def flipped_plane(plane: int) -> int:
    return mirror(plane) & POINTS | plane & ~POINTS


def dice_left(dice: int) -> int:
    """Six bytes, ones lowest: how many dice of each value are left to play."""
    one, two, left = dice & 7, dice >> 3 & 7, dice >> 6
    if one == two or two == 0:
        return left << 8 * one >> 8
    return 1 << 8 * (one - 1) | 1 << 8 * (two - 1)


def write_bytes(state: Any, i: int, out: Any, mask: Any, row: int) -> None:
    """Own men on places 0-25, dice left of each value, the other's men, the player."""
    write_board(state, i, out, row, state[PLAYER, i])
    write_steps(state, i, mask, row)


def write_board(state: Any, i: int, out: Any, row: int, last: int) -> None:
    """`last` is what follows both sides' men."""
    write_counts(out, row, 0, state[LOW, i], state[HIGH, i], dice_left(state[DICE, i]) << 16)
    write_counts(out, row, 4, flipped(state[OTHER_LOW, i]), flipped(state[OTHER_HIGH, i]), last << 16)


def write_steps(state: Any, i: int, mask: Any, row: int) -> None:
    first, second, third = step_sets(state, i)
    write_set(mask, row, 0, first)
    write_set(mask, row, 8, second)
    write_half(mask, row, 16, third)


def write_legal(state: Any, i: int, sets: Any, at: int) -> None:
    sets[at], sets[at + 1], sets[at + 2] = step_sets(state, i)


def listed_action(number: int) -> int:
    """The list has a step for each place and die for any two dice, three bits each; the second die's come first."""
    dice, bit = number >> 6, number & 63
    die = dice & 7 if bit & 1 else dice >> 3
    return min(6 * (bit >> 1) + max(die - 1, 0), ACTIONS - 1)


def list_legal(state: Any, i: int, listed: Any, ids: Any, at: int) -> int:
    """The second die is the lower one if steps with both are possible."""
    dice, a, b = state[DICE, i] & 63, state[LEGAL, i], state[LEGAL + 1, i]
    if not a | b:
        a, dice = PASS_BIT if dice else 0, 1
    return list_members(spread_two(a) << 1 | spread_two(b), listed, dice << 6, ids, at)


def step_sets(state: Any, i: int) -> tuple[int, int, int]:
    """The legal steps as sets of 64 actions."""
    dice, a, b = state[DICE, i], state[LEGAL, i], state[LEGAL + 1, i]
    one, two = (dice & 7) - 1, max((dice >> 3 & 7) - 1, 0)
    if not a | b:
        a, one = PASS_BIT if dice else 0, 0
    first = spread_six(a & 1023) << one | spread_six(b & 1023) << two
    second = spread_six(a >> 10 & 1023) << one | spread_six(b >> 10 & 1023) << two
    third = spread_six(a >> 20) << one | spread_six(b >> 20) << two
    return first | second << 60, second >> 4 | third << 56, third >> 8


def write_compact(state: Any, i: int, out: Any, at: int) -> None:
    write_planes(state, i, out, at, dice_left(state[DICE, i]))
    write_compact_steps(state, i, out, at + PACKED_OBSERVATION)


def write_compact_steps(state: Any, i: int, out: Any, at: int) -> None:
    dice, a, b = state[DICE, i], state[LEGAL, i], state[LEGAL + 1, i]
    is_pass = dice != 0 and a | b == 0
    out[at] = PASS_BIT if is_pass else a
    out[at + 1] = b
    out[at + 2] = 1 if is_pass else dice & 7 | (dice >> 3 & 7) << 8


def observation_word(compact: Any, at: int, word: int) -> int:
    first, men = at + (word >> 2) * 16 + (word & 3), 0
    for plane in range(4):
        men |= spread_by_halves(int(compact[first + 4 * plane]) & 255) << plane
    if word == 3:
        for die in range(6):
            men |= (int(compact[at + 32 + die]) & 255) << 16 + 8 * die
    return men | (int(compact[at + 40]) & 255) << 16 if word == 7 else men


def mask_word(compact: Any, at: int, word: int) -> int:
    return places_word(compact, at, int(compact[at + 16]) & 255, word) | places_word(
        compact, at + 8, int(compact[at + 17]) & 255, word
    )


def places_word(compact: Any, at: int, die: int, word: int) -> int:
    """The bytes for `die` among eight mask bytes: one place or two."""
    if die == 0:
        return 0
    place = (word * 8 - die + 6) // 6
    byte = place * 6 + die - 1 - word * 8
    found = is_set(compact, at, place) << 8 * byte
    return found | is_set(compact, at, place + 1) << 8 * byte + 48 if byte < 2 else found


def is_set(compact: Any, at: int, place: int) -> int:
    return (int(compact[at + (place >> 3)]) & 255) >> (place & 7) & 1


def apply_play(state: Any, i: int, low: int, high: int, other_low: int, other_high: int) -> int:
    """Plays a whole play, given by the position it leads to."""
    state[STEPS, i] += 1
    state[LENGTH, i] += 1
    set_men(state, i, low, high, other_low, other_high)
    return WON if is_off(low, high) else end_turn(state, i)


def can_list(state: Any, i: int) -> bool:
    low, high = state[LOW, i], state[HIGH, i]
    men = count(low & PLACES) + 2 * count(low >> 32 & PLACES)
    men += 4 * count(high & PLACES) + 8 * count(high >> 32 & PLACES)
    return men <= 15


def write_moves(state: Any, i: int, out: Any, n: int) -> int:
    """Writes the plays; in the middle of a turn, those with the remaining dice."""
    dice = state[DICE, i]
    one, two, left = dice & 7, dice >> 3 & 7, dice >> 6
    if not one:
        return n
    low, high, other_low, other_high = state[LOW, i], state[HIGH, i], state[OTHER_LOW, i], state[OTHER_HIGH, i]
    if not two:
        return write_singles(out, n, low, high, other_low, other_high, one)
    if left < 4 and one == two:
        return write_doubles(out, n, low, high, other_low, other_high, one, left)
    return write_plays(out, n, low, high, other_low, other_high, one, two)


def move_action(moves: Any, n: int, k: int) -> int:
    """A move lists a byte for each step: the place in its high five bits, the die in the others."""
    steps = moves[n * MOVE_WORDS + 4]
    if not steps:
        return PASS if k == 0 else -1
    byte = steps >> 8 * k & 255
    return (byte >> 3) * 6 + (byte & 7) - 1 if byte else -1


def play_move(state: Any, i: int, history: Any, at: int, moves: Any, n: int) -> int:
    count_steps(state, i, moves, n)
    first = n * MOVE_WORDS
    set_men(state, i, moves[first], moves[first + 1], moves[first + 2], moves[first + 3])
    clear_dice(state, i)
    if is_off(moves[first], moves[first + 1]):
        return WON
    swap_sides(state, i)
    await_dice(state, i)
    return 0


def count_steps(state: Any, i: int, moves: Any, n: int) -> None:
    """Counts the steps of a move; a pass is one."""
    for k in range(MOVE_ACTIONS):
        if move_action(moves, n, k) >= 0:
            state[STEPS, i] += 1
            state[LENGTH, i] += 1


def clear_dice(state: Any, i: int) -> None:
    state[DICE, i] = state[LEGAL, i] = state[LEGAL + 1, i] = state[OPENING, i] = 0


def await_dice(state: Any, i: int) -> None:
    clear_dice(state, i)
    state[OPENING, i] = AWAITED


def awaits_chance(state: Any, i: int) -> bool:
    return bool(state[OPENING, i] & AWAITED)


def resolve_chance(state: Any, i: int) -> None:
    if state[OPENING, i] & 1:
        roll_opening(state, i)
    else:
        roll(state, i)
