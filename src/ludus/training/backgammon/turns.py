"""A turn of many games, one index at a time: the same code on the CPU and in CUDA kernels.

All legal plays are listed, for each of the 21 rolls or for the actual one. Each is packed as the network's input (with
the other side to roll), and the network's equities make the choice. The rules are those of the game's kernel.
"""

from __future__ import annotations

from math import log
from typing import Any, Final

from ludus.engines.backgammon.network.features import write_features
from ludus.envs.batched.streams import below, draw
from ludus.games.backgammon import kernel
from ludus.games.backgammon.kernel import is_off, points_lost, write_plays
from ludus.games.backgammon.position import VARIANTS
from ludus.training.backgammon.inputs import IS_FEATURE, WIDTH

LOW, HIGH, OTHER_LOW, OTHER_HIGH, KEY, CLOCK, LENGTH, RANDOM_PLIES = range(8)
STATE: Final = 8
START_LOW, START_HIGH = VARIANTS["standard"].white
LAST_LOW, LAST_HIGH = 1 << 24 | 1 << 57, 1 << 25 | 1 << 57
"""One man on the last point and fourteen off."""

DICE: Final = (2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 1, 2, 3, 4, 5, 6)
THENS: Final = (1, 1, 2, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6)
ROLLS: Final = 21
PAIRS: Final = 15
"""Rolls of two different dice; they come first."""
PAIR_ROOM: Final = 450
"""The most plays of two different dice: fifteen men for each die, in either order."""
DOUBLE_ROOM: Final = kernel.MOST_PLAYS
ROOM: Final = PAIRS * PAIR_ROOM + (ROLLS - PAIRS) * DOUBLE_ROOM
WORDS: Final = kernel.WORDS

OUTCOMES: Final = 6
"""Exactly a win, gammon or backgammon for the side to roll, then the same for the other side."""
DICE_DRAW, EXPLORE, CHOICE, NOISE, START, FORK = 0, 0x1F123BB5, 0x2545F491, 0x3C6EF372, 0x41C64E6D, 0x5851F42D
"""Streams of random numbers, one for each purpose."""
LIMIT: Final = 1 << 32
FOURS: Final = WIDTH // 4
LOW_BITS: Final = (1 << 60) - 1
HALF_ONE: Final = 0x3C00
"""1.0 in half precision."""


def room_of(i: int, games: int) -> int:
    """The index at which the plays of a game and roll start; `i` counts all games of the first roll first."""
    if i < PAIRS * games:
        return i * PAIR_ROOM
    return PAIRS * games * PAIR_ROOM + (i - PAIRS * games) * DOUBLE_ROOM


def list_plays(i: int, games: int, state: Any, plays: Any, counts: Any) -> None:
    roll, game, at = i // games, i % games, room_of(i, games)
    counts[i] = list_at(at, state, game, DICE[roll], THENS[roll], plays) - at


def list_rolled(i: int, state: Any, plays: Any, counts: Any) -> None:
    """Lists the plays of the actual roll in game `i`."""
    roll, at = roll_of(state, i), i * DOUBLE_ROOM
    counts[i] = list_at(at, state, i, DICE[roll], THENS[roll], plays) - at


def list_at(at: int, state: Any, game: int, die: int, then: int, plays: Any) -> int:
    low, high, other_low, other_high = (
        state[LOW, game],
        state[HIGH, game],
        state[OTHER_LOW, game],
        state[OTHER_HIGH, game],
    )
    return write_plays(plays, at, low, high, other_low, other_high, die, then)


def roll_of(state: Any, i: int) -> int:
    """The turn's roll; the first one of a game is never a double."""
    word = draw(state[KEY, i], DICE_DRAW, state[CLOCK, i])
    if state[LENGTH, i] == 0:
        return below(word, PAIRS)
    number = below(word, 36)
    return number >> 1 if number < 30 else number - 15


def pack_state(i: int, state: Any, packed: Any, stride: int) -> None:
    """Writes the network's input before the roll."""
    write_features(packed, i, stride, state[LOW, i], state[HIGH, i], state[OTHER_LOW, i], state[OTHER_HIGH, i])


def pack_play(i: int, owners: Any, starts: Any, rooms: Any, plays: Any, packed: Any, stride: int) -> None:
    """Writes the network's input after the `i`th listed play."""
    owner = owners[i]
    at = (rooms[owner] + i - starts[owner]) * WORDS
    write_features(packed, i, stride, plays[at + 2], plays[at + 3], plays[at], plays[at + 1])


def expand_row(i: int, packed: Any, stride: int, first: int, fours: Any, values: Any, out: Any) -> None:
    """Expands one position into the network's inputs; `out` must be zero."""
    for four in range(fours.shape[0]):
        where = fours[four]
        word = packed[(where & 255) * stride + first + i] & LOW_BITS
        if where & IS_FEATURE:
            for k in range(4):
                out[i, four * 4 + k] = values[(where >> 17) * 256 + k * 256 + byte_of(word, where, k)]
        elif word >> (where >> 8 & 255) & 15:
            for k in range(4):
                out[i, four * 4 + k] = word >> (where >> 8 & 255) + k & 1


def expand_four(i: int, packed: Any, stride: int, first: int, fours: Any, values: Any, out: Any) -> None:
    """Writes four half-precision inputs as one integer, so that neighbouring threads write neighbouring words."""
    where = fours[i % FOURS]
    word = packed[(where & 255) * stride + first + i // FOURS] & LOW_BITS
    if where & IS_FEATURE:
        at, four = (where >> 17) * 256, 0
        for k in range(4):
            four |= values[at + k * 256 + byte_of(word, where, k)] << 16 * k
        out[i] = four
    else:
        four = word >> (where >> 8 & 255)
        out[i] = (four & 1 | (four & 2) << 15 | (four & 4) << 30 | (four & 8) << 45) * HALF_ONE


def byte_of(word: int, where: int, k: int) -> int:
    """A feature's byte; a word holds six features, and its other bytes are something else."""
    at = (where >> 8 & 255) + 8 * k
    return word >> at & 255 if at < 48 else 0


def choose(i: int, starts: Any, rooms: Any, counts: Any, plays: Any, equities: Any, best: Any) -> None:
    """Finds the best play of one game and roll, by its place in `plays`."""
    top, found = -4.0, rooms[i]
    for j in range(counts[i]):
        at = rooms[i] + j
        value = value_of(plays, at, equities[starts[i] + j])
        if value > top:
            top, found = value, at
    best[i] = found


def value_of(plays: Any, at: int, equity: float) -> float:
    """A play's equity for the side that makes it: the points of a finished game, or minus the other side's equity."""
    if is_off(plays[at * WORDS], plays[at * WORDS + 1]):
        return points_lost(plays[at * WORDS + 2], plays[at * WORDS + 3]) * 1.0
    return -equity


def keep(
    i: int, starts: Any, rooms: Any, counts: Any, plays: Any, equities: Any, number: int, kept: Any, values: Any
) -> None:  # fmt: skip
    """Writes the rows of the best plays of one game and roll, the best first, and -1 after them: `number` in all.

    `values` has room for their values.
    """
    first, found = i * number, 0
    for j in range(counts[i]):
        value = value_of(plays, rooms[i] + j, equities[starts[i] + j])
        if found == number and value <= values[first + number - 1]:
            continue
        found = min(found + 1, number)
        at = first + found - 1
        while at > first and values[at - 1] < value:
            values[at] = values[at - 1]
            kept[at] = kept[at - 1]
            at -= 1
        values[at] = value
        kept[at] = starts[i] + j
    for k in range(found, number):
        kept[first + k] = -1


def follow(i: int, plays: Any, best: Any, after: Any, is_over: Any) -> None:
    """Writes the position after the best play of one game and roll, or one with few plays if the game is over."""
    at = best[i] * WORDS
    is_over[i] = 1 if is_off(plays[at], plays[at + 1]) else 0
    after[LOW, i] = LAST_LOW if is_over[i] else plays[at + 2]
    after[HIGH, i] = LAST_HIGH if is_over[i] else plays[at + 3]
    after[OTHER_LOW, i] = LAST_LOW if is_over[i] else plays[at]
    after[OTHER_HIGH, i] = LAST_HIGH if is_over[i] else plays[at + 1]


def back_up(i: int, starts: Any, rooms: Any, plays: Any, chances: Any, best: Any, backup: Any) -> None:
    """Writes the chances of the side that made the best play."""
    at, row = best[i], starts[i] + best[i] - rooms[i]
    is_over = is_off(plays[at * WORDS], plays[at * WORDS + 1])
    points = points_lost(plays[at * WORDS + 2], plays[at * WORDS + 3])
    for k in range(3):
        backup[i, k] = (1.0 if points == k + 1 else 0.0) if is_over else chances[row, k + 3]
        backup[i, k + 3] = 0.0 if is_over else chances[row, k]


def advance(
    i: int,
    games: int,
    all_rolls: int,
    state: Any,
    starts: Any,
    rooms: Any,
    counts: Any,
    plays: Any,
    equities: Any,
    best: Any,
    explore: float,
    noise: float,
    is_greedy: Any,
    points: Any,
) -> None:
    """Rolls, plays and turns the board; a finished game starts over.

    `all_rolls` says whether plays of all rolls are listed. `is_greedy` becomes 1 if the best play was made and the game
    goes on, `points` what the mover has won.
    """
    roll = roll_of(state, i)
    j = roll * games + i if all_rolls else i
    key, clock = state[KEY, i], state[CLOCK, i]
    at = best[j]
    if state[LENGTH, i] < state[RANDOM_PLIES, i]:
        at = rooms[j] + below(draw(key, CHOICE, clock), counts[j])
    elif draw(key, EXPLORE, clock) < explore * LIMIT:
        at = explore_play(j, starts, rooms, counts, plays, equities, noise, key, clock)
    low, high = plays[at * WORDS], plays[at * WORDS + 1]
    other_low, other_high = plays[at * WORDS + 2], plays[at * WORDS + 3]
    is_over = is_off(low, high)
    points[i] = points_lost(other_low, other_high) if is_over else 0
    is_greedy[i] = 1 if at == best[j] and not is_over else 0
    state[LOW, i] = other_low
    state[HIGH, i] = other_high
    state[OTHER_LOW, i] = low
    state[OTHER_HIGH, i] = high
    state[LENGTH, i] += 1
    state[CLOCK, i] += 1
    if is_over:
        start_game(state, i)


def explore_play(
    j: int, starts: Any, rooms: Any, counts: Any, plays: Any, equities: Any, noise: float, key: int, clock: int
) -> int:
    """Samples a play by its equity (Gumbel noise); better plays are more likely."""
    top, found = -1e9, int(rooms[j])
    for k in range(counts[j]):
        at = rooms[j] + k
        chance = (draw(key ^ k, NOISE, clock) + 0.5) / LIMIT
        value = value_of(plays, at, equities[starts[j] + k]) - noise * log(-log(chance))
        if value > top:
            top, found = value, at
    return found


def fork(
    i: int, games: int, state: Any, starts: Any, rooms: Any, counts: Any, plays: Any, equities: Any, best: Any,
    noise: float, forks: Any, is_fork: Any,
) -> None:  # fmt: skip
    """Writes the position after a play of the actual roll other than the best one; better plays are more likely.

    `is_fork` becomes 0 if there is no other play, or if the one chosen ends the game.
    """
    j = roll_of(state, i) * games + i
    key, clock = state[KEY, i], state[CLOCK, i]
    top, found = -1e9, int(best[j])
    for k in range(counts[j]):
        at = rooms[j] + k
        if at != best[j]:
            chance = (draw(key ^ k, FORK, clock) + 0.5) / LIMIT
            value = value_of(plays, at, equities[starts[j] + k]) - noise * log(-log(chance))
            if value > top:
                top, found = value, at
    is_fork[i] = 0
    if found != best[j] and not is_off(plays[found * WORDS], plays[found * WORDS + 1]):
        is_fork[i] = 1
        forks[LOW, i] = plays[found * WORDS + 2]
        forks[HIGH, i] = plays[found * WORDS + 3]
        forks[OTHER_LOW, i] = plays[found * WORDS]
        forks[OTHER_HIGH, i] = plays[found * WORDS + 1]


def start_game(state: Any, i: int) -> None:
    """The standard start. One game in eight opens with up to eight random plays, for unusual positions."""
    state[LOW, i] = state[OTHER_LOW, i] = START_LOW
    state[HIGH, i] = state[OTHER_HIGH, i] = START_HIGH
    state[LENGTH, i] = 0
    state[RANDOM_PLIES, i] = max(below(draw(state[KEY, i], START, state[CLOCK, i]), 64) - 55, 0)
