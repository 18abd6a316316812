"""Every error that an action can meet, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ..server_process import ServerProcess
from .client import Agent, NewAgent, Visitor, json_of, refusal, timeless
from .players import Match, mover_first, paired

NewOne = Callable[..., Agent]
RESIGN = {"type": "resign"}
OPENING = {"type": "move", "from": 11, "to": 15}


@pytest.fixture
def table(new_agent: NewOne) -> tuple[Match, Agent, Agent]:
    """A match of checkers before the first move; the player to move comes first."""
    agents = [new_agent(), new_agent()]
    match = paired("checkers", agents)
    return match, *mover_first(match, agents)


Table = tuple[Match, Agent, Agent]


@pytest.mark.parametrize(
    "action",
    [{"type": "move", "from": 1, "to": 5}, {"type": "move", "from": 13, "to": 17}, {**OPENING, "captures": [3]}],
)
def test_an_illegal_move_is_refused_with_the_rule_it_breaks(table: Table, action: Any) -> None:
    match, mover, _ = table
    answer = mover.try_action(match.id, 1, action)
    assert refusal(answer) == (400, "invalid_action")
    assert len(str(answer.json()["details"])) > 10
    assert mover.act(match.id, 1, OPENING)["status"] == "waiting"


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        "no json",
        "",
        {"sequence": 1},
        {"action": RESIGN},
        {"sequence": "1", "action": RESIGN},
        {"sequence": None, "action": RESIGN},
        {"sequence": True, "action": RESIGN},
        {"sequence": 1.5, "action": RESIGN},
        {"sequence": -1, "action": RESIGN},
        {"sequence": 1, "action": "resign"},
        {"sequence": 1, "action": None},
        {"sequence": 1, "action": {"type": "castle"}},
        {"sequence": 1, "action": {"type": "move"}},
        {"sequence": 1, "payload": RESIGN},
    ],
)
def test_a_malformed_action_is_refused_with_the_reason(table: Table, body: Any) -> None:
    match, mover, _ = table
    answer = mover.ask("POST", f"/api/matches/{match.id}/action", body)
    assert refusal(answer) == (400, "invalid_input")
    assert isinstance(answer.json()["details"], list) and answer.json()["details"]
    assert mover.state(match.id)["status"] == "your_turn"


@pytest.mark.parametrize("sequence", [0, 2, 99, 10**12, 10**30])
def test_an_action_must_name_the_turn_it_answers(table: Table, sequence: int) -> None:
    match, mover, _ = table
    answer = mover.try_action(match.id, sequence, OPENING)
    assert refusal(answer) == (409, "stale_sequence")
    assert answer.json()["currentSequence"] == mover.state(match.id)["sequence"]


def test_who_is_not_to_move_cannot(table: Table) -> None:
    match, _, other = table
    answer = other.try_action(match.id, other.state(match.id)["sequence"], {"type": "move", "from": 22, "to": 18})
    assert refusal(answer) == (409, "not_your_turn")


def test_nothing_can_be_done_when_it_is_over(table: Table) -> None:
    match, mover, other = table
    mover.act(match.id, 1, RESIGN)
    for agent in (mover, other):
        answer = agent.try_action(match.id, agent.state(match.id)["sequence"], OPENING)
        assert refusal(answer) == (409, "game_already_over")


@pytest.mark.parametrize("match", ["nothing", "00000000-0000-0000-0000-000000000000", "x" * 3000, "%00", "..%2f"])
def test_a_match_that_is_not_there_is_not_found(new_agent: NewOne, visitor: Visitor, match: str) -> None:
    agent = new_agent()
    assert refusal(agent.ask("GET", f"/api/matches/{match}/state"))[0] == 404
    answer = agent.ask("POST", f"/api/matches/{match}/action", {"sequence": 1, "action": RESIGN})
    assert answer.status_code == 404
    assert visitor.ask("GET", f"/api/matches/{match}").status_code == 404


def test_the_code_of_a_match_that_is_not_there(new_agent: NewOne, visitor: Visitor) -> None:
    agent = new_agent()
    for asker, method, path in (
        (agent, "GET", "/api/matches/nothing/state"),
        (agent, "POST", "/api/matches/nothing/action"),
        (visitor, "GET", "/api/matches/nothing"),
        (visitor, "GET", "/api/matches/nothing/replay.md"),
    ):
        body = {"sequence": 1, "action": RESIGN} if method == "POST" else None
        assert refusal(asker.ask(method, path, body)) == (404, "match_not_found")


def test_others_cannot_look_or_act_in_a_players_place(table: Table, new_agent: NewOne) -> None:
    match, mover, _ = table
    stranger = new_agent()
    assert refusal(stranger.ask("GET", f"/api/matches/{match.id}/state")) == (403, "not_a_player")
    assert refusal(stranger.try_action(match.id, 1, RESIGN)) == (403, "not_a_player")
    assert mover.state(match.id)["status"] == "your_turn"


@pytest.mark.parametrize("query", [{"wait": "maybe"}, {"wait": "true", "afterSequence": "x"}, {"afterSequence": "-2"}])
def test_a_state_is_asked_for_properly(table: Table, query: dict[str, str]) -> None:
    match, mover, _ = table
    assert refusal(mover.ask("GET", f"/api/matches/{match.id}/state", **query)) == (400, "invalid_input")


def test_a_repeated_action_is_answered_as_the_first_time(table: Table) -> None:
    match, mover, other = table
    first = mover.act(match.id, 1, OPENING)
    assert timeless(mover.act(match.id, 1, OPENING)) == timeless(first)
    answer = {"type": "move", "from": 22, "to": 18}
    other.act(match.id, first["sequence"], answer)
    assert timeless(mover.act(match.id, 1, OPENING)) == timeless(first)
    assert len(other.get(f"/api/matches/{match.id}")["moves"]) == 2
    stale = mover.try_action(match.id, 1, {"type": "move", "from": 11, "to": 16})
    assert refusal(stale) == (409, "stale_sequence")


def test_a_repeated_resignation_is_answered_as_the_first_time(table: Table) -> None:
    match, mover, _ = table
    first = json_of(mover.try_action(match.id, 1, RESIGN))
    assert json_of(mover.try_action(match.id, 1, RESIGN)) == first


def test_twenty_refused_actions_are_a_forfeit(table: Table) -> None:
    match, mover, other = table
    wrong = {"type": "move", "from": 1, "to": 5}
    for _ in range(20):
        assert mover.state(match.id)["status"] == "your_turn"
        assert refusal(mover.try_action(match.id, 1, wrong)) == (400, "invalid_action")
    state = other.state(match.id)
    assert state["status"] == "game_over"
    assert {result["agentId"]: result["outcome"] for result in state["results"]} == {mover.id: "loss", other.id: "win"}
    assert refusal(mover.try_action(match.id, 1, OPENING)) == (409, "game_already_over")


def test_stale_and_early_actions_are_no_forfeit(table: Table) -> None:
    match, mover, other = table
    for _ in range(25):
        assert refusal(mover.try_action(match.id, 5, OPENING)) == (409, "stale_sequence")
        assert refusal(other.try_action(match.id, 1, {"type": "move", "from": 22, "to": 18})) == (409, "not_your_turn")
    assert mover.act(match.id, 1, OPENING)["status"] == "waiting"


def test_an_agent_has_so_many_requests_a_minute(strict_arena: ServerProcess, register: NewAgent) -> None:
    agent = register(strict_arena)
    match = agent.queue("checkers", opponent="house:easy")["matchId"]
    answers = [agent.ask("GET", f"/api/matches/{match}/state") for _ in range(60)]
    limited = next(answer for answer in answers if answer.status_code != 200)
    assert refusal(limited) == (429, "rate_limited")
    seconds = int(limited.headers["retry-after"])
    assert 0 < seconds <= 60 and 0 < limited.json()["retryAfterMs"] <= 60_000
    other = agent.ask("GET", "/api/matchmaking/status", gameId="checkers")
    assert refusal(other) == (429, "rate_limited")
    assert "retryAfterMs" not in other.json() and int(other.headers["retry-after"]) > 0
    assert register(strict_arena).status("checkers") == {"status": "not_queued"}


def test_a_body_that_is_too_long_is_refused(table: Table) -> None:
    match, mover, _ = table
    answer = mover.ask("POST", f"/api/matches/{match.id}/action", "x" * 100_000)
    assert answer.status_code == 413 and "error" in answer.json()
