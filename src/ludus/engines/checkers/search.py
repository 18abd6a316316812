"""Alpha-beta over the rules' kernel: principal variations, reductions, quiescence. Kernel code.

Values are points for the side to move. `memory` is laid out as `memory` says, `weights` as `evaluation`, and `tables`
are the endgame tables (`wld` there). `n` is the number of the first free place in the list of moves.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words, count
from ludus.engines.checkers.endgames.kernel import DRAW, MOST, UNKNOWN, probe
from ludus.engines.checkers.endgames.kernel import WIN as WON
from ludus.engines.checkers.evaluation import evaluate
from ludus.engines.checkers.foresight import foresee
from ludus.engines.checkers.memory import (
    HISTORY,
    IS_FULL,
    KILLERS,
    LAST_MOVE,
    MOST_PLIES,
    NODE_LIMIT,
    NODES,
    PATH,
    RANKS,
    STOP,
    key_of,
)
from ludus.engines.checkers.transposition import (
    EXACT,
    LOWER,
    UPPER,
    bound_in,
    bucket,
    depth_in,
    find,
    move_in,
    remember,
    value_in,
)
from ludus.games.checkers.kernel import (
    WORDS,
    can_move,
    jumpers,
    play,
    steppers,
    write_moves,
)

WIN = 30_000
"""Less a point for each ply until the end."""
TABLE_WIN = 20_000
"""A win that the endgame tables promise."""
QUIET_LIMIT = 80
THREATS = 1
"""So many plies beyond its depth the search goes on where the other side could jump next."""
FAR_ABOVE = 40
"""So many points for each ply of depth make a quiet position good enough without a search, up to `GLANCE_DEPTH`."""
GLANCE_DEPTH = 6
FAR_BELOW = 60
"""And so many make it bad enough to look at jumps only, up to `GLANCE_BELOW`."""
GLANCE_BELOW = 2
TRUST_DEPTH = 6
"""From this depth on a search `TRUST_LESS` plies shallower may speak for a deep one."""
TRUST_LESS = 4
TRUST_MARGIN = 30


def is_spent(memory: Words) -> bool:
    """Counts a node; whether the search has to stop."""
    memory[NODES] += 1
    if memory[NODES] >= memory[NODE_LIMIT]:
        memory[STOP] = 1
    return memory[STOP] != 0


def is_repeated(memory: Words, ply: int, quiet: int, key: int) -> bool:
    """Whether the position has been there since the last capture or man's move."""
    for back in range(4, quiet + 1, 2):  # noqa: SIM110 (compiled code has no generators)
        if memory[PATH + ply - back] == key:
            return True
    return False


def table_value(found: int, ply: int) -> int:
    if found == DRAW:
        return 0
    return TABLE_WIN - ply if found == WON else ply - TABLE_WIN


def place_of(bit: int) -> int:
    """The number of a dark square, 0 to 31."""
    return count(bit - 1) >> 1


def move_at(memory: Words, i: int) -> int:
    """A number for the move's ends; two chains may share it."""
    return place_of(memory[i * WORDS]) << 5 | place_of(memory[i * WORDS + 1])


def settle(
    memory: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int,
    depth: int, alpha: int, beta: int, ply: int, n: int,
) -> int:  # fmt: skip
    """The value once all jumps are over and, for a few plies, no jump threatens."""
    if is_spent(memory):
        return 0
    a, b, c, d = jumpers(own, other, kings, side)
    is_calm = not a | b | c | d
    if is_calm:
        a, b, c, d = steppers(own, other, kings, side)
        if not a | b | c | d:
            return ply - WIN
        if count(own | other) <= memory[MOST]:
            found = probe(tables, memory, own, other, kings, side)
            if found != UNKNOWN:
                return table_value(found, ply)
        a, b, c, d = jumpers(other, own, kings, 1 - side)
        if depth <= -THREATS or not a | b | c | d:
            return evaluate(weights, own, other, kings, side)
    if n > LAST_MOVE or ply >= MOST_PLIES:
        return evaluate(weights, own, other, kings, side)
    end = write_moves(memory, n, own, other, kings, side)
    best = -WIN
    for i in range(n, end):
        x, y, z, s = play(own, other, kings, side, memory[i * WORDS], memory[i * WORDS + 1], memory[i * WORDS + 2])
        value = -settle(
            memory, weights, tables, x, y, z, s, depth - 1 if is_calm else depth, -beta, -alpha, ply + 1, end
        )
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                if value >= beta:
                    break
    return best


def rank_moves(memory: Words, n: int, end: int, side: int, ply: int, first: int) -> None:
    """Notes how early to try each move: the best known first, then large captures, killers, and what cut elsewhere."""
    for i in range(n, end):
        move = move_at(memory, i)
        if move == first:
            rank = 1 << 40
        elif memory[i * WORDS + 2]:
            rank = count(memory[i * WORDS + 2]) << 36
        elif move == memory[KILLERS + 2 * ply] - 1:
            rank = 1 << 35
        elif move == memory[KILLERS + 2 * ply + 1] - 1:
            rank = 1 << 34
        else:
            rank = memory[HISTORY + side * 1024 + move]
        memory[RANKS + i] = rank << 8 | 255 - (i - n)


def pick(memory: Words, n: int, i: int, end: int) -> int:
    """Brings the highest rank from `i` on to the front; returns the number of its move."""
    best, rank = i, memory[RANKS + i]
    for j in range(i + 1, end):
        if memory[RANKS + j] > rank:
            best, rank = j, memory[RANKS + j]
    memory[RANKS + best] = memory[RANKS + i]
    return n + 255 - (rank & 255)


def praise(memory: Words, ply: int, side: int, move: int, depth: int) -> None:
    """A quiet move was too good for the other side: it will be tried early elsewhere."""
    if memory[KILLERS + 2 * ply] != move + 1:
        memory[KILLERS + 2 * ply + 1] = memory[KILLERS + 2 * ply]
        memory[KILLERS + 2 * ply] = move + 1
    place = HISTORY + side * 1024 + move
    memory[place] += depth * depth
    if memory[place] > 1 << 24:
        for i in range(HISTORY, HISTORY + 2048):
            memory[i] >>= 1


def reduction(depth: int, number: int, is_pv: bool) -> int:
    """How much less deep a quiet move is looked at first, the later it comes."""
    if depth < 3 or number < 3:
        return 0
    less = 1
    if number >= 4 and depth >= 5:
        less += 1
    if number >= 8 and depth >= 8:
        less += 1
    return less - 1 if is_pv else less


def has_choice(own: int, other: int, kings: int, side: int) -> bool:
    """Whether there are several moves, none of them a jump."""
    a, b, c, d = jumpers(own, other, kings, side)
    if a | b | c | d:
        return False
    a, b, c, d = steppers(own, other, kings, side)
    return count(a) + count(b) + count(c) + count(d) > 1


def glance(weights: Any, own: int, other: int, kings: int, side: int, depth: int, alpha: int, beta: int) -> int:
    """1 where a quiet position is far above `beta`, -1 where it is far below `alpha`, else 0."""
    if depth > GLANCE_DEPTH:
        return 0
    a, b, c, d = jumpers(other, own, kings, 1 - side)
    if a | b | c | d:
        return 0
    value = evaluate(weights, own, other, kings, side)
    if value >= beta + FAR_ABOVE * depth:
        return 1
    return -1 if depth <= GLANCE_BELOW and value <= alpha - FAR_BELOW * depth else 0


def foresee_move(memory: Words, own: int, other: int, kings: int, side: int, depth: int, i: int) -> None:
    """The position after a move will be looked for in the transposition table, unless it is settled at once."""
    if depth > 1:
        x, y, z, s = play(own, other, kings, side, memory[i * WORDS], memory[i * WORDS + 1], memory[i * WORDS + 2])
        foresee(memory, bucket(memory, key_of(x, y, z, s)))


def search(
    memory: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    depth: int, alpha: int, beta: int, ply: int, n: int,
) -> int:  # fmt: skip
    """The value `depth` plies on; exact between `alpha` and `beta`, otherwise a bound."""
    if depth <= 0 and quiet < 4:  # nothing can be repeated, so no key is needed
        return settle(memory, weights, tables, own, other, kings, side, min(depth, 0), alpha, beta, ply, n)
    key = key_of(own, other, kings, side)
    if quiet >= 4:
        if is_repeated(memory, ply, quiet, key):
            return 0
        if quiet >= QUIET_LIMIT:
            return 0 if can_move(own, other, kings, side) else ply - WIN
    if depth <= 0 or ply >= MOST_PLIES or n > LAST_MOVE:
        return settle(memory, weights, tables, own, other, kings, side, min(depth, 0), alpha, beta, ply, n)
    if is_spent(memory):
        return 0
    if count(own | other) <= memory[MOST]:
        if not can_move(own, other, kings, side):
            return ply - WIN
        found = probe(tables, memory, own, other, kings, side)
        if found != UNKNOWN:
            return table_value(found, ply)
    is_pv = beta - alpha > 1
    may_guess = not is_pv and not memory[IS_FULL] and -TABLE_WIN // 2 < beta < TABLE_WIN // 2
    may_guess = may_guess and has_choice(own, other, kings, side)
    # Before the table is asked, though it may know better: meanwhile its words come from far away.
    seen = glance(weights, own, other, kings, side, depth, alpha, beta) if may_guess else 0
    known = find(memory, key)
    first = -1
    if known:
        first = move_in(known)
        value, bound = value_in(known, ply), bound_in(known)
        settles = bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
        is_deep = depth_in(known) == depth or (depth_in(known) > depth and not memory[IS_FULL])
        if settles and is_deep and not is_pv:
            return value
    if seen > 0:
        return beta
    if seen < 0:
        return settle(memory, weights, tables, own, other, kings, side, min(depth, 0), alpha, beta, ply, n)
    end = write_moves(memory, n, own, other, kings, side)
    if end == n:
        return ply - WIN
    memory[PATH + ply] = key
    is_calm = memory[n * WORDS + 2] == 0
    extension = 1 if end - n == 1 else 0
    depth += extension
    if may_guess and depth >= TRUST_DEPTH:
        bar = beta + TRUST_MARGIN
        value = search(
            memory, weights, tables, own, other, kings, side, quiet, depth - TRUST_LESS, bar - 1, bar, ply, end
        )
        if value >= bar:
            return beta
    rank_moves(memory, n, end, side, ply, first)
    best, best_move, floor = -WIN, 0, alpha
    following = pick(memory, n, n, end)
    foresee_move(memory, own, other, kings, side, depth, following)
    for number in range(end - n):
        i = following
        if number + 1 < end - n:
            following = pick(memory, n, n + number + 1, end)
            foresee_move(memory, own, other, kings, side, depth, following)
        origin, landing, taken = memory[i * WORDS], memory[i * WORDS + 1], memory[i * WORDS + 2]
        x, y, z, s = play(own, other, kings, side, origin, landing, taken)
        stillness = quiet + 1 if taken == 0 and kings & origin else 0
        less = reduction(depth, number, is_pv) if is_calm and not memory[IS_FULL] else 0
        value = floor + 1
        if number > 0:
            value = -search(
                memory, weights, tables, x, y, z, s, stillness, depth - 1 - less, -floor - 1, -floor, ply + 1, end
            )
            if value > floor and less:
                value = -search(
                    memory, weights, tables, x, y, z, s, stillness, depth - 1, -floor - 1, -floor, ply + 1, end
                )
        if number == 0 or (value > floor and value < beta and is_pv):
            value = -search(memory, weights, tables, x, y, z, s, stillness, depth - 1, -beta, -floor, ply + 1, end)
        if memory[STOP]:
            return 0
        if value > best:
            best, best_move = value, place_of(origin) << 5 | place_of(landing)
            floor = max(floor, value)
            if value >= beta:
                if is_calm:
                    praise(memory, ply, side, best_move, depth)
                break
    bound = LOWER if best >= beta else EXACT if best > alpha else UPPER
    remember(memory, key, ply, best, min(depth - extension, 255), bound, best_move)
    return best
