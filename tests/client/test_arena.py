"""Every request of the contract, as it goes out."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from tests.client.scripted import Scripted, over, refusal, state

from ludus.client import QueueStatus, Refused

MADE = {"id": "a1", "name": "Ann", "model": "m", "apiKey": "k", "claim_url": "u", "verification_code": "sc-verify-1"}


def exchange(answer: Any, call: Any) -> tuple[Any, tuple[str, str, Any]]:
    """What a call returns, and how it went out."""
    script = Scripted(answer)

    async def work() -> Any:
        async with script.arena() as arena:
            return await call(arena)

    return asyncio.run(work()), script.asked[0]


OWN_TOURNAMENT = {"status": "running", "isIn": True, "matchId": None}
TEXT = httpx2.Response(200, text="x")
REQUESTS: list[tuple[Any, Any, str, Any]] = [
    ({"id": "a1"}, lambda arena: arena.agent("a1"), "GET /api/agents/a1", None),
    ({"matches": []}, lambda arena: arena.matches("a1", 5), "GET /api/agents/a1/matches?limit=5", None),
    (None, lambda arena: arena.set_model("x"), "PATCH /api/agents/me", {"model": "x"}),
    ([], lambda arena: arena.games("classic"), "GET /api/games?tag=classic", None),
    ({}, lambda arena: arena.validator("checkers"), "GET /api/games/checkers/validator", None),
    ({"content": "text"}, lambda arena: arena.rules("checkers"), "GET /api/games/checkers/rules", None),
    ({"content": "text"}, lambda arena: arena.strategy("a/b"), "GET /api/games/a%2Fb/strategy", None),
    ({"tournaments": []}, lambda arena: arena.tournaments(), "GET /api/tournaments/active", None),
    ({}, lambda arena: arena.tournament("t/1"), "GET /api/tournaments/t%2F1", None),
    (OWN_TOURNAMENT, lambda arena: arena.own_tournament("t1"), "GET /api/tournaments/t1/me", None),
    (OWN_TOURNAMENT, lambda arena: arena.join_tournament("t1"), "POST /api/tournaments/t1/join", {}),
    (OWN_TOURNAMENT, lambda arena: arena.withdraw("t1"), "POST /api/tournaments/t1/withdraw", {}),
    ([], lambda arena: arena.leaderboard("checkers", 3), "GET /api/leaderboard?gameId=checkers&limit=3", None),
    ({"status": "left"}, lambda arena: arena.leave("checkers"), "DELETE /api/matchmaking/queue?gameId=checkers", None),
    (over(4), lambda arena: arena.state("m1"), "GET /api/matches/m1/state?wait=false", None),
    (over(4), lambda arena: arena.state("m1", after=3), "GET /api/matches/m1/state?wait=true&afterSequence=3", None),
    ({}, lambda arena: arena.record("m1"), "GET /api/matches/m1", None),
    (TEXT, lambda arena: arena.record_file("m1", "pdn"), "GET /api/matches/m1?format=pdn", None),
    (TEXT, lambda arena: arena.replay("m1"), "GET /api/matches/m1/replay.md", None),
    (TEXT, lambda arena: arena.guide(), "GET /api/guide", None),
]


@pytest.mark.parametrize(("answer", "call", "line", "body"), REQUESTS, ids=[line for _, _, line, _ in REQUESTS])
def test_requests_are_those_of_the_contract(answer: Any, call: Any, line: str, body: Any) -> None:
    assert exchange(answer, call)[1] == (*line.split(" "), body)


def test_registering_sets_the_key() -> None:
    script = Scripted(httpx2.Response(201, json=MADE), {"status": "not_queued"})

    async def work() -> None:
        async with script.arena(key=None) as arena:
            made = await arena.register("Ann", "m")
            assert made == ("a1", "Ann", "m", "k", "u", "sc-verify-1")
            await arena.status("checkers")

    asyncio.run(work())
    assert script.asked[0] == ("POST", "/api/agents", {"name": "Ann", "model": "m"})
    assert script.headers[1]["authorization"] == "Bearer k"


def test_only_given_options_are_sent_to_the_queue_and_the_arena_is_asked_to_pass() -> None:
    answer = {"status": "queued", "position": 2}
    place, asked = exchange(answer, lambda arena: arena.queue("checkers"))
    assert place == QueueStatus("queued", None, 2)
    assert asked[2] == {"gameId": "checkers", "autoPass": True}
    options = {"gameId": "checkers", "lane": "fast", "opponent": "house:easy"}
    matched, asked = exchange(
        {"status": "matched", "matchId": "m1", "players": ["a", "b"]},
        lambda arena: arena.queue("checkers", "fast", "house:easy", auto_pass=False),
    )
    assert matched == QueueStatus("matched", "m1")
    assert asked[2] == options


def test_a_finished_match_says_how_it_ended() -> None:
    found, _ = exchange(over(8), lambda arena: arena.state("m1"))
    assert found.over.outcome == "win"
    assert found.over.rating == (1500.0, 1662.2)
    assert found.over.reason == "borne_off"
    assert found.over.outcomes == {"me": "win", "you": "loss"}
    assert found.over.body["shareText"] == "Me won."


def test_a_match_without_a_rating_has_none() -> None:
    found, _ = exchange(over(8) | {"rating": None}, lambda arena: arena.state("m1"))
    assert found.over.rating is None


def test_a_turn_says_when_it_ends() -> None:
    body = state("your_turn", 3, turnEndsAt="2030-01-01T00:00:00.000Z")
    found, _ = exchange(body, lambda arena: arena.state("m1"))
    assert found.is_your_turn
    assert found.turn_ends_at == "2030-01-01T00:00:00.000Z"


def test_refusals_are_raised() -> None:
    with pytest.raises(Refused, match="name_taken"):
        exchange(refusal(409, "name_taken"), lambda arena: arena.register("Ann"))
