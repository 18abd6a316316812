"""Matches to watch and to replay."""

from __future__ import annotations

import pytest
from tests.server.arena.stage import Stage, on_stage


@on_stage
async def test_matches_going_on_and_finished_ones_are_listed_apart(stage: Stage) -> None:
    over, one, _ = await stage.pair("checkers")
    await one.act(over, 1, {"type": "resign"})
    stage.clock.wait(1)
    live, *_ = await stage.pair("checkers")
    await stage.pair("backgammon")
    for query, id in (("", live), ("&status=active", live), ("&status=finished", over)):
        (listed,) = (await stage.get(f"/api/matches?gameId=checkers{query}"))["matches"]
        assert listed["id"] == id and len(listed["players"]) == 2
    (finished,) = (await stage.get("/api/matches?gameId=checkers&status=finished"))["matches"]
    assert (finished["reason"], finished["finishedAt"]) == ("resignation", "2023-11-14T22:13:20.000Z")


@on_stage
async def test_the_newest_is_first_and_no_more_than_asked_for(stage: Stage) -> None:
    ids = []
    for _ in range(3):
        stage.clock.wait(1)
        ids.append((await stage.pair("checkers"))[0])
    found = (await stage.get("/api/matches?gameId=checkers&limit=2"))["matches"]
    assert [match["id"] for match in found] == [ids[2], ids[1]]


@pytest.mark.parametrize(("query", "status"), [
    ("", 400), ("?gameId=chess", 404), ("?gameId=checkers&status=live", 400), ("?gameId=checkers&limit=x", 400),
])  # fmt: skip
@on_stage
async def test_a_list_needs_a_game(stage: Stage, query: str, status: int) -> None:
    assert (await stage.ask("GET", f"/api/matches{query}")).status_code == status
