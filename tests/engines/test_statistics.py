"""Error rates, luck and results, on games whose numbers can be worked out by hand."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines import Limit, adapter
from ludus.engines.backgammon.cube.met import match_equity
from ludus.engines.engine import Line, roll
from ludus.engines.review import MoveReview, assess, review
from ludus.engines.statistics import Statistics, luck_mark, statistics
from ludus.engines.study import CubeEquities, MoveKind
from ludus.games import GAMES
from ludus.games.backgammon.position import Cube, Position, men

RULES = GAMES["backgammon"]
AHEAD = CubeEquities(0.5, 0.7, 1.0)
BEHIND = CubeEquities(0.1, -0.1, 1.0)


def two_moves(outcome: bool = True) -> Game[Any, Any]:
    """A roll and a play of each side; then black resigns a gammon."""
    game: Game[Any, Any] = Game(RULES)
    for move in ("6-3", "24/18 13/10", "5-1", "13/8 6/5"):
        game.play(move)
    if outcome:
        game.resign(Player.SECOND, 2)
    return game


def made(ply: int, player: Player, cost: float, luck: float | None = None, stake: float = 1.0) -> MoveReview:
    return MoveReview(ply, player, "played", (Line("best", 0.5),), 0.5 - cost, False, luck=luck, stake=stake)


def of_both(*reviews: MoveReview, outcome: bool = True) -> tuple[Statistics, Statistics]:
    found = statistics(two_moves(outcome), reviews)
    assert found is not None
    return found


def test_the_performance_rating_is_500_times_the_average_error() -> None:
    first, second = of_both(made(1, Player.FIRST, 0.03), made(3, Player.SECOND, 0.0))
    assert (first.pr, second.pr) == pytest.approx((15, 0))
    assert (first.rating, second.rating) == ("intermediate", "world_champion")


def test_the_snowie_error_rate_counts_the_moves_of_both_players() -> None:
    first, second = of_both(made(1, Player.FIRST, 0.03), made(3, Player.SECOND, 0.01))
    assert (first.snowie_error_rate, second.snowie_error_rate) == pytest.approx((15, 5))


def test_forced_moves_count_for_the_snowie_error_rate_only() -> None:
    first, _ = of_both(made(1, Player.FIRST, 0.03), made(3, Player.FIRST, 0)._replace(is_forced=True))
    assert (first.pr, first.snowie_error_rate) == pytest.approx((15, 15))


def test_the_result_without_luck_is_less_for_the_lucky_one() -> None:
    first, second = of_both(made(1, Player.FIRST, 0, luck=0.5, stake=2), made(3, Player.SECOND, 0, luck=-0.25))
    assert (first.luck, second.luck) == (0.5, -0.25)
    assert (first.result, second.result) == (2, -2)
    assert (first.luck_adjusted, second.luck_adjusted) == (2 - (0.5 * 2 + 0.25), -2 + (0.5 * 2 + 0.25))


def test_luck_counts_in_the_result_for_what_is_at_stake() -> None:
    """In a match, much luck in the first game may be worth less than a little in the last."""
    lucky = made(1, Player.FIRST, 0, luck=-0.5, stake=0.1), made(3, Player.FIRST, 0, luck=0.25, stake=0.5)
    first, second = of_both(*lucky)
    assert (first.luck, first.result_luck) == pytest.approx((-0.25, 0.075))
    assert (second.luck, second.result_luck) == (0, 0)
    assert first.luck_adjusted == pytest.approx(2 - 0.075)


def test_without_a_result_or_with_moves_missing_nothing_is_adjusted() -> None:
    moves = made(1, Player.FIRST, 0, luck=0.5), made(3, Player.SECOND, 0)
    assert of_both(*moves, outcome=False)[0].luck_adjusted is None
    assert of_both(*moves[:1])[0].luck_adjusted is None


def test_nobody_is_rated_without_a_decision() -> None:
    assert (of_both()[0].pr, of_both()[0].rating, of_both()[0].snowie_error_rate) == (None, None, None)


def test_checkers_has_no_such_figures() -> None:
    assert statistics(Game(GAMES["checkers"]), []) is None


def cube_move(kind: MoveKind, cost: float, cube: CubeEquities) -> MoveReview:
    return made(1, Player.FIRST, cost)._replace(kind=kind, cube=cube)


def test_cube_errors_are_counted_apart_and_named() -> None:
    first, second = of_both(
        made(1, Player.FIRST, 0.01),
        cube_move(MoveKind.NO_DOUBLE, 0.2, AHEAD),
        cube_move(MoveKind.DOUBLE, 0.2, BEHIND),
        cube_move(MoveKind.TAKE, 0.1, AHEAD),
        cube_move(MoveKind.DROP, 0.0, AHEAD),
    )
    assert (first.checker.decisions, first.cube.decisions, first.total.decisions) == (1, 4, 5)
    assert (first.checker.error, first.cube.error) == pytest.approx((0.01, 0.5))
    assert first.cube_errors == {"missed_double": 1, "wrong_double": 1, "wrong_take": 1}
    assert second.cube.decisions == 0 and first.moves == 1, "cube decisions are no moves"


@pytest.mark.parametrize(("cube", "is_decision"), [
    (CubeEquities(0.2, 0.05, 1.0), True),
    (CubeEquities(0.2, 0.03, 1.0), False),
    (CubeEquities(0.2, 0.9, 1.0), True),
    (CubeEquities(1.1, 1.4, 1.0), True),
    (CubeEquities(1.2, 1.4, 1.0), False),
    (CubeEquities(-0.2, -0.3, 1.0), True),
    (CubeEquities(-0.2, -0.3, 1.0, (), -0.6), False),
])  # fmt: skip
def test_not_doubling_is_a_decision_unless_a_double_would_be_a_blunder(cube: CubeEquities, is_decision: bool) -> None:
    assert cube_move(MoveKind.NO_DOUBLE, 0, cube).is_decision is is_decision
    assert cube_move(MoveKind.DOUBLE, 0, cube).is_decision


@pytest.mark.parametrize(("cube", "action"), [
    (CubeEquities(0.3, 0.2, 1.0), "no_double"), (CubeEquities(0.3, 0.4, 1.0), "double_take"),
    (CubeEquities(0.9, 1.1, 1.0), "double_pass"), (CubeEquities(1.1, 1.2, 1.0), "too_good"),
    (CubeEquities(1.0 + 1e-15, 2.0, 1.0), "double_pass"),
    (CubeEquities(0.3, 0.2, 1.0, (), 0.4), "no_double"), (CubeEquities(0.3, 0.4, 1.0, (), 0.8), "double_take"),
    (CubeEquities(0.9, 1.1, 1.0, (), 2.2), "double_pass"),
    (CubeEquities(-0.3, -0.2, 1.0, (), -0.4), "no_double_beaver"),
    (CubeEquities(-0.5, -0.2, 1.0, (), -0.4), "double_beaver"),
])  # fmt: skip
def test_the_right_action_follows_from_the_equities(cube: CubeEquities, action: str) -> None:
    assert cube.action == action


@pytest.mark.parametrize(("luck", "mark"), [
    (None, None), (0.29, None), (0.3, "lucky"), (0.6, "very_lucky"), (-0.3, "unlucky"), (-0.7, "very_unlucky"),
])  # fmt: skip
def test_a_roll_far_from_the_average_has_a_word(luck: float | None, mark: str | None) -> None:
    assert luck_mark(luck) == mark


def reviewed(game: Game[Any, Any]) -> list[MoveReview]:
    limit = Limit(depth=0)
    return list(review(game, lambda position, *rest: assess(RULES, position, limit, *rest)))


def random_bear_off(cube: Cube | None, seed: int) -> Game[Any, Any]:
    """A bear-off that the tables solve exactly, with or without a cube, played at random."""
    start = Position(men({6: 1, 5: 2, 2: 1, 0: 11}), men({6: 1, 4: 2, 2: 1, 0: 11}), Player.FIRST, (), cube)
    game: Game[Any, Any] = Game(RULES, start=start)
    rng = Random(seed)
    while game.outcome is None:
        is_roll = RULES.chances(game.position)
        game.play(roll(RULES, game.position, rng) if is_roll else rng.choice(game.legal_moves()))
    return game


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("cube", [None, Cube()])
def test_a_result_is_the_starting_equity_and_luck_and_errors(cube: Cube | None, seed: int) -> None:
    """Where all equities are exact, nothing else can explain it."""
    game = random_bear_off(cube, seed)
    reviews = reviewed(game)
    own = adapter("backgammon")
    assert own.prospects is not None
    equity = own.prospects(game.start, Limit(depth=0)).value
    errors = [sum(each.cost * each.stake for each in reviews if each.player is player) for player in Player]
    found = statistics(game, reviews)
    assert found is not None and found[0].result is not None and found[0].luck_adjusted is not None
    assert found[0].luck_adjusted == pytest.approx(equity - errors[0] + errors[1], abs=0.005)
    assert found[0].luck_adjusted == -(found[1].luck_adjusted or 0)


def test_a_match_is_reviewed_game_by_game_and_its_result_is_a_chance_to_win_it() -> None:
    game: Game[Any, Any] = Game(RULES, "standard+match3")
    for move in ("6-3", "24/18 13/10", "double", "drop", "4-2", "8/4 6/4", "roll", "5-1", "white resigns 2"):
        game.play(move)
    reviews = reviewed(game)[::-1]
    kinds = ["move", "double", "drop", "move", "no_double", "resignation"]
    assert [each.kind for each in reviews] == kinds and not reviews[-1].is_decision
    study = adapter("backgammon").study
    assert study is not None
    assert [part[2:5] for part in study.parts(game)] == [((0, 0), 1, 1), ((0, 1), 1, 2)]
    found = statistics(game, reviews)
    assert found is not None and (found[0].result, found[1].result) == pytest.approx((-0.5, 0.5))
    assert reviews[1].cost > 0.1 and reviews[2].cost > 0.1, "nobody doubles or drops after one move"
    assert (found[0].cube_errors, found[1].cube_errors) == ({"wrong_pass": 1}, {"wrong_double": 1})
    assert [each.stake for each in reviews] == sorted(each.stake for each in reviews), "the fewer points are left"


def with_beavers(*moves: str) -> Game[Any, Any]:
    """White has made the 5-point; black, who is behind, doubles."""
    game: Game[Any, Any] = Game(RULES, "standard+cube+beavers")
    for move in ("3-1", "8/5 6/5", "double", *moves):
        game.play(move)
    return game


def test_a_double_costs_what_the_beaver_makes_of_it() -> None:
    double = reviewed(with_beavers())[0]
    assert double.cube is not None and double.cube.double_beaver is not None
    assert double.cube.action == "no_double_beaver"
    assert double.cube.double_beaver == pytest.approx(2 * double.cube.double_take, abs=1e-3)
    assert double.cost == pytest.approx(double.cube.margin, abs=1e-3)
    assert double.cost > 1 and double.cube_error == "wrong_double"


def test_a_take_where_a_beaver_was_better_is_a_missed_beaver() -> None:
    take = reviewed(with_beavers("take"))[0]
    assert take.cube is not None and take.cost == pytest.approx(-take.cube.double_take, abs=1e-3)
    assert take.cube_error == "missed_beaver"


def test_a_beaver_that_is_better_than_a_take_is_no_error_and_a_pass_is_a_wrong_one() -> None:
    assert reviewed(with_beavers("beaver"))[0].cube_error is None
    assert reviewed(with_beavers("drop"))[0].cube_error == "wrong_pass"


def test_a_beaver_that_should_be_dropped_is_taken_wrongly() -> None:
    """Black has one man left on the ace point, so white, who doubled, loses at once."""
    start = Position(men({6: 2, 0: 13}), men({1: 1, 0: 14}), Player.FIRST, (), Cube(has_beavers=True))
    game: Game[Any, Any] = Game(RULES, start=start)
    for move in ("double", "beaver", "take"):
        game.play(move)
    assert [each.cube_error for each in reviewed(game)] == ["wrong_take", None, "wrong_double"]


@pytest.mark.parametrize("moves", [(), ("6-3", "24/18 13/10", "roll"), ("6-3", "24/18 13/10", "double", "take")])
def test_the_luck_of_all_rolls_in_a_match_sums_to_nothing(moves: tuple[str, ...]) -> None:
    game: Game[Any, Any] = Game(RULES, "standard+match3")
    for move in moves:
        game.play(move)
    luck = adapter("backgammon").luck
    assert luck is not None
    found = [(luck(game.position, rolled), rolled, weight) for rolled, weight in RULES.chances(game.position)]
    sign = {rolled: -1 if not moves and rolled.one < rolled.two else 1 for _, rolled, _ in found}
    assert sum(each * weight * sign[rolled] for each, rolled, weight in found) == pytest.approx(0, abs=1e-9)
    assert max(each for each, *_ in found) > 0.05


@pytest.mark.parametrize(("xgid", "before"), [
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:63:4:2:1:5:10", match_equity(1, 3)),
    ("XGID=-b----E-C---eE---c-e----B-:0:0:1:63:4:2:0:5:10", match_equity(1, 3, is_post_crawford=True)),
])  # fmt: skip
def test_a_match_is_won_from_the_chances_at_its_first_score(xgid: str, before: float) -> None:
    """That of the Crawford game is not that of the games after it, which have a cube."""
    start = RULES.notation.read_position(xgid)
    game: Game[Any, Any] = Game(RULES, start=start)
    game.resign(Player.SECOND, 1)
    study = adapter("backgammon").study
    assert study is not None
    assert study.result(game) == pytest.approx(1 - before)
