"""The list of games that anybody may watch."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rest.office import Office

from ludus.server.rest.handlers import rooms
from ludus.service.commands import Resign

pytestmark = pytest.mark.anyio


async def listed(office: Office, game: str = "checkers") -> Any:
    answer = await office.ask("GET", f"/v1/rooms?game={game}", key="")
    assert answer.status_code == 200
    return answer.json()["rooms"]


async def pair(office: Office, game: str = "checkers") -> str:
    """The id of a new table between two people."""
    players = [{"id": name, "displayName": name.upper()} for name in ("x", "y")]
    made = await office.create(game=game, matchType="private", players=players)
    friend = await office.join(made, players[1])
    return (await office.seat(made["sessionToken"], friend["sessionToken"])).id


async def test_a_game_between_people_is_listed_while_it_goes_on(office: Office) -> None:
    assert await listed(office) == []
    table = (await office.platform.tables.load(await pair(office))).table
    table = await office.play(table, most=3)
    players = [{"id": seat.id, "username": seat.name} for seat in table.seats]
    assert await listed(office) == [{"roomId": table.id, "players": players, "moveCount": 3}]
    assert await listed(office, "backgammon") == []
    await office.platform.tables.execute(table.id, Resign(0))
    assert await listed(office) == []


async def test_games_against_bots_are_not_listed(office: Office) -> None:
    made = await office.create(matchType="bot")
    await office.seat(made["sessionToken"])
    assert await listed(office) == []


async def test_the_newest_rooms_come_first_and_there_are_not_too_many(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "SHOWN", 2)
    tables = []
    for _ in range(3):
        office.clock.ms += 1000
        tables.append(await pair(office, "backgammon"))
    assert [room["roomId"] for room in await listed(office, "backgammon")] == [tables[2], tables[1]]


@pytest.mark.parametrize(("query", "text"), [
    ("", "game is required"),
    ("?game=", "game is required"),
    ("?game=chess", "Invalid game. Valid: checkers, backgammon"),
])  # fmt: skip
async def test_rooms_are_listed_for_one_game(office: Office, query: str, text: str) -> None:
    answer = await office.ask("GET", f"/v1/rooms{query}", key="")
    assert (answer.status_code, answer.json()) == (400, {"error": text, "code": "malformed"})
