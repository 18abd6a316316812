"""Whole games over HTTP, retries, waiting, and every way in which an action can be refused."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.server.arena.arena_app import Agent, ArenaApp, open_app, with_app, with_strict_app
from tests.service.faults import read_only
from tests.service.parts import FakeClock
from tests.service.platforms import until

from ludus.games import GAMES
from ludus.service.matches import MatchSeat

NOBODY = "00000000-0000-4000-8000-000000000000"
MOVE = {"type": "move", "from": 11, "to": 15}
RESIGN = {"type": "resign"}
ENVELOPE = {
    "results", "reason", "detail", "points", "rating", "newBadges", "messaging", "suggestions", "shareText",
    "replayUrl", "replayMarkdownUrl",
}  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_two_agents_play_a_whole_game(app: ArenaApp, game: str) -> None:
    match, one, two = await app.pair(game)
    begin = await one.state(match)
    assert set(begin) == {"matchId", "gameId", "gameType", "status", "sequence", "view", "turnEndsAt"}
    assert (begin["matchId"], begin["gameId"], begin["gameType"]) == (match, game, "sequential")
    assert (begin["status"], begin["sequence"]) == ("your_turn", 1)
    assert begin["turnEndsAt"] == "2023-11-14T22:28:20.000Z", "fifteen minutes in the fast lane"
    assert (await two.state(match))["status"] == "waiting"
    await app.play_out(match, one, two)
    ends = [await agent.state(match) for agent in (one, two)]
    for end, agent in zip(ends, (one, two), strict=True):
        assert set(end) == {"matchId", "gameId", "gameType", "status", "sequence", "view"} | ENVELOPE
        assert end["status"] == "game_over" and end["view"]["you"] == agent.id
        assert end["view"]["currentPlayer"] is None and not end["view"]["isYourTurn"]
        assert end["suggestions"] == [other for other in GAMES if other != game]
        assert end["replayMarkdownUrl"] == f"{end['replayUrl']}/replay.md"
        assert end["shareText"].endswith(end["replayUrl"].replace("/api/", "/"))  # the page for people
    assert ends[0]["results"] == ends[1]["results"]
    assert sorted(result["outcome"] for result in ends[0]["results"]) in (["loss", "win"], ["draw", "draw"])
    assert sum(end["rating"]["after"] - end["rating"]["before"] for end in ends) == pytest.approx(0)


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_an_agent_plays_a_bot_to_the_end(app: ArenaApp, game: str) -> None:
    agent = await app.agent()
    match = (await agent.queue(game, opponent="house:easy"))["matchId"]
    seen = 0
    while (state := await agent.state(match, f"?wait=true&afterSequence={seen}"))["status"] != "game_over":
        seen = state["sequence"]
        if state["status"] == "your_turn":
            assert (await agent.act(match, seen, agent.choose(state))).status_code == 200
    assert {result["agentId"] for result in state["results"]} == {agent.id, "house:easy"}
    assert state["rating"]["before"] == 1500


@with_app
async def test_an_accepted_action_is_answered_with_the_state_after_it(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    answer = await one.act(match, 1, MOVE)
    data = answer.json()
    assert set(data) == {"success", "state"} and data["success"] is True
    assert (data["state"]["status"], data["state"]["sequence"]) == ("waiting", 2)
    assert data["state"] == await one.state(match)


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_a_repeated_action_is_played_once_and_answered_as_the_first_time(app: ArenaApp, game: str) -> None:
    match, one, two = await app.pair(game)
    state = await one.state(match)
    action = one.choose(state)
    first = await one.act(match, state["sequence"], action)
    assert (await one.act(match, state["sequence"], action)).json() == first.json()
    await app.play_out(match, one, two, most=10)
    moves = len((await app.get(f"/api/matches/{match}"))["moves"])
    later = await one.act(match, state["sequence"], action)
    assert (later.status_code, later.json()) == (200, first.json())
    await app.play_out(match, one, two)
    assert (await one.act(match, state["sequence"], action)).json() == first.json()
    assert len((await app.get(f"/api/matches/{match}"))["moves"]) > moves


@with_app
async def test_a_repeated_resignation_is_answered_as_the_first_one(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    first = await one.act(match, 1, RESIGN)
    assert first.json()["state"]["status"] == "game_over"
    assert (await one.act(match, 1, RESIGN)).json() == first.json()


@with_app
async def test_the_same_action_written_otherwise_is_the_same(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    first = await one.act(match, 1, MOVE)
    again = await one.act(match, 1, {"to": 15.0, "why": "I like it", "from": 11, "type": "move"})
    assert again.json() == first.json()


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_of_many_actions_at_once_one_is_played(app: ArenaApp, game: str) -> None:
    match, one, _ = await app.pair(game)
    state = await one.state(match)
    first, second = [
        {"type": "move", "moves": move} if game == "backgammon" else {"type": "move", **move}
        for move in state["view"]["legalMoves"][:2]
    ]
    answers = await asyncio.gather(*[one.act(match, 1, action) for action in (first, second, first, second, first)])
    played = [answer.json() for answer in answers if answer.status_code == 200]
    refused = [answer.json() for answer in answers if answer.status_code != 200]
    assert len(played) in (2, 3) and all(data == played[0] for data in played)
    assert all(data["error"] == "stale_sequence" and data["currentSequence"] > 1 for data in refused)
    assert (await app.arena.table(match)).version == 2


@with_app
async def test_another_action_for_a_turn_that_is_over_is_stale(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    await one.act(match, 1, MOVE)
    for action in ({"type": "move", "from": 11, "to": 16}, RESIGN):
        answer = await one.act(match, 1, action)
        assert (answer.status_code, answer.json()) == (409, {"error": "stale_sequence", "currentSequence": 2})
    answer = await one.act(match, 99, MOVE)
    assert answer.json() == {"error": "stale_sequence", "currentSequence": 2}


@with_app
async def test_the_turn_of_the_other_is_not_yours(app: ArenaApp) -> None:
    match, _, two = await app.pair()
    answer = await two.act(match, 1, {"type": "move", "from": 22, "to": 18})
    assert (answer.status_code, answer.json()) == (409, {"error": "not_your_turn"})


@with_app
async def test_one_may_resign_when_the_other_is_to_move(app: ArenaApp) -> None:
    match, one, two = await app.pair()
    state = (await two.act(match, 1, RESIGN)).json()["state"]
    assert (state["status"], state["reason"]) == ("game_over", "resignation")
    assert {"agentId": one.id, "outcome": "win"} in state["results"]


@with_app
async def test_after_the_end_nothing_can_be_done(app: ArenaApp) -> None:
    match, one, two = await app.pair()
    await one.act(match, 1, RESIGN)
    for agent in (one, two):
        for action in (MOVE, {"type": "move", "from": 9, "to": 13}, "nonsense"):
            answer = await agent.act(match, (await agent.state(match))["sequence"], action)
            assert (answer.status_code, answer.json()) == (409, {"error": "game_already_over"})


@with_app
async def test_an_illegal_move_is_refused_with_the_rule_it_breaks(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    answer = await one.act(match, 1, {"type": "move", "from": 11, "to": 18})
    assert answer.status_code == 400
    assert answer.json() == {"error": "invalid_action", "details": "the piece on 11 cannot move to 18"}
    assert (await one.state(match))["sequence"] == 1


@pytest.mark.parametrize(("action", "detail"), [
    (None, "action: must be an object"),
    ("move", "action: must be an object"),
    ({}, 'action.type: must be "move" or "resign"'),
    ({"type": ["move"]}, 'action.type: must be "move" or "resign"'),
    ({"type": "move", "from": 0, "to": 15}, "action.from: must be a whole number from 1 to 32"),
    ({"type": "move", "from": True, "to": 15}, "action.from: must be a whole number from 1 to 32"),
    ({"type": "move", "from": 11, "to": 15, "captures": 7}, "action.captures: must be a list of 0 to 12 squares"),
])  # fmt: skip
@with_app
async def test_what_is_no_action_is_refused_with_a_list(app: ArenaApp, action: Any, detail: str) -> None:
    match, one, _ = await app.pair()
    answer = await one.act(match, 1, action)
    assert (answer.status_code, answer.json()) == (400, {"error": "invalid_input", "details": [detail]})


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b"null", {}, {"sequence": 1}, {"action": MOVE}, {"sequence": "1", "action": MOVE},
    {"sequence": True, "action": MOVE}, {"sequence": -1, "action": MOVE}, {"sequence": 1.5, "action": MOVE},
    {"sequence": None, "action": MOVE}, b'{"sequence": NaN, "action": {}}', b'{"sequence": 1e999, "action": {}}',
])  # fmt: skip
@with_app
async def test_what_is_no_request_for_an_action_is_refused(app: ArenaApp, body: Any) -> None:
    match, one, _ = await app.pair()
    answer = await one.ask("POST", f"/api/matches/{match}/action", body)
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")
    assert isinstance(answer.json()["details"], list)


@pytest.mark.parametrize("match", [NOBODY, "x", "x" * 65, "%00", "%ED%A0%80"])
@with_app
async def test_a_match_that_is_not_there_is_not_found(app: ArenaApp, match: str) -> None:
    agent = await app.agent()
    for answer in (
        await agent.ask("GET", f"/api/matches/{match}/state"),
        await agent.ask("GET", f"/api/matches/{match}/state?wait=true"),
        await agent.act(match, 1, MOVE),
        await app.ask("GET", f"/api/matches/{match}"),
        await app.ask("GET", f"/api/matches/{match}/replay.md"),
    ):
        assert (answer.status_code, answer.json()) == (404, {"error": "match_not_found"})


@with_app
async def test_another_agents_match_cannot_be_seen_or_played(app: ArenaApp) -> None:
    match, _, _ = await app.pair()
    other = await app.agent()
    for answer in (
        await other.ask("GET", f"/api/matches/{match}/state"),
        await other.ask("GET", f"/api/matches/{match}/state?wait=true&afterSequence=1"),
        await other.act(match, 1, MOVE),
        await other.act(match, 1, "nonsense"),
    ):
        assert (answer.status_code, answer.json()) == (403, {"error": "not_a_player"})


@with_strict_app
async def test_what_comes_out_of_turn_is_not_counted_whatever_it_says(app: ArenaApp) -> None:
    match, one, two = await pair_at_once(app)
    for _ in range(2):
        for action in (None, {"type": "nonsense"}, {"type": "move", "from": 11, "to": 18}):
            app.clock.wait(60)
            assert (await two.act(match, 1, action)).json() == {"error": "not_your_turn"}
            assert (await one.act(match, 9, action)).json() == {"error": "stale_sequence", "currentSequence": 1}
    app.clock.wait(60)
    assert (await one.state(match))["status"] == "your_turn"


@with_strict_app
async def test_too_many_refused_actions_forfeit_the_match(app: ArenaApp) -> None:
    match, one, two = await pair_at_once(app)
    illegal = {"type": "move", "from": 11, "to": 18}
    for action in (illegal, {"type": "nonsense"}, illegal):
        app.clock.wait(60)
        assert (await one.act(match, 1, action)).status_code == 400
    app.clock.wait(60)
    end = await two.state(match)
    assert (end["status"], end["reason"], end["detail"]) == ("game_over", "aborted", "invalid_actions")
    assert {"agentId": two.id, "outcome": "win"} in end["results"]
    assert (await one.act(match, 1, illegal)).json() == {"error": "game_already_over"}


@with_strict_app
async def test_what_merely_came_too_late_forfeits_nothing(app: ArenaApp) -> None:
    match, one, two = await pair_at_once(app)
    for _ in range(4):
        app.clock.wait(60)
        assert (await two.act(match, 1, MOVE)).status_code == 409
        assert (await one.act(match, 7, MOVE)).status_code == 409
    assert (await one.state(match))["status"] == "your_turn"


async def pair_at_once(app: ArenaApp) -> tuple[str, Agent, Agent]:
    """A pair for a app that counts requests."""
    pair = await app.pair()
    app.clock.wait(60)
    return pair


@pytest.mark.parametrize(("lane", "minutes"), [("fast", 15), ("standard", 65)])
@with_app
async def test_who_takes_too_long_loses_by_timeout(app: ArenaApp, lane: str, minutes: int) -> None:
    match, one, two = await app.pair(lane=lane)
    await app.spend(60 * minutes - 1)
    assert (await one.state(match))["status"] == "your_turn"
    await app.spend(1)
    end = await two.state(match)
    assert (end["status"], end["reason"]) == ("game_over", "timeout")
    assert {"agentId": one.id, "outcome": "loss"} in end["results"]
    listed = (await app.get(f"/api/agents/{one.id}/matches"))["matches"][0]
    assert (listed["outcome"], listed["reason"]) == ("loss", "timeout")


@with_app
async def test_without_wait_the_state_comes_at_once(app: ArenaApp) -> None:
    match, _, two = await app.pair()
    for query in ("", "?wait=false", "?wait=False&afterSequence=1", "?afterSequence=1", "?afterSequence=-1"):
        assert (await two.state(match, query))["status"] == "waiting"


@pytest.mark.parametrize("query", [
    "wait=yes", "wait=", "wait=1", "afterSequence=x", "afterSequence=-2", "afterSequence=", "afterSequence=1.5",
    "wait=true&afterSequence=1e3", "wait=true&afterSequence=9999999999999999",
])  # fmt: skip
@with_app
async def test_a_query_that_means_nothing_is_refused(app: ArenaApp, query: str) -> None:
    match, one, _ = await app.pair()
    answer = await one.ask("GET", f"/api/matches/{match}/state?{query}")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")


@with_app
async def test_who_waits_is_answered_when_the_other_has_moved(app: ArenaApp) -> None:
    match, one, two = await app.pair()
    asked = [asyncio.create_task(two.state(match, f"?wait=true{rest}")) for rest in ("", "&afterSequence=1")]
    await until(lambda: len(app.arena.long_polls) == 2)
    await one.act(match, 1, MOVE)
    for state in await asyncio.gather(*asked):
        assert (state["status"], state["sequence"]) == ("your_turn", 2)
    assert len(app.arena.long_polls) == 0


@with_app
async def test_who_is_to_move_or_has_seen_less_does_not_wait(app: ArenaApp) -> None:
    match, one, two = await app.pair()
    assert (await one.state(match, "?wait=true"))["status"] == "your_turn"
    assert (await two.state(match, "?wait=true&afterSequence=0"))["status"] == "waiting"
    await one.act(match, 1, RESIGN)
    for agent in (one, two):
        assert (await agent.state(match, "?wait=true&afterSequence=2"))["status"] == "game_over"


@with_app
async def test_who_waits_hears_of_the_end(app: ArenaApp) -> None:
    match, one, two = await app.pair()
    asked = asyncio.create_task(two.state(match, "?wait=true&afterSequence=1"))
    await until(lambda: len(app.arena.long_polls) == 1)
    await one.act(match, 1, RESIGN)
    assert (await asked)["reason"] == "resignation"


@with_app
async def test_no_one_waits_forever(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    app.arena.hold_seconds = 0.01
    assert (await one.state(match, "?wait=true&afterSequence=1"))["status"] == "your_turn"
    assert len(app.arena.long_polls) == 0


@with_app
async def test_a_server_that_stops_lets_everybody_go(app: ArenaApp) -> None:
    match, one, two = await app.pair()
    asked = asyncio.create_task(two.state(match, "?wait=true&afterSequence=1"))
    await until(lambda: len(app.arena.long_polls) == 1)
    app.arena.stop()
    assert (await asked)["status"] == "waiting"
    assert (await one.state(match, "?wait=true&afterSequence=1"))["status"] == "your_turn"


@with_strict_app
async def test_too_many_requests_are_refused_with_a_retry_time(app: ArenaApp) -> None:
    agent = await app.agent()
    for _ in range(5):
        await agent.ask("GET", f"/api/matches/{NOBODY}/state")
    answer = await agent.ask("GET", f"/api/matches/{NOBODY}/state")
    assert (answer.status_code, answer.json()) == (429, {"error": "rate_limited", "retryAfterMs": 60_000})
    assert answer.headers["Retry-After"] == "60"
    answer = await agent.act(NOBODY, 1, MOVE)
    assert (answer.status_code, answer.json()) == (429, {"error": "rate_limited"})


@with_app
async def test_what_is_played_is_counted(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    for _ in range(2):
        await one.act(match, 1, MOVE)
    assert 'ludus_moves_total{game="checkers"} 1.0' in app.arena.metrics.render()[0].decode()


def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    """The same answers to the same questions from a platform that was closed and opened again."""

    async def happen() -> None:
        clock = FakeClock()
        async with open_app(tmp_path, clock) as app:
            match, one, two = await app.pair("backgammon")
            over, *_ = await app.pair()
            state = await one.state(match)
            action = one.choose(state)
            first = (await one.act(match, 1, action)).json()
            before = await two.state(match)
            players = {agent["id"]: agent for agent in (await app.get(f"/api/matches/{over}"))["players"]}
            end = await ended(app, over)
        async with open_app(tmp_path, clock) as app:
            one, two = Agent(app, one.registration), Agent(app, two.registration)
            assert (await one.act(match, 1, action)).json() == first
            assert await two.state(match) == before
            await app.play_out(match, two, one)
            assert await ended(app, over) == end
            assert set(players) == {result["agentId"] for result in end["results"]}

    asyncio.run(happen())


async def ended(app: ArenaApp, match: str) -> Any:
    """Resigns the match if it is still active; returns its end as the first player receives it."""
    at = MatchSeat(await app.arena.table(match), 0)
    if at.table.outcome is None:
        await app.arena.play(at, 1, RESIGN)
    return await app.arena.state(MatchSeat(await app.arena.table(match), 0))


@with_app
async def test_an_action_that_could_not_be_stored_can_be_repeated(app: ArenaApp) -> None:
    match, one, _ = await app.pair("checkers")
    state = await one.state(match)
    action = one.choose(state)
    with read_only(app.platform):
        refused = await one.act(match, state["sequence"], action)
        assert (refused.status_code, refused.json()) == (503, {"error": "unavailable"})
        assert refused.headers["Retry-After"] == "1"
        assert await one.state(match) == state
    for _ in range(2):
        assert (await one.act(match, state["sequence"], action)).status_code == 200
    assert (await one.state(match))["sequence"] == state["sequence"] + 1
