from __future__ import annotations

import pytest
from tests.engines.checkers.boards import Four, mirrored, some

from ludus.core.kernel import compiled
from ludus.engines.checkers import search
from ludus.engines.checkers.endgames.kernel import UNKNOWN, probe_wld
from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables
from ludus.engines.checkers.evaluation import evaluate
from ludus.engines.checkers.search import THREAT_PLIES, WIN, table_score
from ludus.engines.checkers.state import FIRST_MOVE, NO_PRUNING, NODE_LIMIT, NODES, ROOT_SCORES, new_state
from ludus.engines.checkers.weights import packaged
from ludus.games.checkers import kernel

WEIGHTS = packaged().tolist()
TABLES = EndgameTables(PACKAGED)
BITS = 12


def children(position: Four) -> list[tuple[Four, bool]]:
    """Positions after each move, and whether it was a jump."""
    words = [0] * (kernel.MOST_MOVES * kernel.WORDS)
    end = kernel.write_moves(words, 0, *position) * kernel.WORDS
    return [
        (kernel.play(*position, words[i], words[i + 1], words[i + 2]), words[i + 2] != 0)
        for i in range(0, end, kernel.WORDS)
    ]


def settled(position: Four, depth: int, ply: int) -> int:
    """What `quiescence` should return, by exhaustive search."""
    moves = children(position)
    if not moves:
        return ply - WIN
    own, other, kings, side = position
    if not moves[0][1]:
        if (found := probe_wld(TABLES.wld, TABLES.layout, *position)) != UNKNOWN:
            return table_score(int(found), ply)
        if depth <= -THREAT_PLIES or not any(kernel.jumpers(other, own, kings, 1 - side)):
            return evaluate(WEIGHTS, *position)
    return max(-settled(after, depth if is_jump else depth - 1, ply + 1) for after, is_jump in moves)


def minimax(position: Four, depth: int, ply: int) -> int:
    """What a search without pruning should return."""
    if depth <= 0:
        return settled(position, 0, ply)
    moves = children(position)
    if not moves:
        return ply - WIN
    if ply and (found := probe_wld(TABLES.wld, TABLES.layout, *position)) != UNKNOWN:
        return table_score(int(found), ply)
    depth += ply > 0 and len(moves) == 1
    return max(-minimax(after, depth - 1, ply + 1) for after, _ in moves)


def searched(position: Four, depth: int, *, no_pruning: bool = False) -> int:
    state = new_state(BITS, TABLES.layout)
    state[NODE_LIMIT], state[NO_PRUNING] = 1 << 60, no_pruning
    return int(compiled(search).iterative_deepening(state, packaged(), TABLES.wld, *position, 0, depth, 1))


@pytest.mark.parametrize("seed", range(10))
def test_a_search_without_pruning_equals_minimax(seed: int) -> None:
    for position in some(8, seed):
        assert searched(position, 3, no_pruning=True) == minimax(position, 3, 0)


def test_the_first_ply_is_not_pruned() -> None:
    for position in some(200, 7):
        assert searched(position, 1) == minimax(position, 1, 0)


@pytest.mark.parametrize("position", some(20, 3))
def test_a_mirrored_position_has_the_mirrored_value(position: Four) -> None:
    assert searched(position, 2, no_pruning=True) == searched(mirrored(position), 2, no_pruning=True)


def test_compiled_and_plain_searches_agree() -> None:
    for position in some(6, 5):
        fast, slow = (new_state(BITS, TABLES.layout) for _ in range(2))
        slow_words = slow.tolist()
        fast[NODE_LIMIT] = slow_words[NODE_LIMIT] = 400
        compiled(search).iterative_deepening(fast, packaged(), TABLES.wld, *position, 0, 9, 2)
        search.iterative_deepening(slow_words, WEIGHTS, TABLES.wld.tolist(), *position, 0, 9, 2)
        assert slow_words == fast.tolist()


def test_a_node_limit_is_kept() -> None:
    state = new_state(BITS, TABLES.layout)
    state[NODE_LIMIT] = 5_000
    compiled(search).iterative_deepening(
        state, packaged(), TABLES.wld, kernel.FIRST_START, kernel.SECOND_START, 0, 0, 0, 50, 1
    )
    assert 5_000 <= state[NODES] <= 5_001


def test_lines_come_best_first() -> None:
    state = new_state(BITS, TABLES.layout)
    state[NODE_LIMIT] = 1 << 60
    compiled(search).iterative_deepening(
        state, packaged(), TABLES.wld, kernel.FIRST_START, kernel.SECOND_START, 0, 0, 0, 7, 7
    )
    values = state[ROOT_SCORES : ROOT_SCORES + 7].tolist()
    assert values == sorted(values, reverse=True)
    origins = {
        tuple(state[i * kernel.WORDS : i * kernel.WORDS + 2].tolist()) for i in range(FIRST_MOVE, FIRST_MOVE + 7)
    }
    assert len(origins) == 7


@pytest.mark.parametrize(
    ("number", "depth", "less"), [(0, 9, 0), (2, 9, 0), (3, 2, 0), (3, 9, 1), (4, 9, 2), (8, 9, 3)]
)
def test_later_moves_are_reduced_more(number: int, depth: int, less: int) -> None:
    assert search.reduction(depth, number, False) == less
