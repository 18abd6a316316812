"""What an opinion on a position has beside its lines."""

from __future__ import annotations

import pytest

from ludus.engines import Limit
from ludus.engines.opinion import opinion
from ludus.engines.review import Assessment
from ludus.games import GAMES

BEAR_OFF = "XGID=------F---------e--f------:{}"


def found(game: str, position: str) -> Assessment:
    rules = GAMES[game]
    return opinion(rules, rules.notation.read_position(position), Limit(depth=0), 5)


def test_a_decision_about_the_cube_has_a_window() -> None:
    window = found("backgammon", "XGID=---BBDE-B------b-b-dd-c---:0:0:1:00:0:0:0:0:12").window
    assert window is not None and window.doubling_point is not None and window.cash_point is not None
    assert window.take_point is not None
    assert window.take_point_live < window.take_point < window.take_point_dead
    assert window.doubling_point < window.cash_point == pytest.approx(1 - window.take_point)
    assert 0.2 < window.market_losers < window.market_losers_with_reply < 0.6


@pytest.mark.parametrize("fields", ["0:0:1:00:0:0:0:0:10", "0:0:1:31:0:0:0:0:12"])
def test_without_such_a_decision_there_is_no_window(fields: str) -> None:
    assert found("backgammon", f"XGID=-b----E-C---eE---c-e----B-:{fields}").window is None


@pytest.mark.parametrize("fields", ["0:0:1:00:0:0:0:0:10", "0:0:1:31:0:0:0:0:10", "0:0:1:00:0:0:0:0:12"])
def test_a_side_that_bears_off_has_an_effective_pip_count(fields: str) -> None:
    white, black = found("backgammon", BEAR_OFF.format(fields)).effective_pips
    assert white == pytest.approx(43.38, abs=0.005) and black is None


def test_in_checkers_there_is_neither() -> None:
    assert found("checkers", "W:WK18,K14:BK1")[4:] == (None, ())
