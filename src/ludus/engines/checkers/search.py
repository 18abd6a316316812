"""Alpha-beta search over the rules' kernel: iterative deepening, principal variation search, quiescence. Kernel code.

Scores are points for the side to move. `state` is laid out as in the module `state`, `weights` as in `evaluation`, and
`tables` is the `wld` array of the endgame tables. `n` is the index of the first free place in the move list, `quiet`
the number of plies since the last capture or move of a man.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import Words, count
from ludus.engines.checkers.endgames.kernel import DRAW, MAX_PIECES, UNKNOWN, probe_wld
from ludus.engines.checkers.endgames.kernel import WIN as WON
from ludus.engines.checkers.evaluation import evaluate
from ludus.engines.checkers.prefetch import prefetch
from ludus.engines.checkers.state import (
    AGE,
    DEPTH,
    FIRST_MOVE,
    HISTORY,
    KILLERS,
    LAST_LIST_START,
    MAX_PLY,
    MOVE_SCORES,
    NO_PRUNING,
    NODE_LIMIT,
    NODES,
    PATH_KEYS,
    ROOT_MOVE_COUNT,
    ROOT_SCORES,
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
    move_in,
    probe,
    store,
    value_in,
)
from ludus.games.checkers.kernel import (
    QUIET_LIMIT,
    WORDS,
    can_move,
    jumpers,
    play,
    steppers,
    write_moves,
)

WIN = 30_000
"""Score of a win, less one point for each ply until the end."""
TABLE_WIN = 20_000
"""Score of a win in the endgame tables."""
THREAT_PLIES = 1
"""Quiescence looks this many plies deeper where the opponent threatens to jump."""
FUTILITY_MARGIN = 40
"""Per ply of depth: how far above beta a quiet position may be cut without a search, up to `FUTILITY_DEPTH`."""
FUTILITY_DEPTH = 6
RAZOR_MARGIN = 60
"""Per ply of depth: how far below alpha a quiet position gets a quiescence search only, up to `RAZOR_DEPTH`."""
RAZOR_DEPTH = 2
PROBCUT_DEPTH = 6
"""From this depth on, a search `PROBCUT_REDUCTION` plies shallower can cut, if it beats beta by `PROBCUT_MARGIN`."""
PROBCUT_REDUCTION = 4
PROBCUT_MARGIN = 30
ASPIRATION_WINDOW = 30
"""Half-width of the first window around the previous depth's score."""


def count_node(state: Words) -> bool:
    """Returns whether the search must stop."""
    state[NODES] += 1
    if state[NODES] >= state[NODE_LIMIT]:
        state[STOP] = 1
    return state[STOP] != 0


def is_repetition(state: Words, ply: int, quiet: int, key: int) -> bool:
    """Whether the position has occurred since the last capture or move of a man."""
    for back in range(4, quiet + 1, 2):  # noqa: SIM110 (compiled code has no generators)
        if state[PATH_KEYS + ply - back] == key:
            return True
    return False


def table_score(found: int, ply: int) -> int:
    if found == DRAW:
        return 0
    return TABLE_WIN - ply if found == WON else ply - TABLE_WIN


def square_of(bit: int) -> int:
    """Index of a dark square, 0 to 31."""
    return count(bit - 1) >> 1


def move_at(state: Words, i: int) -> int:
    """Origin and landing in one number; two jump sequences may share it."""
    return square_of(state[i * WORDS]) << 5 | square_of(state[i * WORDS + 1])


def quiescence(
    state: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int,
    depth: int, alpha: int, beta: int, ply: int, n: int,
) -> int:  # fmt: skip
    """The score once no jump is left and, for `THREAT_PLIES`, none threatens."""
    if count_node(state):
        return 0
    a, b, c, d = jumpers(own, other, kings, side)
    is_calm = not a | b | c | d
    if is_calm:
        a, b, c, d = steppers(own, other, kings, side)
        if not a | b | c | d:
            return ply - WIN
        if count(own | other) <= state[MAX_PIECES]:
            found = probe_wld(tables, state, own, other, kings, side)
            if found != UNKNOWN:
                return table_score(found, ply)
        a, b, c, d = jumpers(other, own, kings, 1 - side)
        if depth <= -THREAT_PLIES or not a | b | c | d:
            return evaluate(weights, own, other, kings, side)
    if n > LAST_LIST_START or ply >= MAX_PLY:
        return evaluate(weights, own, other, kings, side)
    end = write_moves(state, n, own, other, kings, side)
    best = -WIN
    for i in range(n, end):
        x, y, z, s = play(own, other, kings, side, state[i * WORDS], state[i * WORDS + 1], state[i * WORDS + 2])
        value = -quiescence(
            state, weights, tables, x, y, z, s, depth - 1 if is_calm else depth, -beta, -alpha, ply + 1, end
        )
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                if value >= beta:
                    break
    return best


def score_moves(state: Words, n: int, end: int, side: int, ply: int, first: int) -> None:
    """Orders moves: the hash move, captures by size, killers, then by history."""
    for i in range(n, end):
        move = move_at(state, i)
        if move == first:
            score = 1 << 40
        elif state[i * WORDS + 2]:
            score = count(state[i * WORDS + 2]) << 36
        elif move == state[KILLERS + 2 * ply] - 1:
            score = 1 << 35
        elif move == state[KILLERS + 2 * ply + 1] - 1:
            score = 1 << 34
        else:
            score = state[HISTORY + side * 1024 + move]
        state[MOVE_SCORES + i] = score << 8 | 255 - (i - n)


def pick_move(state: Words, n: int, i: int, end: int) -> int:
    """Selection sort: swaps the best-scored move from `i` on to the front; returns its index in the move list."""
    best, score = i, state[MOVE_SCORES + i]
    for j in range(i + 1, end):
        if state[MOVE_SCORES + j] > score:
            best, score = j, state[MOVE_SCORES + j]
    state[MOVE_SCORES + best] = state[MOVE_SCORES + i]
    return n + 255 - (score & 255)


def update_history(state: Words, ply: int, side: int, move: int, depth: int) -> None:
    """Updates killers and history after a quiet move that caused a beta cutoff."""
    if state[KILLERS + 2 * ply] != move + 1:
        state[KILLERS + 2 * ply + 1] = state[KILLERS + 2 * ply]
        state[KILLERS + 2 * ply] = move + 1
    place = HISTORY + side * 1024 + move
    state[place] += depth * depth
    if state[place] > 1 << 24:
        for i in range(HISTORY, HISTORY + 2048):
            state[i] >>= 1


def reduction(depth: int, number: int, is_pv: bool) -> int:
    """Late move reduction of a quiet move, in plies."""
    if depth < 3 or number < 3:
        return 0
    reduced = 1
    if number >= 4 and depth >= 5:
        reduced += 1
    if number >= 8 and depth >= 8:
        reduced += 1
    return reduced - 1 if is_pv else reduced


def has_choice(own: int, other: int, kings: int, side: int) -> bool:
    """Whether there are several moves and none is a jump."""
    a, b, c, d = jumpers(own, other, kings, side)
    if a | b | c | d:
        return False
    a, b, c, d = steppers(own, other, kings, side)
    return count(a) + count(b) + count(c) + count(d) > 1


def static_pruning(weights: Any, own: int, other: int, kings: int, side: int, depth: int, alpha: int, beta: int) -> int:
    """1 to fail high (reverse futility), -1 to drop into quiescence (razoring), else 0."""
    if depth > FUTILITY_DEPTH:
        return 0
    a, b, c, d = jumpers(other, own, kings, 1 - side)
    if a | b | c | d:
        return 0
    value = evaluate(weights, own, other, kings, side)
    if value >= beta + FUTILITY_MARGIN * depth:
        return 1
    return -1 if depth <= RAZOR_DEPTH and value <= alpha - RAZOR_MARGIN * depth else 0


def prefetch_move(state: Words, own: int, other: int, kings: int, side: int, depth: int, i: int) -> None:
    """Prefetches the transposition table bucket of the position after a move; quiescence doesn't use the table."""
    if depth > 1:
        x, y, z, s = play(own, other, kings, side, state[i * WORDS], state[i * WORDS + 1], state[i * WORDS + 2])
        prefetch(state, bucket(state, key_of(x, y, z, s)))


def search(
    state: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    depth: int, alpha: int, beta: int, ply: int, n: int,
) -> int:  # fmt: skip
    """The score at `depth` plies; exact between `alpha` and `beta`, otherwise a bound."""
    if depth <= 0 and quiet < 4:  # no repetition is possible, so no key is needed
        return quiescence(state, weights, tables, own, other, kings, side, min(depth, 0), alpha, beta, ply, n)
    key = key_of(own, other, kings, side)
    if quiet >= 4:
        if is_repetition(state, ply, quiet, key):
            return 0
        if quiet >= QUIET_LIMIT:
            return 0 if can_move(own, other, kings, side) else ply - WIN
    if depth <= 0 or ply >= MAX_PLY or n > LAST_LIST_START:
        return quiescence(state, weights, tables, own, other, kings, side, min(depth, 0), alpha, beta, ply, n)
    if count_node(state):
        return 0
    if count(own | other) <= state[MAX_PIECES]:
        if not can_move(own, other, kings, side):
            return ply - WIN
        found = probe_wld(tables, state, own, other, kings, side)
        if found != UNKNOWN:
            return table_score(found, ply)
    is_pv = beta - alpha > 1
    can_prune = not is_pv and not state[NO_PRUNING] and -TABLE_WIN // 2 < beta < TABLE_WIN // 2
    can_prune = can_prune and has_choice(own, other, kings, side)
    # Before the table is probed, although it may know better: the prefetch needs the time.
    pruning = static_pruning(weights, own, other, kings, side, depth, alpha, beta) if can_prune else 0
    entry = probe(state, key)
    first = -1
    if entry:
        first = move_in(entry)
        value, bound = value_in(entry, ply), bound_in(entry)
        cuts = bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)
        is_deep = depth_in(entry) == depth or (depth_in(entry) > depth and not state[NO_PRUNING])
        if cuts and is_deep and not is_pv:
            return value
    if pruning > 0:
        return beta
    if pruning < 0:
        return quiescence(state, weights, tables, own, other, kings, side, min(depth, 0), alpha, beta, ply, n)
    end = write_moves(state, n, own, other, kings, side)
    if end == n:
        return ply - WIN
    state[PATH_KEYS + ply] = key
    is_calm = state[n * WORDS + 2] == 0
    extension = 1 if end - n == 1 else 0
    depth += extension
    if can_prune and depth >= PROBCUT_DEPTH:
        probcut_beta = beta + PROBCUT_MARGIN
        value = search(
            state, weights, tables, own, other, kings, side, quiet, depth - PROBCUT_REDUCTION,
            probcut_beta - 1, probcut_beta, ply, end,
        )  # fmt: skip
        if value >= probcut_beta:
            return beta
    score_moves(state, n, end, side, ply, first)
    best, best_move, start_alpha = -WIN, 0, alpha
    next_i = pick_move(state, n, n, end)
    prefetch_move(state, own, other, kings, side, depth, next_i)
    for number in range(end - n):
        i = next_i
        if number + 1 < end - n:
            next_i = pick_move(state, n, n + number + 1, end)
            prefetch_move(state, own, other, kings, side, depth, next_i)
        origin, landing, taken = state[i * WORDS], state[i * WORDS + 1], state[i * WORDS + 2]
        x, y, z, s = play(own, other, kings, side, origin, landing, taken)
        next_quiet = quiet + 1 if taken == 0 and kings & origin else 0
        reduced = reduction(depth, number, is_pv) if is_calm and not state[NO_PRUNING] else 0
        value = alpha + 1
        if number > 0:
            value = -search(
                state, weights, tables, x, y, z, s, next_quiet, depth - 1 - reduced, -alpha - 1, -alpha, ply + 1, end
            )
            if value > alpha and reduced:
                value = -search(
                    state, weights, tables, x, y, z, s, next_quiet, depth - 1, -alpha - 1, -alpha, ply + 1, end
                )
        if number == 0 or (value > alpha and value < beta and is_pv):
            value = -search(state, weights, tables, x, y, z, s, next_quiet, depth - 1, -beta, -alpha, ply + 1, end)
        if state[STOP]:
            return 0
        if value > best:
            best, best_move = value, square_of(origin) << 5 | square_of(landing)
            alpha = max(alpha, value)
            if value >= beta:
                if is_calm:
                    update_history(state, ply, side, best_move, depth)
                break
    bound = LOWER if best >= beta else EXACT if best > start_alpha else UPPER
    store(state, key, ply, best, min(depth - extension, 255), bound, best_move)
    return best


def move_to_front(state: Words, first: int, i: int) -> None:
    """Moves a root move ahead of those from `first` on, whose order stays the same."""
    for word in range(WORDS):
        kept = state[i * WORDS + word]
        for j in range(i, first, -1):
            state[j * WORDS + word] = state[(j - 1) * WORDS + word]
        state[first * WORDS + word] = kept


def sort_root_moves(state: Words, lines: int) -> None:
    """Sorts the lines by score, since a later line may score better than an earlier one."""
    for i in range(1, lines):
        value, place = state[ROOT_SCORES + i], i
        while place > 0 and state[ROOT_SCORES + place - 1] < value:
            state[ROOT_SCORES + place] = state[ROOT_SCORES + place - 1]
            place -= 1
        state[ROOT_SCORES + place] = value
        move_to_front(state, FIRST_MOVE + place, FIRST_MOVE + i)


def search_root(
    state: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    depth: int, alpha: int, beta: int, first: int, end: int,
) -> int:  # fmt: skip
    """The best score of the moves from `first` on; brings that move to the front."""
    ply = min(depth, 1)  # always 1; a literal would make Numba compile a second specialization of `search`
    best = -WIN
    for i in range(first, end):
        origin, landing, taken = state[i * WORDS], state[i * WORDS + 1], state[i * WORDS + 2]
        x, y, z, s = play(own, other, kings, side, origin, landing, taken)
        next_quiet = quiet + 1 if taken == 0 and kings & origin else 0
        value = alpha + 1
        if i > first:
            value = -search(state, weights, tables, x, y, z, s, next_quiet, depth - 1, -alpha - 1, -alpha, ply, end)
        if i == first or alpha < value < beta:
            value = -search(state, weights, tables, x, y, z, s, next_quiet, depth - 1, -beta, -alpha, ply, end)
        if state[STOP]:
            return best
        if value > best:
            best = value
            if value > alpha or i == first:
                move_to_front(state, first, i)
                state[ROOT_SCORES + first - FIRST_MOVE] = value
            alpha = max(alpha, value)
            if value >= beta:
                return best
    return best


def aspiration_search(
    state: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    depth: int, first: int, end: int,
) -> int:  # fmt: skip
    """Searches with a narrow window around the last score, and widens the window if the search fails."""
    guess, width = state[ROOT_SCORES + first - FIRST_MOVE], ASPIRATION_WINDOW
    alpha, beta = (guess - width, guess + width) if depth > 4 else (-WIN, WIN)
    while True:
        value = search_root(state, weights, tables, own, other, kings, side, quiet, depth, alpha, beta, first, end)
        if state[STOP] or alpha < value < beta:
            return value
        if value <= alpha:
            if alpha <= -WIN:
                return value
            alpha = value - width if width < 500 else -WIN
        else:
            if beta >= WIN:
                return value
            beta = value + width if width < 500 else WIN
        width *= 4


def iterative_deepening(
    state: Words, weights: Any, tables: Any, own: int, other: int, kings: int, side: int, quiet: int,
    max_depth: int, lines: int,
) -> int:  # fmt: skip
    """Searches one ply deeper each time until stopped or a win is proven; returns the best line's score.

    The best moves then head the move list, and `ROOT_SCORES` has their scores. If a depth was cut short, the lines
    that it had completed count.
    """
    state[NODES] = state[DEPTH] = 0
    state[AGE] += 1
    state[PATH_KEYS] = key_of(own, other, kings, side)
    end = write_moves(state, FIRST_MOVE, own, other, kings, side)
    state[ROOT_MOVE_COUNT] = end - FIRST_MOVE
    lines = min(lines, end - FIRST_MOVE)
    if lines == 0:
        return -WIN
    for line in range(lines):
        state[ROOT_SCORES + line] = 0
    for depth in range(1, max_depth + 1):
        for line in range(lines):
            if not state[STOP]:
                aspiration_search(
                    state, weights, tables, own, other, kings, side, quiet, depth, FIRST_MOVE + line, end
                )  # fmt: skip
        sort_root_moves(state, lines)
        if state[STOP]:
            break
        state[DEPTH] = depth
        if lines == 1 and abs(state[ROOT_SCORES]) > WIN - 1 - depth:
            break
    return state[ROOT_SCORES]
