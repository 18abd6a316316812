"""Backgammon as agents see it and say it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.stage import Stage, on_stage

from ludus.core.errors import AmbiguousMove, IllegalMove
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.games.backgammon.position import BAR, Position, men
from ludus.server.arena.views import VIEWS

RULES = GAMES["backgammon"]
VIEW = VIEWS["backgammon"]
FIELDS = {
    "you", "yourColor", "currentPlayer", "isYourTurn", "board", "whiteBar", "blackBar", "whiteOff", "blackOff", "dice",
    "legalMoves", "lastTurn", "positionId", "pipCounts",
}  # fmt: skip


def at(xgid: str) -> Position:
    position: Position = RULES.notation.read_position(xgid)
    return position


def choose(position: Position, *steps: tuple[Any, Any]) -> str:
    action = {"type": "move", "moves": [{"from": source, "to": target} for source, target in steps]}
    found = VIEW.read(action).choose
    assert found is not None
    return RULES.notation.write_move(position, found(position))


START = "XGID=-b----E-C---eE---c-e----B-:0:0:{}:{}:0:0:0:0:10"


@on_stage
async def test_the_first_view_is_the_start_as_white_counts_it(stage: Stage) -> None:
    match, one, two = await stage.pair("backgammon")
    view, other = (await one.state(match))["view"], (await two.state(match))["view"]
    assert set(view) == set(other) == FIELDS
    assert view["board"] == [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2]
    assert (view["whiteBar"], view["blackBar"], view["whiteOff"], view["blackOff"]) == (0, 0, 0, 0)
    assert view["pipCounts"] == {"white": 167, "black": 167}
    assert view["positionId"] == "4HPwATDgc/ABMA"
    assert len(view["dice"]) == 2 and view["dice"][0] > view["dice"][1] and view["dice"] == other["dice"]
    assert view["lastTurn"] is None
    assert (view["you"], view["currentPlayer"], view["isYourTurn"]) == (one.id, one.id, True)
    assert (other["you"], other["currentPlayer"], other["isYourTurn"]) == (two.id, one.id, False)
    assert {view["yourColor"], other["yourColor"]} == {"white", "black"}
    assert view["legalMoves"] and not other["legalMoves"]


@on_stage
async def test_the_last_turn_is_what_the_other_played(stage: Stage) -> None:
    match, one, two = await stage.pair("backgammon")
    state = await one.state(match)
    play = state["view"]["legalMoves"][0]
    await one.act(match, state["sequence"], {"type": "move", "moves": play})
    assert (await two.state(match))["view"]["lastTurn"] == play


@on_stage
async def test_somebody_who_watches_is_nobody_and_may_do_nothing(stage: Stage) -> None:
    match, one, _ = await stage.pair("backgammon")
    view = stage.arena.view(await stage.arena.table(match), None)
    assert set(view) == FIELDS
    assert (view["you"], view["yourColor"], view["isYourTurn"], view["legalMoves"]) == (None, None, False, [])
    assert view["currentPlayer"] == one.id


@on_stage
async def test_nothing_that_an_agent_is_told_during_the_match_has_the_seed(stage: Stage) -> None:
    match, one, two = await stage.pair("backgammon")
    table = await stage.arena.table(match)
    assert table.opening.seed is not None
    seed = table.opening.seed.hex()
    paths = [f"/api/matches/{match}{rest}" for rest in ("", "?format=mat", "/replay.md", "/state")]
    for agent in (one, two):
        for path in paths:
            text = (await agent.ask("GET", path)).text
            assert seed not in text.lower()
    await one.act(match, 1, {"type": "resign"})
    for path in paths[:3]:
        assert seed in (await stage.ask("GET", path)).text.lower()


def test_there_is_one_legal_move_for_each_position_that_can_be_reached() -> None:
    position = at(START.format(1, 66))
    plays = RULES.moves(position)
    assert len({RULES.play(position, play) for play in plays}) == len(plays)


@pytest.mark.parametrize(("turn", "dice", "steps", "play"), [
    (1, 43, ((24, 20), (13, 10)), "24/20 13/10"),
    (1, 43, ((13, 10), (24, 20)), "24/20 13/10"),
    (1, 43, ((24, 20), (20, 17)), None),
    (1, 65, ((24, 18), (18, 13)), "24/13"),
    (1, 65, ((24, 13),), "24/13"),
    (-1, 43, ((1, 5), (12, 15)), "24/20 13/10"),
    (-1, 65, ((1, 7), (7, 12)), "24/13"),
    (1, 11, ((8, 7), (8, 7), (6, 5), (6, 5)), "8/7(2) 6/5(2)"),
    (1, 11, ((6, 5), (8, 7), (6, 5), (8, 7)), "8/7(2) 6/5(2)"),
])  # fmt: skip
def test_steps_in_any_order_that_leads_to_a_legal_play_are_taken(
    turn: int, dice: int, steps: tuple[tuple[int, int], ...], play: str | None
) -> None:
    position = at(START.format(turn, dice))
    if play is None:
        with pytest.raises(IllegalMove):
            choose(position, *steps)
    else:
        assert choose(position, *steps) == play


def test_men_enter_from_the_bar_and_are_borne_off_by_those_names() -> None:
    entering = Position(men({BAR: 1, 6: 1}), men({1: 1}), Player.FIRST, (5, 2))
    assert choose(entering, ("bar", 20), (6, 4)) == "bar/20 6/4"
    entering = Position(men({1: 1}), men({BAR: 1, 6: 1}), Player.SECOND, (5, 2))
    assert choose(entering, ("bar", 5), (19, 21)) == "bar/20 6/4"
    bearing = Position(men({1: 1, 2: 1}), men({1: 1}), Player.FIRST, (2, 1))
    assert choose(bearing, (1, "off"), (2, "off")) == "2/off 1/off"


@pytest.mark.parametrize(("steps", "why"), [
    ((), "2 steps must be played"),
    (((24, 20),), "2 steps must be played"),
    (((23, 19), (13, 10)), "no man of yours is on 23"),
    (((6, 10), (13, 10)), "your men move from 24 to 1"),
    (((13, 12), (13, 10)), "the other side holds 12"),
    (((6, "off"), (13, 10)), "men are borne off only when all are home"),
    (((13, 11), (13, 10)), "this does not use the dice 4 and 3 as it must"),
])  # fmt: skip
def test_a_refusal_names_the_rule(steps: tuple[tuple[Any, Any], ...], why: str) -> None:
    with pytest.raises(IllegalMove, match=why):
        choose(at(START.format(1, 43)), *steps)


def test_a_hop_that_can_be_several_plays_is_ambiguous() -> None:
    position = Position(men({20: 1, 1: 1}), men({25 - 14: 1, 25 - 16: 1}), Player.FIRST, (6, 4))
    with pytest.raises(AmbiguousMove, match="give one for each die"):
        choose(position, (20, 10))
    assert choose(position, (20, 14), (14, 10)) == "20/14*/10"
