from __future__ import annotations

import pytest
from tests.engines.checkers.boards import Four, mirrored, some

from ludus.core.kernel import compiled
from ludus.engines.checkers import root, search
from ludus.engines.checkers.endgames.kernel import UNKNOWN, probe
from ludus.engines.checkers.endgames.tables import PACKAGED, Tables
from ludus.engines.checkers.evaluation import evaluate
from ludus.engines.checkers.memory import FIRST_MOVE, IS_FULL, NODE_LIMIT, NODES, VALUES, new_memory
from ludus.engines.checkers.search import THREATS, WIN, table_value
from ludus.engines.checkers.weights import packaged
from ludus.games.checkers import kernel

WEIGHTS = packaged().tolist()
TABLES = Tables(PACKAGED)
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
    """What `settle` should find, by looking at everything."""
    moves = children(position)
    if not moves:
        return ply - WIN
    own, other, kings, side = position
    if not moves[0][1]:
        if (found := probe(TABLES.wld, TABLES.layout, *position)) != UNKNOWN:
            return table_value(int(found), ply)
        if depth <= -THREATS or not any(kernel.jumpers(other, own, kings, 1 - side)):
            return evaluate(WEIGHTS, *position)
    return max(-settled(after, depth if is_jump else depth - 1, ply + 1) for after, is_jump in moves)


def minimax(position: Four, depth: int, ply: int) -> int:
    """What a search that leaves nothing out should find."""
    if depth <= 0:
        return settled(position, 0, ply)
    moves = children(position)
    if not moves:
        return ply - WIN
    if ply and (found := probe(TABLES.wld, TABLES.layout, *position)) != UNKNOWN:
        return table_value(int(found), ply)
    depth += ply > 0 and len(moves) == 1
    return max(-minimax(after, depth - 1, ply + 1) for after, _ in moves)


def searched(position: Four, depth: int, *, is_full: bool = False) -> int:
    memory = new_memory(BITS, TABLES.layout)
    memory[NODE_LIMIT], memory[IS_FULL] = 1 << 60, is_full
    return int(compiled(root).deepen(memory, packaged(), TABLES.wld, *position, 0, depth, 1))


@pytest.mark.parametrize("seed", range(10))
def test_a_full_search_finds_what_minimax_finds(seed: int) -> None:
    for position in some(8, seed):
        assert searched(position, 3, is_full=True) == minimax(position, 3, 0)


def test_the_first_ply_leaves_nothing_out() -> None:
    for position in some(200, 7):
        assert searched(position, 1) == minimax(position, 1, 0)


@pytest.mark.parametrize("position", some(20, 3))
def test_a_mirrored_position_has_the_mirrored_value(position: Four) -> None:
    assert searched(position, 2, is_full=True) == searched(mirrored(position), 2, is_full=True)


def test_the_interpreter_searches_as_machine_code_does() -> None:
    for position in some(6, 5):
        fast, slow = (new_memory(BITS, TABLES.layout) for _ in range(2))
        slow_words = slow.tolist()
        fast[NODE_LIMIT] = slow_words[NODE_LIMIT] = 400
        compiled(root).deepen(fast, packaged(), TABLES.wld, *position, 0, 9, 2)
        root.deepen(slow_words, WEIGHTS, TABLES.wld.tolist(), *position, 0, 9, 2)
        assert slow_words == fast.tolist()


def test_a_node_limit_is_kept() -> None:
    memory = new_memory(BITS, TABLES.layout)
    memory[NODE_LIMIT] = 5_000
    compiled(root).deepen(memory, packaged(), TABLES.wld, kernel.FIRST_START, kernel.SECOND_START, 0, 0, 0, 50, 1)
    assert 5_000 <= memory[NODES] <= 5_001


def test_lines_come_best_first() -> None:
    memory = new_memory(BITS, TABLES.layout)
    memory[NODE_LIMIT] = 1 << 60
    compiled(root).deepen(memory, packaged(), TABLES.wld, kernel.FIRST_START, kernel.SECOND_START, 0, 0, 0, 7, 7)
    values = memory[VALUES : VALUES + 7].tolist()
    assert values == sorted(values, reverse=True)
    origins = {
        tuple(memory[i * kernel.WORDS : i * kernel.WORDS + 2].tolist()) for i in range(FIRST_MOVE, FIRST_MOVE + 7)
    }
    assert len(origins) == 7


@pytest.mark.parametrize(
    ("number", "depth", "less"), [(0, 9, 0), (2, 9, 0), (3, 2, 0), (3, 9, 1), (4, 9, 2), (8, 9, 3)]
)
def test_later_moves_are_looked_at_less_deep(number: int, depth: int, less: int) -> None:
    assert search.reduction(depth, number, False) == less
