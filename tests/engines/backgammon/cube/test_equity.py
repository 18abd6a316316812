from __future__ import annotations

from collections.abc import Callable

import pytest

from ludus.core.errors import BadInput
from ludus.core.rules import Player
from ludus.engines.backgammon.cube.equity import (
    CubeDecision,
    cube_decision,
    cubeful_equity,
    decision_at_sight,
    market_losers,
)
from ludus.engines.backgammon.cube.janowski import Owner
from ludus.engines.backgammon.lookahead import Afterstate, flipped, thread_lookahead
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.tables import bearoff_cube
from ludus.engines.engine import Limit
from ludus.games.backgammon.position import VARIANTS, Cube, CubeAction, Match, Position, Stage, men
from ludus.games.backgammon.position_text import read_xgid
from ludus.games.backgammon.rules import HIGHEST_CUBE

Afterstates = Callable[[int, int], list[Afterstate]]
START = VARIANTS["standard"]._replace(mover=Player.FIRST)
DECIDED = Position(men({6: 4, 5: 4, 4: 2, 0: 5}), men({6: 5, 5: 5, 4: 4, 0: 1}), Player.FIRST)
"""White will win, but no gammon."""
CRUSHING = Position(men({7: 2, 6: 3, 5: 3, 4: 3, 3: 2, 2: 2}), men({25: 3, 24: 5, 23: 4, 22: 3}), Player.FIRST)
"""White wins a gammon most of the time."""
LAST_ROLL = Position(men({5: 1, 2: 1, 0: 13}), men({1: 1, 0: 14}), Player.FIRST)
"""White bears off with 19 rolls of 36; otherwise black does."""
CONTACT = Position(men({24: 1, 13: 4, 8: 3, 7: 1, 6: 4, 5: 2}), men({25: 1, 24: 1, 13: 4, 8: 3, 6: 6}), Player.FIRST)
EVEN = Chances(0.5, 0.13, 0.006, 0.13, 0.006)


def at_sight(position: Position, cube: Cube | None = None, match: Match | None = None) -> CubeDecision:
    return cube_decision(position._replace(cube=cube or Cube(), match=match), Limit(depth=0))


def actions(decision: CubeDecision) -> tuple[CubeAction, CubeAction]:
    return decision.best, decision.response


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_nobody_doubles_at_the_start(depth: int) -> None:
    decision = cube_decision(START._replace(cube=Cube()), Limit(depth=depth))
    assert actions(decision) == (CubeAction.NO_DOUBLE, CubeAction.TAKE)
    assert decision.depth == depth
    assert decision.value == decision.no_double > decision.doubled


@pytest.mark.parametrize("depth", [0, 1])
def test_a_won_race_is_doubled_and_dropped(depth: int) -> None:
    decision = cube_decision(DECIDED._replace(cube=Cube()), Limit(depth=depth))
    assert actions(decision) == (CubeAction.DOUBLE, CubeAction.DROP)
    assert decision.value == decision.double_pass == 1
    assert not decision.is_too_good


def test_with_gammons_in_sight_it_is_too_good_to_double() -> None:
    decision = at_sight(CRUSHING)
    assert actions(decision) == (CubeAction.NO_DOUBLE, CubeAction.DROP)
    assert decision.is_too_good
    assert decision.value == decision.no_double > 1


def test_by_the_jacoby_rule_the_same_position_is_cashed() -> None:
    decision = at_sight(CRUSHING, Cube(has_jacoby=True))
    assert actions(decision) == (CubeAction.DOUBLE, CubeAction.DROP)
    assert decision.no_double <= 1


def test_on_the_last_roll_every_favourite_doubles() -> None:
    decision = at_sight(LAST_ROLL)
    assert actions(decision) == (CubeAction.DOUBLE, CubeAction.TAKE)
    assert decision.no_double == pytest.approx(2 / 36)
    assert decision.double_take == pytest.approx(4 / 36)
    assert decision.is_exact


@pytest.mark.parametrize("owner", [None, Player.FIRST])
def test_the_bear_off_table_is_used_for_money(owner: Player | None) -> None:
    position = Position(men({6: 2, 4: 2, 1: 1, 0: 10}), men({5: 3, 2: 2, 0: 10}), Player.FIRST, cube=Cube(2, owner))
    decision, exact = cube_decision(position), bearoff_cube(position)
    assert exact and decision.is_exact and decision.depth == 0
    assert (decision.no_double, decision.double_take) == pytest.approx(exact)
    assert not cube_decision(position._replace(match=Match(9)), Limit(depth=0)).is_exact


@pytest.mark.parametrize("owner", [None, Player.FIRST, Player.SECOND])
def test_the_bear_off_table_of_cubes_without_a_limit_is_not_used_close_to_it(owner: Player | None) -> None:
    """The highest cube is dead, so cubeless chances are exact; a cube that can be turned once or twice is estimated."""
    position = Position(men({3: 2, 2: 2, 1: 2, 0: 9}), men({3: 2, 2: 2, 1: 2, 0: 9}), Player.FIRST)
    decisions = [cube_decision(position._replace(cube=Cube(HIGHEST_CUBE >> i, owner))) for i in range(12)]
    cubeless = cube_decision(position)
    assert decisions[0].is_exact and not decisions[0].can_double
    assert decisions[0].no_double == decisions[0].value == pytest.approx(cubeless.no_double)
    assert [decision.is_exact for decision in decisions[1:]] == [False] * 6 + [True] * 5
    assert len({decision.value for decision in decisions[7:]}) == 1


def test_before_the_last_double_every_favourite_turns_the_cube() -> None:
    """Nobody can turn it back, so a double is as good as on the last roll."""
    position = Position(men({6: 4, 0: 11}), men({6: 3, 5: 1, 0: 11}), Player.FIRST)
    last, early = (cube_decision(position._replace(cube=Cube(value))) for value in (HIGHEST_CUBE // 2, 1))
    assert last.double_take == pytest.approx(2 * cube_decision(position).no_double, abs=0.01)
    assert early.double_take < last.double_take


def test_a_wrong_double_is_beavered_where_that_is_allowed() -> None:
    decision = at_sight(START, Cube(has_beavers=True))
    assert decision.response is CubeAction.BEAVER
    assert decision.doubled == decision.double_beaver == 2 * decision.double_take < 0
    assert at_sight(START).response is CubeAction.TAKE


def test_a_beaver_makes_a_close_double_worse() -> None:
    """White wins more than half of the games, but the cube is worth more to black."""
    position = START._replace(cube=Cube(has_beavers=True))
    decision = decision_at_sight(Chances(0.55, 0.1, 0, 0.1, 0), position)
    assert decision.double_take < 0 and decision.doubled < decision.double_take


def test_a_hopeless_double_is_only_taken_since_a_beaver_would_be_dropped() -> None:
    decision = decision_at_sight(Chances(0, 0, 0, 0.9, 0), START._replace(cube=Cube(has_beavers=True)))
    assert decision.doubled == decision.double_take < decision.double_beaver == -2
    assert decision.response is CubeAction.TAKE


def test_nobody_beavers_beyond_the_highest_cube() -> None:
    cube = Cube(HIGHEST_CUBE // 2, Player.FIRST, has_beavers=True)
    assert at_sight(START, cube).response is CubeAction.TAKE
    assert at_sight(START, cube._replace(value=HIGHEST_CUBE // 4)).response is CubeAction.BEAVER


@pytest.mark.parametrize("match", [Match(5, 4, 1, is_crawford=True), Match(1, is_crawford=True)])
def test_the_crawford_game_has_no_cube_action(match: Match) -> None:
    for mover in Player:
        decision = at_sight(START._replace(mover=mover), match=match)
        assert not decision.can_double
        assert decision.best is CubeAction.NO_DOUBLE
        assert decision.window.double is decision.window.cash is decision.window.too_good is None


def test_after_the_crawford_game_the_trailing_side_doubles_whatever_it_has() -> None:
    for win in (0.02, 0.3, 0.6):
        position = START._replace(cube=Cube(), match=Match(5, 1, 4))
        assert decision_at_sight(Chances(win, 0, 0, 0, 0), position).best is CubeAction.DOUBLE


def test_the_leader_then_drops_for_free_if_the_other_side_needs_an_even_number() -> None:
    for white, action in ((1, CubeAction.DROP), (2, CubeAction.TAKE)):
        position = START._replace(cube=Cube(), match=Match(5, white, 4))
        assert decision_at_sight(Chances(0.53, 0.13, 0.005, 0.13, 0.005), position).response is action


@pytest.mark.parametrize("score", ["6:5", "6:3", "6:1"])
@pytest.mark.parametrize("men_", ["-b----E-C---eE---c-e----B-", "-a----EaC-A-dDa--c-eA---A-"])
def test_it_doubles_one_roll_ahead_too(men_: str, score: str) -> None:
    """Rollouts without a double give 0.94 to 1.01, where a drop is worth 1."""
    decisions = [cube_decision(read_xgid(f"XGID={men_}:0:0:-1:00:{score}:0:7:10"), Limit(depth=i)) for i in range(3)]
    assert all(actions(decision) == (CubeAction.DOUBLE, CubeAction.DROP) for decision in decisions)
    assert decisions[1].no_double == pytest.approx(decisions[2].no_double, abs=0.05)


@pytest.mark.parametrize(
    "text",
    [
        "XGID=-A-Ba-CbB----Ea--abbbbAb-A:0:0:1:00:4:6:0:7:10",
        "XGID=-AABa-C-----aE-a-bbbbbBb-A:0:0:1:00:3:6:0:7:10",
        "XGID=-a-Ba-D-B--AdDa--c-e----B-:0:0:-1:00:6:4:0:7:10",
    ],
)
def test_a_double_that_is_taken_never_costs_it_anything(text: str) -> None:
    """Two rolls ahead other plays are searched without the double, which made it look worse by a thousandth."""
    decision = cube_decision(read_xgid(text), Limit(depth=2))
    assert decision.view.is_free and actions(decision) == (CubeAction.DOUBLE, CubeAction.TAKE)
    assert decision.no_double <= decision.double_take


def test_at_the_last_point_only_wins_count() -> None:
    match = Match(1, is_crawford=True)
    equity = cubeful_equity(Chances(0.6, 0.3, 0.1, 0.1, 0), START._replace(cube=Cube(), match=match))
    assert equity == pytest.approx(0.2)


def test_a_cube_that_nobody_can_use_is_dead() -> None:
    """Two points win the match for both."""
    position = START._replace(cube=Cube(2, Player.FIRST), match=Match(5, 3, 3))
    decision = decision_at_sight(Chances(0.6, 0.3, 0.1, 0.1, 0), position)
    assert decision.no_double == pytest.approx(0.2)
    assert not decision.can_double


def test_without_a_cube_the_equity_is_cubeless() -> None:
    assert cubeful_equity(EVEN, START) == pytest.approx(EVEN.equity)
    assert cubeful_equity(EVEN, START._replace(match=Match(7))) == pytest.approx(0, abs=1e-9)


def test_a_player_who_may_double_is_worth_as_much_as_the_best_decision() -> None:
    good = Chances(0.72, 0.2, 0.01, 0.05, 0)
    position = START._replace(cube=Cube())
    decision = decision_at_sight(good, position)
    assert decision.best is CubeAction.DOUBLE
    assert cubeful_equity(good, position) == decision.value
    declined = position._replace(cube=Cube(stage=Stage.ROLLING))
    assert cubeful_equity(good, declined) == decision.no_double < decision.value


def test_an_open_double_is_decided_like_one_that_is_considered() -> None:
    position = DECIDED._replace(cube=Cube())
    doubled = position._replace(cube=Cube(stage=Stage.DOUBLED))
    assert cube_decision(position, Limit(depth=0)) == cube_decision(doubled, Limit(depth=0))


@pytest.mark.parametrize("position", [START._replace(mover=None), START._replace(dice=(6, 1))])
def test_the_cube_is_decided_on_before_a_roll(position: Position) -> None:
    with pytest.raises(BadInput):
        cube_decision(position)


@pytest.mark.parametrize("match", [None, Match(7, 2, 4), Match(5, 3, 0), Match(3, 1, 2)])
def test_black_decides_like_white(match: Match | None, afterstates: Afterstates) -> None:
    swapped = match and match._replace(white=match.black, black=match.white)
    for after in afterstates(4, 7):
        white = Position(after.other, after.own, Player.FIRST, cube=Cube(2, Player.FIRST), match=match)
        black = Position(after.own, after.other, Player.SECOND, cube=Cube(2, Player.SECOND), match=swapped)
        assert cube_decision(white, Limit(depth=1)) == cube_decision(black, Limit(depth=1))


def test_the_owner_of_the_cube_is_better_off_one_roll_ahead_too(afterstates: Afterstates) -> None:
    for after in afterstates(6, 9):
        owners = (Player.FIRST, None, Player.SECOND)
        cubes = [Position(after.other, after.own, Player.FIRST, cube=Cube(2, owner)) for owner in owners]
        own, centred, other = (cube_decision(position, Limit(depth=1)).value for position in cubes)
        assert own >= centred - 1e-9
        assert centred >= other - 1e-9


def test_chances_one_roll_ahead_are_those_of_the_lookahead(afterstates: Afterstates) -> None:
    lookahead = thread_lookahead()
    for after in afterstates(5, 3):
        with lookahead.within(Limit()):
            found = lookahead.search(Afterstate(after.own, after.other), 1)
        assert found is not None
        position = Position(after.other, after.own, Player.FIRST, cube=Cube())
        decision = cube_decision(position, Limit(depth=1))
        assert decision.chances == pytest.approx(flipped(found), abs=1e-6)


def test_rolls_are_played_for_what_the_score_is_worth() -> None:
    """In the Crawford game white needs two points and plays for a gammon; where both need one, only for the win."""
    gammon, win = (
        cube_decision(CONTACT._replace(cube=Cube(), match=match), Limit(depth=1)).chances
        for match in (Match(5, 3, 4, is_crawford=True), Match(5, 4, 4))
    )
    assert gammon.win + gammon.win_gammon > win.win + win.win_gammon
    assert gammon.win < win.win


def test_a_limit_ends_the_search() -> None:
    assert cube_decision(START._replace(cube=Cube()), Limit(nodes=1)).depth == 0


def test_take_points_without_gammons_are_between_a_fifth_and_a_quarter() -> None:
    race = Position(men({6: 5, 5: 5, 4: 5}), men({6: 5, 5: 5, 4: 5}), Player.FIRST, cube=Cube())
    window = decision_at_sight(Chances(0.7, 0, 0, 0, 0), race).window
    assert window.take.dead == pytest.approx(0.25)
    assert window.take.live == pytest.approx(0.2)
    assert window.take.real and 0.2 < window.take.real < 0.25
    assert window.double and window.cash
    assert 0.5 < window.double < window.cash == pytest.approx(1 - window.take.real)
    assert window.too_good is None


def test_without_gammons_nobody_is_too_good_to_double() -> None:
    """In a race they are so rare that nobody plays on for them."""
    race = read_xgid("XGID=---BBDE-B------b-b-dd-c---:0:0:1:00:0:0:0:0:12")
    decision = cube_decision(race, Limit(depth=0))
    assert decision.window.cash is not None and decision.window.too_good is None
    won = decision._replace(no_double=1 + 1e-15, double_take=1.9)
    assert won.response is CubeAction.DROP and not won.is_too_good


def test_the_window_agrees_with_decisions() -> None:
    position = START._replace(cube=Cube())
    window = decision_at_sight(EVEN, position).window
    assert window.double and window.cash and window.too_good
    borders = (window.double, window.cash, window.too_good)
    wanted = [
        (CubeAction.NO_DOUBLE, CubeAction.TAKE),
        (CubeAction.DOUBLE, CubeAction.TAKE),
        (CubeAction.DOUBLE, CubeAction.DROP),
        (CubeAction.NO_DOUBLE, CubeAction.DROP),
    ]
    for i, border in enumerate(borders):
        for win, expected in ((border - 0.002, wanted[i]), (border + 0.002, wanted[i + 1])):
            chances = Chances(win, 0.26 * win, 0.012 * win, 0.26 * (1 - win), 0.012 * (1 - win))
            assert actions(decision_at_sight(chances, position)) == expected


def test_where_equities_are_exact_no_point_is_estimated() -> None:
    """On the last roll a double is right from 50 % on, and the model's doubling point would be 67 %."""
    decision = cube_decision(LAST_ROLL._replace(cube=Cube()))
    assert decision.is_exact and decision.best is CubeAction.DOUBLE and decision.chances.win == pytest.approx(19 / 36)
    window = decision.window
    assert window.take == pytest.approx((0.25, 0.2, None))
    assert window.double is window.cash is window.too_good is None


def test_a_player_without_the_cube_has_no_window() -> None:
    decision = at_sight(START, Cube(2, Player.SECOND))
    assert decision.view.owner is Owner.OTHER
    assert decision.window.double is decision.window.cash is None


def test_rolls_that_win_on_the_spot_lose_the_market() -> None:
    assert market_losers(LAST_ROLL._replace(cube=Cube())) == pytest.approx((19 / 36, 19 / 36))


def test_a_quiet_position_has_few_market_losers() -> None:
    rolls, sequences = market_losers(START._replace(cube=Cube()))
    assert rolls == 0
    assert sequences < 0.05
