"""A tournament whose matches may end before the agent has looked."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from ludus.client import GameOver, View, play_tournament

from .scripted import Scripted, over


def standing(status: str, match: str | None = None, *, is_in: bool = True) -> dict[str, Any]:
    return {"status": status, "isOwner": False, "isIn": is_in, "number": 2, "matchId": match}


def shown(*pairings: tuple[int, int | None, str, list[str]]) -> dict[str, Any]:
    fields = ("first", "second", "status", "matches")
    return {"pairings": [dict(zip(fields, each, strict=True)) for each in pairings]}


def match(id: str) -> dict[str, Any]:
    return {**over(9), "matchId": id}


def agent(view: View) -> Any:
    raise AssertionError("there is no turn")


def played(script: Scripted) -> list[str]:
    async def all_matches() -> list[GameOver]:
        async with script.arena() as arena:
            return [each async for each in play_tournament(arena, "t1", agent, sockets=False)]

    return [each.match for each in asyncio.run(all_matches())]


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["ludus.client.run"], "TOURNAMENT_SECONDS", 0.0)


def test_a_match_that_ended_before_the_agent_knew_comes_last() -> None:
    script = Scripted(
        standing("created"), shown(), standing("running"), standing("running", "m2"), match("m2"), standing("finished"),
        shown((2, 5, "over", ["m1"]), (3, 4, "over", ["m3"]), (6, 2, "over", ["m2"]), (2, None, "over", [])),
        match("m1"),
    )  # fmt: skip
    assert played(script) == ["m2", "m1"]
    assert script.is_done


def test_matches_of_an_earlier_run_are_left_out_and_an_aborted_one_is_not() -> None:
    before = shown((2, 5, "over", ["m1"]), (6, 2, "live", ["m2"]))
    after = shown((2, 5, "over", ["m1"]), (6, 2, "over", ["m2", "m3"]))
    script = Scripted(
        standing("running", "m2"), before, match("m2"), standing("running"), standing("finished"), after, match("m3"),
    )  # fmt: skip
    assert played(script) == ["m2", "m3"]
    assert script.is_done


def test_an_agent_that_was_withdrawn_gets_its_last_match() -> None:
    script = Scripted(
        standing("running"), shown(), standing("running", is_in=False), shown((2, 5, "over", ["m1"])), match("m1")
    )
    assert played(script) == ["m1"]
    assert script.is_done
