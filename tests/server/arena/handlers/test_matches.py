"""What remains of a match: its record, to compute with, to read and to keep as a file."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.server.arena.arena_app import Agent, ArenaApp, with_app

from ludus.games import GAMES
from ludus.server.arena import replay
from ludus.server.arena.handlers import matches
from ludus.service import proof
from ludus.service.commands import Resign
from ludus.service.lobby import Seeker
from ludus.service.table import Seat, SeatKind

FORMATS = {"checkers": "pdn", "backgammon": "mat"}


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_a_record_has_the_players_the_moves_the_times_and_the_result(app: ArenaApp, game: str) -> None:
    match, one, two = await app.pair(game)
    end = await app.play_out(match, one, two)
    record = await app.get(f"/api/matches/{match}")
    assert (record["id"], record["gameId"], record["status"], record["lane"]) == (match, game, "finished", "fast")
    assert (record["variant"], record["rated"]) == ("standard", True)
    assert {player["id"] for player in record["players"]} == {one.id, two.id}
    assert record["startedAt"] == "2023-11-14T22:13:20.000Z" < record["finishedAt"]
    assert [move["number"] for move in record["moves"]] == list(range(1, len(record["moves"]) + 1))
    assert [move["at"] for move in record["moves"]] == sorted(move["at"] for move in record["moves"])
    assert record["moves"][0]["player"] == one.id and record["moves"][0]["at"] == "2023-11-14T22:13:21.000Z"
    assert record["result"]["results"] == end["results"] and record["result"]["reason"] == end["reason"]
    winners = [result["agentId"] for result in end["results"] if result["outcome"] == "win"]
    assert record["result"]["winner"] == (winners[0] if winners else None)


@with_app
async def test_a_game_can_be_played_again_from_its_record(app: ArenaApp) -> None:
    match, one, two = await app.pair("checkers")
    await app.play_out(match, one, two)
    record = await app.get(f"/api/matches/{match}")
    rules = GAMES["checkers"]
    position = rules.variants["standard"]
    for move in record["moves"]:
        found = rules.notation.read_move(position, move["notation"])
        assert (move["from"], move["to"], move["captures"]) == (found.origin, found.landing, list(found.captures))
        assert move["path"] == list(found.path)
        position = rules.play(position, found)
    assert rules.notation.write_position(position) == record["position"]


@with_app
async def test_the_moves_of_backgammon_come_with_their_dice(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    await app.play_out(match, one, two)
    record = await app.get(f"/api/matches/{match}")
    for move in record["moves"]:
        assert len(move["dice"]) == 2 and set(move["dice"]) <= set(range(1, 7))
        assert len(move["moves"]) <= (4 if len(set(move["dice"])) == 1 else 2)
        assert (move["notation"] == "pass") == (not move["moves"])


@with_app
async def test_the_dice_can_be_checked_when_the_match_is_over_and_not_before(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    before = await app.get(f"/api/matches/{match}")
    assert before["dice"]["commitment"] and before["dice"]["seed"] is None
    assert "DiceSeed" not in (await app.ask("GET", f"/api/matches/{match}?format=mat")).text
    await app.play_out(match, one, two)
    after = await app.get(f"/api/matches/{match}")
    assert after["dice"]["commitment"] == before["dice"]["commitment"] and after["dice"]["seed"]
    (game,) = GAMES["backgammon"].notation.read_games((await app.ask("GET", f"/api/matches/{match}?format=mat")).text)
    assert proof.prove_record(game).is_good


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("moves", [0, 6, 10_000])
@with_app
async def test_a_match_is_a_file_of_its_own_kind_also_while_it_goes_on(app: ArenaApp, game: str, moves: int) -> None:
    match, one, two = await app.pair(game)
    await app.play_out(match, one, two, most=moves)
    answer = await app.ask("GET", f"/api/matches/{match}?format={FORMATS[game]}")
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/plain")
    assert one.registration["name"] in answer.text and two.registration["name"] in answer.text
    table = await app.arena.table(match)
    (read,) = GAMES[game].notation.read_games(answer.text)
    assert list(read.moves) == list(table.game.moves)[: len(read.moves)]
    assert len(table.game.moves) - len(read.moves) <= 1, "a roll that was not played is not in a file"


@pytest.mark.parametrize(("game", "kind"), [
    ("checkers", "mat"), ("backgammon", "pdn"), ("checkers", ""), ("checkers", "PDN"), ("backgammon", "xml"),
])  # fmt: skip
@with_app
async def test_another_kind_of_file_is_refused(app: ArenaApp, game: str, kind: str) -> None:
    match, *_ = await app.pair(game)
    answer = await app.ask("GET", f"/api/matches/{match}?format={kind}")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")
    assert answer.json()["details"] == [f"format: must be one of json, {FORMATS[game]}"]


@with_app
async def test_games_of_people_among_themselves_are_no_matches(app: ArenaApp) -> None:
    agent = await app.agent()
    for id in ("ann", "ben"):
        seat = Seat(f"tenant/live/{id}", id, id.capitalize(), SeatKind.PERSON)
        table = (await app.platform.lobby.join(Seeker(seat, "checkers", "live", "live", 1500, False, None))).table
    assert table is not None
    for path in (f"/api/matches/{table.id}", f"/api/matches/{table.id}/replay.md", f"/api/matches/{table.id}/state"):
        answer = await agent.ask("GET", path)
        assert (answer.status_code, answer.json()) == (404, {"error": "match_not_found"})
    assert await app.get("/api/matches?gameId=checkers") == {"matches": []}


@with_app
async def test_an_apps_name_for_a_person_is_never_published(app: ArenaApp) -> None:
    agent = await app.agent()
    seats = [
        Seat(f"agent/{agent.id}", agent.id, agent.registration["name"], SeatKind.AGENT),
        Seat("tenant/test/ann@example.org", "ann@example.org", "Ann Onymous", SeatKind.PERSON),
    ]
    for seat in seats:
        table = (await app.platform.lobby.join(Seeker(seat, "checkers", "test", "any", 1500, False, None))).table
    assert table is not None
    state = await agent.state(table.id)
    if state["status"] == "your_turn":
        await agent.act(table.id, state["sequence"], {"type": "resign"})
    else:
        await app.platform.tables.execute(table.id, Resign(1 - table.seats.index(seats[0])))
    texts = [
        (await agent.ask("GET", path)).text
        for path in (
            f"/api/matches/{table.id}/state",
            f"/api/matches/{table.id}",
            f"/api/matches/{table.id}?format=pdn",
            f"/api/matches/{table.id}/replay.md",
            f"/api/agents/{agent.id}/matches",
            "/api/matches?gameId=checkers&status=finished",
        )
    ]
    assert all("ann@example.org" not in text and "Onymous" not in text for text in texts)
    assert all("person:" in text for text in (texts[1], texts[4], texts[5]))
    assert all("A person" in text for text in texts), "the share text is in the state"


@with_app
async def test_matches_going_on_and_finished_ones_are_listed_apart(app: ArenaApp) -> None:
    over, one, _ = await app.pair("checkers")
    await one.act(over, 1, {"type": "resign"})
    app.clock.wait(1)
    live, *_ = await app.pair("checkers")
    await app.pair("backgammon")
    for query, id in (("", live), ("&status=active", live), ("&status=finished", over)):
        (listed,) = (await app.get(f"/api/matches?gameId=checkers{query}"))["matches"]
        assert listed["id"] == id and len(listed["players"]) == 2
    (finished,) = (await app.get("/api/matches?gameId=checkers&status=finished"))["matches"]
    assert (finished["reason"], finished["finishedAt"]) == ("resignation", "2023-11-14T22:13:20.000Z")


@with_app
async def test_the_newest_is_first_and_no_more_than_asked_for(app: ArenaApp) -> None:
    ids = []
    for _ in range(3):
        app.clock.wait(1)
        ids.append((await app.pair("checkers"))[0])
    found = (await app.get("/api/matches?gameId=checkers&limit=2"))["matches"]
    assert [match["id"] for match in found] == [ids[2], ids[1]]


@pytest.mark.parametrize(("query", "status"), [
    ("", 400), ("?gameId=chess", 404), ("?gameId=checkers&status=live", 400), ("?gameId=checkers&limit=x", 400),
])  # fmt: skip
@with_app
async def test_a_list_needs_a_game(app: ArenaApp, query: str, status: int) -> None:
    assert (await app.ask("GET", f"/api/matches{query}")).status_code == status


@pytest.mark.parametrize("kind", ["", "?format=pdn", "/replay.md"])
@with_app
async def test_a_finished_match_is_written_once_for_all_who_ask(
    app: ArenaApp, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, one, two = await app.pair("checkers")
    await app.play_out(match, one, two)
    first = await app.ask("GET", f"/api/matches/{match}{kind}")
    for name in ("record", "record_file"):
        monkeypatch.delattr(matches, name)
    monkeypatch.delattr(replay, "markdown")
    again = await app.ask("GET", f"/api/matches/{match}{kind}")
    assert (again.status_code, again.content, again.headers["ETag"]) == (200, first.content, first.headers["ETag"])
    assert again.headers["Cache-Control"] == "no-cache"
    same = await app.ask("GET", f"/api/matches/{match}{kind}", **{"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.content) == (304, b"")


@with_app
async def test_a_match_in_progress_is_never_shown_as_it_was(app: ArenaApp) -> None:
    match, one, two = await app.pair("checkers")
    before = await app.ask("GET", f"/api/matches/{match}")
    await app.play_out(match, one, two, most=1)
    after = await app.ask("GET", f"/api/matches/{match}", **{"If-None-Match": before.headers["ETag"]})
    assert (after.status_code, len(after.json()["moves"])) == (200, len(before.json()["moves"]) + 1)
    assert after.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("kind", ["", "?format=pdn", "/replay.md"])
@with_app
async def test_what_was_written_before_an_agent_was_deleted_is_not_shown_after_it(app: ArenaApp, kind: str) -> None:
    match, one, two = await app.pair("checkers")
    await app.play_out(match, one, two)
    name = one.registration["name"]
    before = await app.ask("GET", f"/api/matches/{match}{kind}")
    assert name in before.text
    await one.must("DELETE", "/api/agents/me")
    after = await app.ask("GET", f"/api/matches/{match}{kind}", **{"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200 and name not in after.text and "Deleted agent" in after.text


async def analyzed(app: ArenaApp, agent: Agent, match: str) -> Any:
    """The analysis that an agent asked for, once it is done."""
    path = f"/api/matches/{match}/analysis"
    await agent.must("POST", path)
    while (shown := await app.get(path))["state"] != "done":
        await asyncio.sleep(0)
    return shown


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_any_agent_can_have_a_finished_match_analyzed(app: ArenaApp, game: str) -> None:
    match, one, two = await app.pair(game)
    await app.play_out(match, one, two)
    shown, record = await analyzed(app, await app.agent(), match), await app.get(f"/api/matches/{match}")
    made = {move["number"]: move for move in record["moves"]}
    assert {move["number"] for move in shown["moves"]} == set(made)
    assert shown["colors"] == [player["color"] for player in record["players"]]
    for move in shown["moves"]:
        entry = made[move["number"]]
        assert shown["colors"][move["seat"]] == entry["color"] and "board" not in move
        [played] = [each for each in move["candidates"] if each["isPlayed"]] or [None]
        if played:
            assert played["move"] == {field: entry[field] for field in played["move"]}
    assert await app.get(f"/api/matches/{match}/analysis?after={len(made)}") == shown | {"moves": []}


@with_app
async def test_a_match_in_progress_is_not_analyzed(app: ArenaApp) -> None:
    match, one, _ = await app.pair("checkers")
    path = f"/api/matches/{match}/analysis"
    assert (await app.get(path))["state"] == "none"
    answer = await one.ask("POST", path)
    assert (answer.status_code, answer.json()["error"]) == (409, "not_over")
    assert (await app.get(path))["state"] == "none"
