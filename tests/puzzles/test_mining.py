"""Which positions become puzzles, and what is said about them."""

from __future__ import annotations

from itertools import islice

import pytest
from tests.puzzles.test_puzzle import OPENING, TWO_FOR_ONE

from ludus.engines.levels import LEVELS
from ludus.games import GAMES
from ludus.puzzles import Puzzle
from ludus.puzzles.adapter import adapter
from ludus.puzzles.backgammon.beginner import beginner_plays
from ludus.puzzles.checking import check_puzzle
from ludus.puzzles.collection import key_of
from ludus.puzzles.difficulty import rating_of
from ludus.puzzles.mining import mine, mine_game, puzzle_of
from ludus.puzzles.puzzle import id_of
from ludus.puzzles.sources import SelfPlay, SourceGame


def found(game: str, position: str) -> Puzzle | None:
    return puzzle_of(game, GAMES[game].notation.read_position(position), "test, move 1")


def test_a_shot_is_found_with_its_line_and_its_themes() -> None:
    puzzle = found("checkers", TWO_FOR_ONE)
    assert puzzle is not None and puzzle.id == id_of("checkers", TWO_FOR_ONE)
    assert puzzle.moves == ("22-18", "15x22", "26x3")
    assert puzzle.themes == ("win", "shot", "three_for_one", "crown", "midgame")
    assert check_puzzle(puzzle, 10).problem is None


@pytest.mark.parametrize(
    ("game", "position"),
    [
        ("checkers", "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"),  # many moves are good
        ("checkers", "B:W18:B1,2,3,14"),  # everything wins
        ("checkers", "B:W18,19,32:B14,15"),  # fewer than three moves
        ("backgammon", OPENING),  # a beginner makes the point
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:21:0:0:0:0:10"),  # many plays are good
        ("backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:12"),  # nobody doubles here
    ],
)
def test_what_is_unclear_or_clear_to_anyone_is_no_puzzle(game: str, position: str) -> None:
    assert found(game, position) is None


def test_a_piece_that_is_simply_there_to_be_won_is_obvious() -> None:
    rules = GAMES["checkers"]
    position = rules.notation.read_position("B:W18,25,29:B14,15")
    move = rules.notation.read_move(position, "14x23")  # 15x22 is taken back
    assert adapter("checkers").is_obvious(rules, position, move)
    shot = rules.notation.read_position(TWO_FOR_ONE)
    assert not adapter("checkers").is_obvious(rules, shot, rules.notation.read_move(shot, "22-18"))


@pytest.mark.parametrize(
    ("position", "plays"),
    [
        (OPENING, {"8/5 6/5"}),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:53:0:0:0:0:10", {"8/3 6/3"}),
        ("XGID=-a---aE-C---eD-A-c-d-----A:0:0:1:41:0:0:0:0:10", {"bar/21 6/5*"}),
    ],
)
def test_beginners_hit_and_make_points(position: str, plays: set[str]) -> None:
    rules = GAMES["backgammon"]
    here = rules.notation.read_position(position)
    assert {rules.notation.write_move(here, move) for move in beginner_plays(rules, here)} == plays


@pytest.mark.parametrize("game", GAMES)
def test_a_position_and_its_mirror_image_are_one_puzzle(game: str) -> None:
    rules, mirrored = GAMES[game], adapter(game).mirrored
    played = SelfPlay(game, 5).game(0)
    for position in filter(rules.moves, played.positions[1:30:3]):
        turned = mirrored(position)
        assert turned != position and mirrored(turned) == position
        assert len(rules.moves(turned)) == len(rules.moves(position))
        puzzles = [
            Puzzle("", game, rules.notation.write_position(each), (), 1.0, 1000, (), "") for each in (position, turned)
        ]
        assert key_of(puzzles[0]) == key_of(puzzles[1])


def test_two_puzzles_of_a_game_are_apart() -> None:
    position = GAMES["checkers"].notation.read_position(TWO_FOR_ONE)
    puzzles = mine_game("checkers", SourceGame([position] * 12, "test")).puzzles
    assert [puzzle.source for puzzle in puzzles] == ["test, move 1", "test, move 11"]


def test_the_same_seed_gives_the_same_puzzles_on_one_process_and_on_two() -> None:
    one, two = ([*islice(mine("checkers", SelfPlay("checkers", 3), jobs), 2)] for jobs in (1, 2))
    assert one == two and any(each.puzzles for each in one)


def test_what_only_strong_levels_solve_is_rated_higher() -> None:
    ratings = [rating_of({level: float(at >= weakest) for at, level in enumerate(LEVELS)}) for weakest in range(6)]
    assert ratings == sorted(ratings) and ratings[0] < 900 and 1500 < ratings[5] < 2000


def test_a_wrong_solution_fails_the_check() -> None:
    puzzle = found("checkers", TWO_FOR_ONE)
    assert puzzle is not None
    wrong = check_puzzle(puzzle._replace(moves=("22-17",)), 1)
    assert wrong.problem is not None and wrong.problem.startswith("22-17 beats the second best by -")
