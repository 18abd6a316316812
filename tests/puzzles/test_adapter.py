"""What games without puzzles of their own get."""

from __future__ import annotations

from ludus.engines import Limit
from ludus.puzzles.adapter import PuzzleAdapter, adapter


def test_a_game_without_an_adapter_has_puzzles_where_all_moves_but_one_are_blunders() -> None:
    assert adapter("no-such-game") == PuzzleAdapter(margin=0.5, limit=Limit(seconds=0.5))


def test_a_check_searches_more_of_what_the_limit_counts() -> None:
    assert PuzzleAdapter(0.5, Limit(seconds=0.5, nodes=1000, depth=7)).deeper(10) == Limit(5.0, 10_000, 7)
    assert adapter("checkers").deeper(10) == Limit(nodes=3_000_000)
    assert adapter("backgammon").deeper(10) == Limit(depth=2)
    assert adapter("backgammon").deeper(9) == Limit(depth=1)
