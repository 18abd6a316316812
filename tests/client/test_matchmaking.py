"""Finding a match."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.client.scripted import Scripted, over, refusal, state
from tests.client.scripted_sockets import ArenaSocket, scripted_arena

from ludus.client import Refused, matchmaking
from ludus.client.matchmaking import find_match

NOT_QUEUED = {"status": "not_queued"}
QUEUED = {"status": "queued", "position": 1}
MATCHED = {"status": "matched", "matchId": "m1"}


def find(script: Scripted, **options: Any) -> str:
    async def work() -> str:
        async with script.arena() as arena:
            return await find_match(arena, "backgammon", sockets=False, **options)

    return asyncio.run(work())


@pytest.fixture
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchmaking, "POLL_SECONDS", 0.0)


def test_a_match_may_start_at_once() -> None:
    script = Scripted(NOT_QUEUED, MATCHED)
    assert find(script, opponent="house:easy", lane="fast") == "m1"
    assert script.asked[1][2] == {"gameId": "backgammon", "lane": "fast", "opponent": "house:easy", "autoPass": True}


def test_the_options_of_a_game_are_asked_for() -> None:
    script = Scripted(NOT_QUEUED, MATCHED)
    assert find(script, match_length=7, cube=None) == "m1"
    assert script.asked[1][2] == {"gameId": "backgammon", "autoPass": True, "matchLength": 7}


def test_an_unfinished_match_comes_first() -> None:
    script = Scripted(MATCHED, state("waiting", 3))
    assert find(script) == "m1"
    assert [method for method, _, _ in script.asked] == ["GET", "GET"]


def test_a_finished_match_is_ignored() -> None:
    assert find(Scripted(MATCHED, over(9), {"status": "matched", "matchId": "m2"})) == "m2"


@pytest.mark.usefixtures("_without_pauses")
def test_waiting_polls_until_there_is_an_opponent() -> None:
    assert find(Scripted(NOT_QUEUED, QUEUED, QUEUED, QUEUED, MATCHED, state("your_turn", 2))) == "m1"


@pytest.mark.usefixtures("_without_pauses")
def test_an_expired_queue_entry_is_renewed() -> None:
    script = Scripted(NOT_QUEUED, QUEUED, NOT_QUEUED, QUEUED, MATCHED, state("your_turn", 2))
    assert find(script) == "m1"
    assert [method for method, _, _ in script.asked] == ["GET", "POST", "GET", "POST", "GET", "GET"]


@pytest.mark.usefixtures("_without_pauses")
def test_cancelling_leaves_the_queue() -> None:
    script = Scripted(NOT_QUEUED, QUEUED, refusal(401, "unauthorized"), {})
    with pytest.raises(Refused, match="unauthorized"):
        find(script)
    assert script.asked[-1][:2] == ("DELETE", "/api/matchmaking/queue?gameId=backgammon")


def test_a_socket_announces_the_match() -> None:
    async def scene(socket: ArenaSocket) -> None:
        await socket.send("match_found", matchId="other", gameId="checkers")
        await socket.send("match_found", matchId="past", gameId="backgammon")
        await socket.send("match_found", matchId="m1", gameId="backgammon")
        await socket.socket.wait_closed()

    async def work() -> str:
        script = Scripted(NOT_QUEUED, QUEUED, over(9), state("your_turn", 2))
        async with scripted_arena(script, scene) as arena:
            return await find_match(arena, "backgammon")

    assert asyncio.run(work()) == "m1"


def test_without_a_socket_polling_finds_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matchmaking, "POLL_SECONDS_WITH_SOCKET", 0.01)

    async def work() -> str:
        script = Scripted(NOT_QUEUED, QUEUED, QUEUED, MATCHED, state("your_turn", 2))
        async with scripted_arena(script, 404) as arena:
            return await find_match(arena, "backgammon")

    assert asyncio.run(work()) == "m1"
