"""Counts of all lines of play against published tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ludus.core.kernel import compiled, new_words
from ludus.games.checkers import kernel
from ludus.games.checkers.rules import Checkers

SHALLOW, COMPILED, DEEP = 6_000, 100_000_000, 8_000_000_000
"""How many lines are counted in the interpreter, in a test run, and by `make bench`."""


def table() -> list[tuple[str, int, int]]:
    text = (Path(__file__).parent / "perft.txt").read_text()
    rows = [row.split(": ") for row in text.splitlines() if row and not row.startswith("#")]
    return [(fen, depth, int(n)) for _, fen, counts in rows for depth, n in enumerate(counts.split(), 1)]


@pytest.fixture(scope="module")
def quick() -> Checkers:
    return Checkers().compiled()


@pytest.mark.parametrize(("fen", "depth", "lines"), [row for row in table() if row[2] <= SHALLOW])
def test_interpreted_counts_are_the_published_ones(fen: str, depth: int, lines: int) -> None:
    rules = Checkers()
    assert rules.perft(rules.notation.read_position(fen), depth) == lines


@pytest.mark.parametrize(("fen", "depth", "lines"), [row for row in table() if row[2] <= COMPILED])
def test_compiled_counts_are_the_published_ones(quick: Checkers, fen: str, depth: int, lines: int) -> None:
    assert quick.perft(quick.notation.read_position(fen), depth) == lines


@pytest.mark.deep
@pytest.mark.parametrize(("fen", "depth", "lines"), [row for row in table() if COMPILED < row[2] <= DEEP])
def test_deep_counts_are_the_published_ones(quick: Checkers, fen: str, depth: int, lines: int) -> None:
    assert quick.perft(quick.notation.read_position(fen), depth) == lines


def merged(start: tuple[int, int, int, int], depth: int) -> int:
    fast: Any = compiled(kernel)
    return int(fast.perft(*start, depth, True, new_words(fast, depth * kernel.MOST_MOVES * kernel.WORDS), 0))


START = (kernel.FIRST_START, kernel.SECOND_START, 0, 0)


def test_two_ways_round_a_circle_have_one_result() -> None:
    position = Checkers().notation.read_position("W:WK7:B10,11,18,19")
    assert merged((position.own, position.other, position.kings, 1), 1) == 1


@pytest.mark.parametrize(("depth", "lines"), [(8, 845_931), (10, 18_391_564)])
def test_merging_changes_nothing_early(depth: int, lines: int) -> None:
    assert merged(START, depth) == lines


@pytest.mark.deep
@pytest.mark.parametrize(("depth", "lines"), [(12, 388_617_999), (13, 1_766_564_893)])
def test_merged_counts_differ_from_depth_twelve_on(depth: int, lines: int) -> None:
    assert merged(START, depth) == lines
