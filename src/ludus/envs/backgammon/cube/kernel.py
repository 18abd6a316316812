"""Backgammon with the doubling cube and matches for learners: the kernel without them, and decisions.

Beside the men and the dice a column has two integers. `CUBE` has the logarithm of the cube's value (4 bits), its owner
(2 bits: 0 no one, 1 the first player, 2 the second) and the stage. The low half of `MATCH` has the rules of this game:
the length of the match (5 bits, 0 outside one), both scores (5 bits each), flags. The high half has the rules to which
`reset` returns.

The player to act is the one who sees the board: after a double it is the other side's turn, so the sides are swapped.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import count, list_members, nth, spread_by_halves
from ludus.envs.backgammon.kernel import ACTIONS as STEP_ACTIONS
from ludus.envs.backgammon.kernel import (
    DICE,
    HISTORY,
    KEY,
    LENGTH,
    MOST_MOVES,
    MOST_ROLLS,
    MOVE_ACTIONS,
    MOVE_WORDS,
    OTHER_HIGH,
    OTHER_LOW,
    PLAYER,
    RNG,
    ROLLS,
    START,
    STEPS,
    TURN_OVER,
    WAITING,
    WON,
    await_dice,
    awaits_chance,
    can_list,
    clear_dice,
    count_rolls,
    count_steps,
    find_roll,
    is_start_of_turn,
    place_men,
    play_step,
    resolve_chance,
    roll_weight,
    set_dice,
    set_men,
    set_roll,
    set_start,
    start_game,
    swap_sides,
    write_board,
    write_compact_steps,
    write_planes,
    write_steps,
)
from ludus.envs.backgammon.kernel import LISTED as LISTED_STEPS
from ludus.envs.backgammon.kernel import MASK_WORDS as STEP_MASK_WORDS
from ludus.envs.backgammon.kernel import OBSERVATION_WORDS as BOARD_WORDS
from ludus.envs.backgammon.kernel import WORDS as BOARD_STATE
from ludus.envs.backgammon.kernel import dice_left as count_dice
from ludus.envs.backgammon.kernel import is_legal as is_legal_step
from ludus.envs.backgammon.kernel import legal_with as places_to_leave
from ludus.envs.backgammon.kernel import list_legal as list_legal_steps
from ludus.envs.backgammon.kernel import listed_action as listed_step
from ludus.envs.backgammon.kernel import mask_word as step_mask_word
from ludus.envs.backgammon.kernel import move_action as step_of_move
from ludus.envs.backgammon.kernel import observation_word as board_word
from ludus.envs.backgammon.kernel import sample_action as sample_step
from ludus.envs.backgammon.kernel import write_legal as write_legal_steps
from ludus.envs.backgammon.kernel import write_moves as write_plays
from ludus.envs.batched.streams import POLICY, below, draw
from ludus.games.backgammon.kernel import is_off, points_lost

__all__ = [
    "DICE", "HISTORY", "KEY", "LENGTH", "MOST_MOVES", "MOST_ROLLS", "MOVE_ACTIONS", "PLAYER", "RNG", "ROLLS", "START",
    "STEPS", "WAITING", "can_list", "count_rolls", "find_roll", "is_start_of_turn", "roll_weight", "set_roll",
]  # fmt: skip

CUBE, MATCH = BOARD_STATE, BOARD_STATE + 1
WORDS = MATCH + 1
NO_DOUBLE, DOUBLE, TAKE, DROP, BEAVER = range(STEP_ACTIONS, STEP_ACTIONS + 5)
ACTIONS = BEAVER + 1
LISTED = LISTED_STEPS + 64
OBSERVATION_WORDS, MASK_WORDS = BOARD_WORDS + 1, STEP_MASK_WORDS + 1
PACKED_OBSERVATION, PACKED_MASK, COMPACT = 7, 7, 10

PLAYING, ON_ROLL, DOUBLED, BEAVERED, DROPPED = range(5)
"""The stages: dice are being played, a double is possible, a double or a beaver awaits an answer, it was dropped."""
OWNER, STAGE = 4, 6
"""Bits of `CUBE` at which these begin."""
HIGHEST_CUBE = 12
"""The logarithm of the value beyond which doubling is impossible."""
SCORES, SCORE_BITS = 5, 5
MOST_POINTS = (1 << SCORE_BITS) - 1
IS_CRAWFORD, HAS_CUBE, HAS_JACOBY, HAS_BEAVERS = 1 << 15, 1 << 16, 1 << 17, 1 << 18
LAYOUT = 19
"""The bit of `MATCH` at which the number of the starting position begins; the kernel passes it on."""
OWN_RULES = 32
"""The bit of `MATCH` at which the rules that `reset` returns to begin."""
DECISION = 40
"""The bit of a move's last word at which a decision begins."""


def reset(state: Any, i: int) -> None:
    state[LENGTH, i] = 0
    restore_rules(state, i)
    state[CUBE, i] = 0
    start_game(state, i)


def restore_rules(state: Any, i: int) -> None:
    own = state[MATCH, i] >> OWN_RULES
    state[MATCH, i] = own | own << OWN_RULES


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
    cube: int,
    match: int,
) -> None:
    """Rolls the dice if `higher` is 0 and no decision is due; `match` is negative for the rules of `reset`."""
    place_men(state, i, low, high, other_low, other_high, player)
    restore_rules(state, i)
    if match >= 0:
        state[MATCH, i] = match | state[MATCH, i] >> OWN_RULES << OWN_RULES
    state[CUBE, i] = cube
    stage = cube >> STAGE
    if higher:
        set_stage(state, i, PLAYING)
        set_dice(state, i, higher, lower)
    elif stage == ON_ROLL:
        begin_turn(state, i)
    elif stage == PLAYING:
        play_on(state, i)
    else:
        wait(state, i, stage)
    if awaits_chance(state, i):
        resolve_chance(state, i)


def begin_turn(state: Any, i: int) -> None:
    """The player on roll decides about the cube or, if there is nothing to decide, waits for the dice."""
    if can_double(state, i):
        wait(state, i, ON_ROLL)
    else:
        play_on(state, i)


def can_double(state: Any, i: int) -> bool:
    cube: int = state[CUBE, i]
    match: int = state[MATCH, i]
    player: int = state[PLAYER, i]
    if match & (HAS_CUBE | IS_CRAWFORD) != HAS_CUBE or cube & 15 >= HIGHEST_CUBE:
        return False
    if cube >> OWNER & 3 == 2 - player:
        return False
    length = match & MOST_POINTS
    return length == 0 or score(match, player) + (1 << (cube & 15)) < length


def score(match: int, player: int) -> int:
    return match >> SCORES + SCORE_BITS * player & MOST_POINTS


def wait(state: Any, i: int, stage: int) -> None:
    """Waits for a decision about the cube; until then there are no dice."""
    set_stage(state, i, stage)
    clear_dice(state, i)


def play_on(state: Any, i: int) -> None:
    set_stage(state, i, PLAYING)
    await_dice(state, i)


def set_stage(state: Any, i: int, stage: int) -> None:
    state[CUBE, i] = state[CUBE, i] & (1 << STAGE) - 1 | stage << STAGE


def decisions(state: Any, i: int) -> int:
    """The legal decisions about the cube as a set, `NO_DOUBLE` lowest; 0 while there are dice to play."""
    cube = state[CUBE, i]
    stage = cube >> STAGE
    if not ON_ROLL <= stage <= BEAVERED:
        return 0
    if stage == ON_ROLL:
        return 0b00011
    can_beaver = stage == DOUBLED and state[MATCH, i] & HAS_BEAVERS != 0 and cube & 15 < HIGHEST_CUBE - 1
    return 0b11100 if can_beaver else 0b01100


def is_legal(state: Any, i: int, action: int) -> bool:
    open_decisions = decisions(state, i)
    if open_decisions:
        return NO_DOUBLE <= action < ACTIONS and (open_decisions >> action - NO_DOUBLE & 1) != 0
    return is_legal_step(state, i, action)


def write_legal(state: Any, i: int, sets: Any, at: int) -> None:
    open_decisions = decisions(state, i)
    if open_decisions:
        sets[at] = sets[at + 1] = 0
        sets[at + 2] = open_decisions << NO_DOUBLE - 128
    else:
        write_legal_steps(state, i, sets, at)


def listed_action(number: int) -> int:
    return listed_step(number) if number < LISTED_STEPS else min(NO_DOUBLE + number - LISTED_STEPS, ACTIONS - 1)


def list_legal(state: Any, i: int, listed: Any, ids: Any, at: int) -> int:
    open_decisions = decisions(state, i)
    if open_decisions:
        return list_members(open_decisions, listed, LISTED_STEPS, ids, at)
    return list_legal_steps(state, i, listed, ids, at)


def sample_action(state: Any, i: int) -> int:
    open_decisions = decisions(state, i)
    if open_decisions:
        number = below(draw(state[KEY, i], POLICY, state[STEPS, i]), count(open_decisions))
        return NO_DOUBLE + nth(open_decisions, number)
    return sample_step(state, i)


def apply_action(state: Any, i: int, history: Any, at: int, action: int) -> int:
    state[STEPS, i] += 1
    state[LENGTH, i] += 1
    if action >= NO_DOUBLE:
        return roll_on(state, i, decide(state, i, action))
    return roll_on(state, i, follow(state, i, play_step(state, i, action)))


def apply_play(state: Any, i: int, low: int, high: int, other_low: int, other_high: int) -> int:
    """Plays a whole play, given by the position it leads to."""
    state[STEPS, i] += 1
    state[LENGTH, i] += 1
    set_men(state, i, low, high, other_low, other_high)
    return roll_on(state, i, follow(state, i, WON if is_off(low, high) else TURN_OVER))


def roll_on(state: Any, i: int, code: int) -> int:
    """Rolls the dice if the game has not ended with this code and waits for them."""
    if code == 0 and awaits_chance(state, i):
        resolve_chance(state, i)
    return code


def write_moves(state: Any, i: int, out: Any, n: int) -> int:
    """Writes the decisions about the cube if there are any, else the plays."""
    open_decisions = decisions(state, i)
    if not open_decisions:
        return write_plays(state, i, out, n)
    while open_decisions:
        out[n * MOVE_WORDS + 4] = NO_DOUBLE + nth(open_decisions, 0) << DECISION
        open_decisions &= open_decisions - 1
        n += 1
    return n


def move_action(moves: Any, n: int, k: int) -> int:
    decision = moves[n * MOVE_WORDS + 4] >> DECISION
    if decision:
        return decision if k == 0 else -1
    return step_of_move(moves, n, k)


def play_move(state: Any, i: int, history: Any, at: int, moves: Any, n: int) -> int:
    decision, first = moves[n * MOVE_WORDS + 4] >> DECISION, n * MOVE_WORDS
    if decision:
        state[STEPS, i] += 1
        state[LENGTH, i] += 1
        return decide(state, i, decision)
    count_steps(state, i, moves, n)
    set_men(state, i, moves[first], moves[first + 1], moves[first + 2], moves[first + 3])
    await_dice(state, i)
    return follow(state, i, WON if is_off(moves[first], moves[first + 1]) else TURN_OVER)


def follow(state: Any, i: int, code: int) -> int:
    """Continues after a step or play with this result."""
    if code == WON:
        return end_game(state, i, state[PLAYER, i])
    if code == TURN_OVER:
        swap_sides(state, i)
        begin_turn(state, i)
    return 0


def decide(state: Any, i: int, action: int) -> int:
    if action == NO_DOUBLE:
        play_on(state, i)
    elif action == DOUBLE:
        swap_sides(state, i)
        set_stage(state, i, DOUBLED)
    elif action == BEAVER:
        swap_sides(state, i)
        set_stage(state, i, BEAVERED)
    elif action == TAKE:
        take(state, i)
    else:
        return drop(state, i)
    return 0


def take(state: Any, i: int) -> None:
    """The player on roll continues; the other side, which took or had beavered, gets the cube."""
    cube = state[CUBE, i]
    doubles = cube & 15
    if cube >> STAGE == DOUBLED:
        swap_sides(state, i)
        doubles += 1
    else:
        doubles += 2
    state[CUBE, i] = doubles | 2 - state[PLAYER, i] << OWNER
    play_on(state, i)


def drop(state: Any, i: int) -> int:
    """Loses what the game was worth before the dropped double or beaver."""
    cube = state[CUBE, i]
    state[CUBE, i] = cube + 1 if cube >> STAGE == BEAVERED else cube
    set_stage(state, i, DROPPED)
    return end_game(state, i, 1 - state[PLAYER, i])


def end_game(state: Any, i: int, winner: int) -> int:
    """Returns 1 if everything is over, 0 if the next game of the match is about to begin."""
    match = state[MATCH, i]
    length = match & MOST_POINTS
    if length == 0:
        return WON
    old, other = score(match, winner), score(match, 1 - winner)
    new = min(old + game_points(state, i), length)
    match += new - old << SCORES + SCORE_BITS * winner
    match &= ~IS_CRAWFORD
    if new == length:
        state[MATCH, i] = match
        return WON
    state[MATCH, i] = match | IS_CRAWFORD if new == length - 1 and other < new else match
    state[CUBE, i] = 0
    await_dice(state, i)
    set_start(state, i)
    return 0


def game_points(state: Any, i: int) -> int:
    """What the game just ended is worth."""
    cube: int = state[CUBE, i]
    value = 1 << (cube & 15)
    if cube >> STAGE == DROPPED or (state[MATCH, i] & HAS_JACOBY != 0 and value == 1):
        return value
    return value * points_lost(state[OTHER_LOW, i], state[OTHER_HIGH, i])


def points(state: Any, i: int) -> int:
    """The points of the player who acted, negative for a drop. A match is worth 1."""
    worth = 1 if state[MATCH, i] & MOST_POINTS else game_points(state, i)
    return -worth if state[CUBE, i] >> STAGE == DROPPED else worth


def seen_cube(state: Any, i: int) -> int:
    """Five bytes: the cube's value, its owner (1 the player to act), the stage, and how far away both sides are."""
    cube: int = state[CUBE, i]
    match: int = state[MATCH, i]
    player: int = state[PLAYER, i]
    length, owner = match & MOST_POINTS, cube >> OWNER & 3
    if owner:
        owner = 1 if owner - 1 == player else 2
    away, other_away = length - score(match, player), length - score(match, 1 - player)
    return cube & 15 | owner << 8 | (cube >> STAGE & 3) << 16 | away << 24 | other_away << 32


def seen_rules(state: Any, i: int) -> int:
    """Five bytes: the length of the match, and the flags for the Crawford game, the cube, Jacoby and beavers."""
    match: int = state[MATCH, i]
    return match & MOST_POINTS | spread_by_halves(match >> 15 & 15) << 8


def write_packed(state: Any, i: int, out: Any, at: int, mask: Any, mask_at: int) -> None:
    write_seen(state, i, out, at, state[DICE, i])
    open_decisions = decisions(state, i)
    for die in range(6):
        mask[mask_at + die] = 0 if open_decisions else places_to_leave(state, i, die + 1)
    mask[mask_at + 6] = open_decisions


def write_seen(state: Any, i: int, out: Any, at: int, dice: int) -> None:
    write_planes(state, i, out, at, dice)
    out[at + 5] = state[PLAYER, i] | seen_cube(state, i) << 8
    out[at + 6] = seen_rules(state, i)


def write_bytes(state: Any, i: int, out: Any, mask: Any, row: int) -> None:
    """Writes the board's bytes, then the cube, the score and the rules; decisions follow the steps in the mask."""
    write_board(state, i, out, row, state[PLAYER, i] | seen_cube(state, i) << 8)
    out[row, BOARD_WORDS] = seen_rules(state, i)
    open_decisions = decisions(state, i)
    if open_decisions:
        for word in range(STEP_MASK_WORDS):
            mask[row, word] = 0
        mask[row, STEP_MASK_WORDS - 1] = spread_by_halves(open_decisions << 4 & 255)
    else:
        write_steps(state, i, mask, row)
    mask[row, STEP_MASK_WORDS] = open_decisions >> 4


def write_compact(state: Any, i: int, out: Any, at: int) -> None:
    write_seen(state, i, out, at, count_dice(state[DICE, i]))
    open_decisions = decisions(state, i)
    if open_decisions:
        out[at + PACKED_OBSERVATION] = out[at + PACKED_OBSERVATION + 1] = 0
        out[at + PACKED_OBSERVATION + 2] = open_decisions << 16
    else:
        write_compact_steps(state, i, out, at + PACKED_OBSERVATION)


def observation_word(compact: Any, at: int, word: int) -> int:
    if word == BOARD_WORDS:
        return bytes_at(compact, at + 48)
    seen = board_word(compact, at, word)
    return seen | bytes_at(compact, at + 41) << 24 if word == BOARD_WORDS - 1 else seen


def bytes_at(compact: Any, at: int) -> int:
    found = 0
    for byte in range(5):
        found |= (int(compact[at + byte]) & 255) << 8 * byte
    return found


def mask_word(compact: Any, at: int, word: int) -> int:
    open_decisions = int(compact[at + 18]) & 255
    if word == STEP_MASK_WORDS:
        return open_decisions >> 4
    if open_decisions:
        return spread_by_halves(open_decisions << 4 & 255) if word == STEP_MASK_WORDS - 1 else 0
    return step_mask_word(compact, at, word)
