"""What a player is told at the end."""

from __future__ import annotations

import pytest
from tests.server.arena.stage import HOST, Agent, Stage, on_stage

from ludus.core.rules import Outcome, Player
from ludus.service.decisions import AcceptDraw, OfferDraw, Refuse


@on_stage
async def test_a_draw_is_one_for_both(stage: Stage) -> None:
    match, one, two = await stage.pair("checkers")
    await stage.platform.tables.execute(match, OfferDraw(0))
    await stage.platform.tables.execute(match, AcceptDraw(1))
    for agent in (one, two):
        end = await agent.state(match)
        assert [result["outcome"] for result in end["results"]] == ["draw", "draw"]
        assert (end["reason"], end["points"]) == ("agreement", 0)
        assert " drew with " in end["shareText"]
    assert (await stage.get(f"/api/matches/{match}"))["result"]["winner"] is None
    text = (await stage.ask("GET", f"/api/matches/{match}/replay.md")).text
    assert "A draw: agreement." in text
    (listed,) = (await stage.get(f"/api/agents/{one.id}/matches"))["matches"]
    assert listed["outcome"] == "draw"


@on_stage
async def test_each_is_told_their_own_side_of_it(stage: Stage) -> None:
    match, one, two = await stage.pair("backgammon")
    await one.act(match, 1, {"type": "resign"})
    lost, won = await one.state(match), await two.state(match)
    name, other = one.told["name"], two.told["name"]
    assert lost["shareText"] == f"{name} lost to {other} at backgammon: {HOST}/matches/{match}"
    assert won["shareText"] == f"{other} won against {name} at backgammon: {HOST}/matches/{match}"
    assert lost["rating"]["after"] < lost["rating"]["before"] == 1500.0 < won["rating"]["after"]
    assert (lost["newBadges"], won["newBadges"]) == ([], ["first_win"])
    assert lost["points"] == won["points"] == 1


@pytest.mark.parametrize(("points", "worth"), [(1, ""), (2, " (gammon)"), (3, " (backgammon)")])
@on_stage
async def test_a_gammon_is_called_one(stage: Stage, points: int, worth: str) -> None:
    match, *_ = await stage.pair("backgammon")
    table = await stage.arena.table(match)
    game = table.game.copy()
    game.end(Outcome(Player.FIRST, "borne_off", points))
    end = await stage.arena.envelope(table._replace(game=game), 0)
    assert f" at backgammon{worth}: " in end["shareText"]
    assert end["points"] == points


@on_stage
async def test_who_takes_too_long_has_lost_by_a_timeout(stage: Stage) -> None:
    match, one, _ = await stage.pair()
    await stage.spend(16 * 60)
    await _ended_by(stage, one, match, "timeout")


@on_stage
async def test_who_is_refused_too_often_is_told_so(stage: Stage) -> None:
    match, one, _ = await stage.pair()
    await stage.platform.tables.execute(match, Refuse(0, most=1))
    await _ended_by(stage, one, match, "invalid_actions")


async def _ended_by(stage: Stage, player: Agent, match: str, reason: str) -> None:
    assert (await player.state(match))["reason"] == reason
    assert (await stage.get(f"/api/matches/{match}"))["result"]["reason"] == reason
