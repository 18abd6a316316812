"""Turns without a legal play: an agent is asked to pass, unless it asked the server to pass for it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.arena_app import Agent, ArenaApp, with_app
from tests.service.platforms import advance

from ludus.service.agents import player_key
from ludus.service.table import Limits, Opening, Seat, SeatKind

TABLE = "0000018b-cfe5-6800-8000-000000000001"
SEED = bytes([53]) * 32
"""At this table, if both play their first legal move, the first player is shut out after seven plays."""
PLAYS = 7
PASS = {"type": "move", "moves": []}
TURN = Limits(None, 900_000, None)


async def open_match(app: ArenaApp, *has_auto_pass: bool) -> tuple[Agent, Agent]:
    """A match whose dice are known."""
    agents = await app.agent(), await app.agent()
    first, second = (
        Seat(player_key(agent.id), agent.id, agent.id, SeatKind.AGENT, has_auto_pass=automatic)
        for agent, automatic in zip(agents, has_auto_pass, strict=True)
    )
    await app.platform.tables.open(Opening(TABLE, "backgammon", "fast", "arena", (first, second), TURN, True, SEED))
    return agents


async def play_first_moves(app: ArenaApp, agents: tuple[Agent, Agent], most: int) -> dict[str, Any]:
    """Plays the first legal move of every turn; returns the state of the side to move."""
    by_id = {agent.id: agent for agent in agents}
    for _ in range(most):
        mover = by_id[(await agents[0].state(TABLE))["view"]["currentPlayer"]]
        state = await mover.state(TABLE)
        assert (
            await mover.act(TABLE, state["sequence"], {"type": "move", "moves": state["view"]["legalMoves"][0]})
        ).status_code == 200
    mover = by_id[(await agents[0].state(TABLE))["view"]["currentPlayer"]]
    found: dict[str, Any] = await mover.state(TABLE)
    return found


@pytest.mark.parametrize("action", [PASS, []], ids=["moves", "bare"])
@with_app
async def test_a_turn_without_a_legal_play_is_asked_for_and_passed_with_an_empty_list(
    app: ArenaApp, action: object
) -> None:
    one, two = agents = await open_match(app, False, False)
    asked = await play_first_moves(app, agents, PLAYS)
    assert (asked["status"], asked["view"]["you"], asked["view"]["legalMoves"]) == ("your_turn", one.id, [])
    assert asked["view"]["dice"] and asked["turnEndsAt"]
    answer = await one.act(TABLE, asked["sequence"], action)
    assert answer.status_code == 200 and answer.json()["state"]["status"] == "waiting"
    assert (await one.act(TABLE, asked["sequence"], action)).json() == answer.json(), "safe to repeat"
    other = await two.state(TABLE)
    assert (other["status"], other["sequence"]) == ("your_turn", asked["sequence"] + 1)
    assert other["view"]["lastTurn"] == []
    last = (await app.get(f"/api/matches/{TABLE}"))["moves"][-1]
    assert (last["player"], last["moves"], last["dice"]) == (one.id, [], asked["view"]["dice"][:2])


@with_app
async def test_anything_but_the_pass_is_refused_at_such_a_turn_and_the_pass_at_any_other(app: ArenaApp) -> None:
    one, two = agents = await open_match(app, False, False)
    early = await play_first_moves(app, agents, 0)
    mover = one if early["view"]["you"] == one.id else two
    refused = await mover.act(TABLE, early["sequence"], PASS)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_action")
    asked = await play_first_moves(app, agents, PLAYS)
    refused = await one.act(TABLE, asked["sequence"], {"type": "move", "moves": [{"from": "bar", "to": 20}]})
    assert refused.json() == {"error": "invalid_action", "details": "no man can move"}


@with_app
async def test_with_auto_pass_the_server_passes_and_the_next_turn_is_the_opponents(app: ArenaApp) -> None:
    one, two = agents = await open_match(app, True, False)
    after = await play_first_moves(app, agents, PLAYS)
    assert after["view"]["you"] == two.id and after["view"]["lastTurn"] == []
    moves = (await app.get(f"/api/matches/{TABLE}"))["moves"]
    assert (moves[-1]["player"], moves[-1]["moves"], len(moves)) == (one.id, [], PLAYS + 1)
    late = await one.act(TABLE, after["sequence"], PASS)
    assert (late.status_code, late.json()["error"]) == (409, "not_your_turn")


@with_app
async def test_both_ways_record_the_same_game(app: ArenaApp) -> None:
    """The choice is the players' own: neither the dice nor the record depend on it."""
    one, two = agents = await open_match(app, False, False)
    asked = await play_first_moves(app, agents, PLAYS)
    await one.act(TABLE, asked["sequence"], PASS)
    await two.act(TABLE, (await two.state(TABLE))["sequence"], {"type": "resign"})
    record = await app.get(f"/api/matches/{TABLE}")
    file = (await app.ask("GET", f"/api/matches/{TABLE}?format=mat")).text
    assert record["moves"][-1]["moves"] == [] and "Cannot Move" in file
    assert record["result"]["reason"] == "resignation"


@with_app
async def test_who_does_not_pass_in_time_loses(app: ArenaApp) -> None:
    one, two = agents = await open_match(app, False, True)
    assert (await play_first_moves(app, agents, PLAYS))["view"]["legalMoves"] == []
    await advance(app.platform, app.clock, 901)
    end = await two.state(TABLE)
    assert (end["status"], end["reason"]) == ("game_over", "timeout")
    assert {"agentId": one.id, "outcome": "loss"} in end["results"]


@pytest.mark.parametrize(("asked", "expected"), [({}, False), ({"autoPass": False}, False), ({"autoPass": True}, True)])
@with_app
async def test_an_agent_chooses_when_it_queues(app: ArenaApp, asked: dict[str, bool], expected: bool) -> None:
    one, two = await app.agent(), await app.agent()
    await one.queue("backgammon", autoPass=not expected)
    assert (await one.queue("backgammon", **asked))["status"] == "already_queued", "with another choice, in its place"
    match = (await two.queue("backgammon"))["matchId"]
    table = await app.arena.table(match)
    assert {seat.id: seat.has_auto_pass for seat in table.seats} == {one.id: expected, two.id: False}


@with_app
async def test_house_bots_pass_by_themselves(app: ArenaApp) -> None:
    agent = await app.agent()
    match = (await agent.queue("backgammon", opponent="house:easy"))["matchId"]
    seats = (await app.arena.table(match)).seats
    assert {seat.kind: seat.has_auto_pass for seat in seats} == {SeatKind.AGENT: False, SeatKind.BOT: True}
