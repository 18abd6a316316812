from __future__ import annotations

from typing import Any

import pytest

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.engine import Limit, Line
from ludus.engines.resignation import is_enough, value_of
from ludus.engines.review import MoveReview, assess, glyph, review, summary
from ludus.engines.statistics import statistics
from ludus.engines.study import MoveKind
from ludus.games import GAMES
from ludus.games.backgammon.position import Cube, Resignation, Stage

RULES = GAMES["backgammon"]
START = RULES.start("standard")


@pytest.mark.parametrize(
    ("win", "value", "chances", "enough"),
    [
        (1, -0.4, (0.3, 0, 0, 0.2, 0), True),
        (1, -1.2, (0, 0, 0, 0.2, 0), False),
        (1, -1.005, (0, 0, 0, 0.005, 0), True),
        (2, -2.3, (0, 0, 0, 1, 0), True),
        (2, -2.3, (0, 0, 0, 1, 0.3), False),
        (3, -2.9, (0, 0, 0, 1, 1), True),
    ],
)
def test_a_resignation_is_accepted_if_it_is_as_good_as_playing_on(
    win: int, value: float, chances: tuple[float, ...], enough: bool
) -> None:
    loser = Line("a move", value, chances=chances)
    assert is_enough(RULES, START, win, loser, is_winners=False) == enough
    winner = Line("a move", -value, chances=(1 - chances[0], *chances[3:], *chances[1:3]))
    assert is_enough(RULES, START, win, winner, is_winners=True) == enough


def test_where_there_is_one_kind_of_win_it_is_enough() -> None:
    checkers = GAMES["checkers"]
    assert is_enough(checkers, checkers.start("standard"), 1, Line("a move", -1.5), is_winners=False)


@pytest.mark.parametrize(("win", "value", "enough"), [(1, -1.6, True), (1, -2.2, False), (2, -3.9, True)])
def test_after_a_beaver_a_single_game_is_worth_twice_the_cube(win: int, value: float, enough: bool) -> None:
    """Values are in units of the cube before the double."""
    beavered = START._replace(mover=Player.FIRST, cube=Cube(2, Player.FIRST, Stage.BEAVERED, has_beavers=True))
    line = Line("take", value, chances=(0.1, 0, 0, 0.3, 0.1))
    assert is_enough(RULES, beavered, win, line, is_winners=False) == enough


def resigned(start: str, win: int, player: Player = Player.FIRST) -> Game[Any, Any]:
    game: Game[Any, Any] = Game(RULES, start=RULES.notation.read_position(start))
    game.play(Resignation(player, win))
    return game


OPENING = "XGID=-b----E-C---eE---c-e----B-:{cube}:31:{score}:10"
"""White has rolled 31 at the start, and is a little ahead."""


@pytest.mark.parametrize(
    ("cube", "win", "value"), [("0:0:1", 1, -1), ("0:0:1", 2, -2), ("1:1:1", 3, -3), ("2:-1:1", 2, -2)]
)
@pytest.mark.parametrize("player", Player)
def test_for_money_a_resignation_is_worth_the_kind_of_win_whatever_the_cube(
    cube: str, win: int, value: int, player: Player
) -> None:
    game = resigned(OPENING.format(cube=cube, score="0:0:2:0"), win, player)
    assert value_of(game, 0, player) == value


@pytest.mark.parametrize(("score", "win", "player", "value"), [
    ("0:0:0:5", 1, Player.FIRST, -1),
    ("4:4:0:5", 1, Player.SECOND, -1),
    ("4:4:0:5", 2, Player.SECOND, -1),
    ("0:4:1:5", 2, Player.FIRST, -1),
    ("0:4:1:5", 1, Player.SECOND, -1),
])  # fmt: skip
def test_beyond_the_points_that_decide_a_match_nothing_is_lost(
    score: str, win: int, player: Player, value: float
) -> None:
    game = resigned(OPENING.format(cube="0:0:1", score=score), win, player)
    assert value_of(game, 0, player) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("player", Player)
def test_two_points_of_two_lose_more_than_twice_as_much_as_one(player: Player) -> None:
    """At 3-3 in a match to 5 a gammon loses all, and a single game leads to the Crawford game at 3-4."""
    game = resigned(OPENING.format(cube="0:0:1", score="3:3:0:5"), 2, player)
    assert -4 < value_of(game, 0, player) < -2.5


def reviewed(game: Game[Any, Any]) -> list[MoveReview]:
    return list(review(game, lambda position, *rest: assess(RULES, position, Limit(depth=0), *rest)))


def test_to_concede_a_gammon_and_the_match_from_the_better_side_is_a_blunder() -> None:
    game = resigned(OPENING.format(cube="0:0:1", score="3:3:0:5"), 2)
    [found] = reviewed(game)
    assert found.kind is MoveKind.RESIGNATION and not found.is_forced and not found.is_decision
    assert found.value == pytest.approx(value_of(game, 0, Player.FIRST), abs=1e-3)
    assert found.cost > 1.5 and glyph("backgammon", found.cost) == "??"
    assert summary("backgammon", [found], Player.FIRST).decisions == 0, "it is not counted in the rates"


def test_a_resignation_in_the_others_turn_is_charged_to_the_one_who_resigned() -> None:
    found = reviewed(resigned(OPENING.format(cube="0:0:1", score="0:0:0:0"), 1, Player.SECOND))[0]
    assert found.player is Player.SECOND
    [line] = found.lines
    assert (found.value, -0.4 < line.value < 0, 0.4 < line.chances[0] < 0.5) == (-1, True, True)
    assert 0.6 < found.cost < 1


def test_the_luck_of_the_roll_stays_with_the_one_who_rolled() -> None:
    game: Game[Any, Any] = Game(RULES)
    for move in ("6-3", "24/18 13/10", "6-6", "white resigns 1"):
        game.play(move)
    reviews = reviewed(game)
    assert reviews[0].player is Player.FIRST and reviews[0].luck is not None
    found = statistics(game, reviews)
    assert found is not None and found[1].luck == reviews[0].luck


def test_a_resignation_of_what_is_surely_lost_costs_nothing() -> None:
    """White has one man left to bear in and off; black bears off the last one next."""
    [found] = reviewed(resigned("XGID=-A----A-----------------a-:0:0:1:21:0:0:0:0:10", 1))
    assert (found.value, found.cost, found.is_decision) == (-1, 0, False)


def test_who_concedes_less_than_is_lost_gives_nothing_away() -> None:
    """White, with all men in black's home, is about to lose a gammon at least."""
    [found] = reviewed(resigned("XGID=--------------------O---b-:0:0:1:21:0:0:0:0:10", 1))
    assert (found.value, found.cost) == (found.best.value, 0) and found.value < -1.9
