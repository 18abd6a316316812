"""The list of games anyone may watch."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, RestApp

from ludus.server.rest.handlers import rooms
from ludus.service.commands import Resign

pytestmark = pytest.mark.anyio


async def listed(app: RestApp, game: str = "checkers") -> Any:
    answer = await app.ask("GET", f"/v1/rooms?game={game}", key="")
    assert answer.status_code == 200
    return answer.json()["rooms"]


async def pair(app: RestApp, game: str = "checkers") -> str:
    """The id of a new table between two people."""
    made = [await app.create(game=game, players=[{"id": f"{name}-1", "displayName": name}]) for name in ("Ann", "Ben")]
    return (await app.seat(*[each["sessionToken"] for each in made])).id


async def test_a_game_between_people_is_listed_while_it_goes_on(app: RestApp) -> None:
    assert await listed(app) == []
    table = (await app.platform.tables.load(await pair(app))).table
    table = await app.play(table, most=3)
    players = [{"id": f"person:{seat}", "username": "A person"} for seat in (0, 1)]
    assert await listed(app) == [{"roomId": table.id, "players": players, "moveCount": 3}]
    assert await listed(app, "backgammon") == []
    await app.platform.tables.execute(table.id, Resign(0))
    assert await listed(app) == []


async def test_private_rooms_are_not_listed(app: RestApp) -> None:
    made = await app.create(matchType="private", players=[ANN, BEN])
    table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
    assert table.opening.is_private
    assert await listed(app) == []


async def test_games_against_bots_are_not_listed(app: RestApp) -> None:
    made = await app.create(matchType="bot")
    await app.seat(made["sessionToken"])
    assert await listed(app) == []


async def test_the_newest_rooms_come_first_and_there_are_not_too_many(
    app: RestApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "SHOWN", 2)
    tables = []
    for _ in range(3):
        app.clock.ms += 1000
        tables.append(await pair(app, "backgammon"))
    assert [room["roomId"] for room in await listed(app, "backgammon")] == [tables[2], tables[1]]


@pytest.mark.parametrize(("query", "text"), [
    ("", "game is required"),
    ("?game=", "game is required"),
    ("?game=chess", "Invalid game. Valid: checkers, backgammon"),
])  # fmt: skip
async def test_rooms_are_listed_for_one_game(app: RestApp, query: str, text: str) -> None:
    answer = await app.ask("GET", f"/v1/rooms{query}", key="")
    assert (answer.status_code, answer.json()) == (400, {"error": text, "code": "malformed"})
