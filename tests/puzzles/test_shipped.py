"""The puzzles in the package: legal, none twice, and solved by the engine as the file says."""

from __future__ import annotations

import pytest

from ludus.core.cores import cores
from ludus.engines import analyst
from ludus.games import GAMES
from ludus.puzzles import Puzzle, puzzles, read, write
from ludus.puzzles.adapter import adapter
from ludus.puzzles.checking import check
from ludus.puzzles.collection import key_of
from ludus.puzzles.puzzle import solver_moves

SAMPLE = 12
"""Puzzles that the engine solves again here; the deep test below does it with all, and deeper."""
TIMES = 10
"""How many times the search of mining each puzzle is checked with."""
ROUNDING = 0.005
"""Processors may differ in the last digit of a margin."""


@pytest.mark.parametrize("game", GAMES)
def test_every_shipped_puzzle_is_legal_and_has_a_source_and_known_themes(game: str) -> None:
    shipped = puzzles(game)
    assert read(write(shipped)) == list(shipped)
    assert all(puzzle.game == game and " move " in puzzle.source for puzzle in shipped)
    assert {theme for puzzle in shipped for theme in puzzle.themes} <= set(adapter(game).vocabulary)


@pytest.mark.parametrize("game", GAMES)
def test_no_puzzle_is_shipped_twice_or_mirrored(game: str) -> None:
    assert len({key_of(puzzle) for puzzle in puzzles(game)}) == len(puzzles(game)) >= 300


@pytest.mark.parametrize("game", GAMES)
def test_shipped_puzzles_have_a_choice_and_the_margin_of_their_game(game: str) -> None:
    for puzzle in puzzles(game):
        position, _ = solver_moves(puzzle)[0]
        assert adapter(game).has_choice(GAMES[game], position) and puzzle.margin >= adapter(game).margin


def sample() -> list[Puzzle]:
    return [each for game in GAMES for each in puzzles(game)[:: max(1, len(puzzles(game)) // SAMPLE)][:SAMPLE]]


@pytest.mark.parametrize("puzzle", sample(), ids=lambda puzzle: puzzle.id)
def test_the_engine_finds_the_solution_and_nothing_as_good(puzzle: Puzzle) -> None:
    rules = GAMES[puzzle.game]
    for position, move in solver_moves(puzzle):
        lines = analyst(puzzle.game).analyse(rules, position, adapter(puzzle.game).limit, (), 2)
        assert lines[0].move == move
        assert len(lines) == 1 or lines[0].value - lines[1].value >= adapter(puzzle.game).margin / 2


@pytest.mark.deep
@pytest.mark.parametrize("game", GAMES)
def test_every_puzzle_has_one_best_move_by_the_margin_it_states_at_ten_times_the_depth(game: str) -> None:
    """As `ludus puzzles check` does it; checkers takes three minutes of one core, backgammon half a minute."""
    checked = list(check(puzzles(game), TIMES, cores()))
    assert len(checked) == len(puzzles(game))
    assert {each.puzzle.id: each.problem for each in checked if each.problem} == {}
    for puzzle, again in zip(puzzles(game), checked, strict=True):
        assert again.puzzle.margin == pytest.approx(puzzle.margin, abs=ROUNDING), puzzle.id
