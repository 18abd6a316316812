"""What happens in a turn of many games, one index at a time: the same on a CPU and inside CUDA kernels.

All legal plays are listed, for each of the 21 rolls or for the one that falls; each is packed as the network sees it
(the other side to roll); what the network says of them makes the choice. No rules in here: the game's kernel has them.
"""

from __future__ import annotations

from math import log
from typing import Any, Final

from ludus.engines.backgammon.network.features import write_features
from ludus.envs.batched.streams import below, draw
from ludus.games.backgammon import kernel
from ludus.games.backgammon.kernel import is_off, points_lost, write_plays
from ludus.games.backgammon.position import VARIANTS
from ludus.training.backgammon.inputs import IS_SIGN, WIDTH

LOW, HIGH, OTHER_LOW, OTHER_HIGH, KEY, CLOCK, LENGTH, WILD = range(8)
STATE: Final = 8
START_LOW, START_HIGH = VARIANTS["standard"].white

DICE: Final = (2, 3, 3, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 6, 1, 2, 3, 4, 5, 6)
THENS: Final = (1, 1, 2, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 6)
ROLLS: Final = 21
PAIRS: Final = 15
"""The rolls of two different dice come first."""
PAIR_ROOM: Final = 450
"""Plays of two different dice: fifteen men for each, in either order."""
DOUBLE_ROOM: Final = kernel.MOST_PLAYS
ROOM: Final = PAIRS * PAIR_ROOM + (ROLLS - PAIRS) * DOUBLE_ROOM
WORDS: Final = kernel.WORDS

OUTCOMES: Final = 6
"""Win, gammon, backgammon for the side to roll, then the same for the other; each exactly that."""
DICE_DRAW, EXPLORE, CHOICE, NOISE, BEGIN = 0, 0x1F123BB5, 0x2545F491, 0x3C6EF372, 0x41C64E6D
"""What numbers are drawn for, so that they are not the same."""
LIMIT: Final = 1 << 32
FOURS: Final = WIDTH // 4
LOW_BITS: Final = (1 << 60) - 1
HALF_ONE: Final = 0x3C00
"""One in half precision."""


def room_of(i: int, games: int) -> int:
    """Where the plays of a game and roll begin; `i` counts all games of the first roll first."""
    if i < PAIRS * games:
        return i * PAIR_ROOM
    return PAIRS * games * PAIR_ROOM + (i - PAIRS * games) * DOUBLE_ROOM


def list_plays(i: int, games: int, state: Any, plays: Any, counts: Any) -> None:
    roll, game, at = i // games, i % games, room_of(i, games)
    counts[i] = list_at(at, state, game, DICE[roll], THENS[roll], plays) - at


def list_rolled(i: int, state: Any, plays: Any, counts: Any) -> None:
    """The plays of the roll that falls in game `i`."""
    roll, at = rolled(state, i), i * DOUBLE_ROOM
    counts[i] = list_at(at, state, i, DICE[roll], THENS[roll], plays) - at


def list_at(at: int, state: Any, game: int, die: int, then: int, plays: Any) -> int:
    low, high, other_low, other_high = (
        state[LOW, game],
        state[HIGH, game],
        state[OTHER_LOW, game],
        state[OTHER_HIGH, game],
    )
    return write_plays(plays, at, low, high, other_low, other_high, die, then)


def rolled(state: Any, i: int) -> int:
    """The roll of this turn; the first of a game is no double."""
    word = draw(state[KEY, i], DICE_DRAW, state[CLOCK, i])
    if state[LENGTH, i] == 0:
        return below(word, PAIRS)
    number = below(word, 36)
    return number >> 1 if number < 30 else number - 15


def pack_state(i: int, state: Any, packed: Any, stride: int) -> None:
    """What the network sees before the roll."""
    write_features(packed, i, stride, state[LOW, i], state[HIGH, i], state[OTHER_LOW, i], state[OTHER_HIGH, i])


def pack_play(i: int, owners: Any, starts: Any, rooms: Any, plays: Any, packed: Any, stride: int) -> None:
    """What the network sees after play `i` of all that were listed."""
    owner = owners[i]
    at = (rooms[owner] + i - starts[owner]) * WORDS
    write_features(packed, i, stride, plays[at + 2], plays[at + 3], plays[at], plays[at + 1])


def expand_row(i: int, packed: Any, stride: int, first: int, fours: Any, values: Any, out: Any) -> None:
    """All inputs of the network for one position, found in its words; `out` holds zeros."""
    for four in range(fours.shape[0]):
        where = fours[four]
        word = packed[(where & 255) * stride + first + i] & LOW_BITS
        if where & IS_SIGN:
            for k in range(4):
                out[i, four * 4 + k] = values[(where >> 17) * 256 + k * 256 + byte_of(word, where, k)]
        elif word >> (where >> 8 & 255) & 15:
            for k in range(4):
                out[i, four * 4 + k] = word >> (where >> 8 & 255) + k & 1


def expand_four(i: int, packed: Any, stride: int, first: int, fours: Any, values: Any, out: Any) -> None:
    """Four inputs side by side, each in half precision, as one integer: neighbours write to neighbouring places."""
    where = fours[i % FOURS]
    word = packed[(where & 255) * stride + first + i // FOURS] & LOW_BITS
    if where & IS_SIGN:
        at, four = (where >> 17) * 256, 0
        for k in range(4):
            four |= values[at + k * 256 + byte_of(word, where, k)] << 16 * k
        out[i] = four
    else:
        four = word >> (where >> 8 & 255)
        out[i] = (four & 1 | (four & 2) << 15 | (four & 4) << 30 | (four & 8) << 45) * HALF_ONE


def byte_of(word: int, where: int, k: int) -> int:
    """A word holds six signs; what follows them is something else."""
    at = (where >> 8 & 255) + 8 * k
    return word >> at & 255 if at < 48 else 0


def choose(i: int, starts: Any, rooms: Any, counts: Any, plays: Any, equities: Any, best: Any) -> None:
    """The best of the plays of one game and roll, by its place in `plays`."""
    top, found = -4.0, rooms[i]
    for j in range(counts[i]):
        at = rooms[i] + j
        value = value_of(plays, at, equities[starts[i] + j])
        if value > top:
            top, found = value, at
    best[i] = found


def value_of(plays: Any, at: int, equity: float) -> float:
    """What a play is worth to who makes it: what the game's end pays, or the other side's equity turned round."""
    if is_off(plays[at * WORDS], plays[at * WORDS + 1]):
        return points_lost(plays[at * WORDS + 2], plays[at * WORDS + 3]) * 1.0
    return -equity


def look_back(i: int, starts: Any, rooms: Any, plays: Any, chances: Any, best: Any, backed: Any) -> None:
    """The chances of the side that made the best play."""
    at, row = best[i], starts[i] + best[i] - rooms[i]
    is_over = is_off(plays[at * WORDS], plays[at * WORDS + 1])
    points = points_lost(plays[at * WORDS + 2], plays[at * WORDS + 3])
    for k in range(3):
        backed[i, k] = (1.0 if points == k + 1 else 0.0) if is_over else chances[row, k + 3]
        backed[i, k + 3] = 0.0 if is_over else chances[row, k]


def advance(
    i: int,
    games: int,
    every: int,
    state: Any,
    starts: Any,
    rooms: Any,
    counts: Any,
    plays: Any,
    equities: Any,
    best: Any,
    explore: float,
    noise: float,
    follows: Any,
    points: Any,
) -> None:
    """Rolls, plays and turns the board; a finished game begins anew.

    `every` tells whether plays of all rolls are listed. `follows` becomes 1 if the best play was made and the game goes
    on, `points` what the mover has won.
    """
    roll = rolled(state, i)
    j = roll * games + i if every else i
    key, clock = state[KEY, i], state[CLOCK, i]
    at = best[j]
    if state[LENGTH, i] < state[WILD, i]:
        at = rooms[j] + below(draw(key, CHOICE, clock), counts[j])
    elif draw(key, EXPLORE, clock) < explore * LIMIT:
        at = noisy(j, starts, rooms, counts, plays, equities, noise, key, clock)
    low, high = plays[at * WORDS], plays[at * WORDS + 1]
    other_low, other_high = plays[at * WORDS + 2], plays[at * WORDS + 3]
    is_over = is_off(low, high)
    points[i] = points_lost(other_low, other_high) if is_over else 0
    follows[i] = 1 if at == best[j] and not is_over else 0
    state[LOW, i] = other_low
    state[HIGH, i] = other_high
    state[OTHER_LOW, i] = low
    state[OTHER_HIGH, i] = high
    state[LENGTH, i] += 1
    state[CLOCK, i] += 1
    if is_over:
        begin(state, i)


def noisy(
    j: int, starts: Any, rooms: Any, counts: Any, plays: Any, equities: Any, noise: float, key: int, clock: int
) -> int:
    """A play chosen by its value with noise: the likelier, the better."""
    top, found = -1e9, int(rooms[j])
    for k in range(counts[j]):
        at = rooms[j] + k
        chance = (draw(key ^ k, NOISE, clock) + 0.5) / LIMIT
        value = value_of(plays, at, equities[starts[j] + k]) - noise * log(-log(chance))
        if value > top:
            top, found = value, at
    return found


def begin(state: Any, i: int) -> None:
    """The standard start. One game in eight begins with up to eight plays at random, to see odd positions too."""
    state[LOW, i] = state[OTHER_LOW, i] = START_LOW
    state[HIGH, i] = state[OTHER_HIGH, i] = START_HIGH
    state[LENGTH, i] = 0
    state[WILD, i] = max(below(draw(state[KEY, i], BEGIN, state[CLOCK, i]), 64) - 55, 0)
