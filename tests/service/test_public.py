"""The record of a game can be read again, whatever its players are called."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.rest.rest_app import NOW, RestApp, open_app

from ludus.games import GAMES
from ludus.service.commands import Resign
from ludus.service.public import (
    page_player,
    page_players_of,
    player,
    players_of,
    public_id,
    public_name,
    public_seats,
    record_file,
)
from ludus.service.table import Seat, SeatKind, Table, row_player

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RestApp]:
    async with open_app(tmp_path) as app:
        yield app


def record(table: Table) -> str:
    return record_file(table, [seat.name for seat in table.seats])


NAMES = [
    ("Ann", "Ben"),
    ('"]', "\\"),
    ("; {1} [x", "{a} (b) $1"),
    ("漢字", "😀 : 7"),
    (" ", "white"),
    ("* 1-0", "1. 11-15"),
]


@pytest.mark.parametrize("names", NAMES, ids=str)
@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_a_record_tells_who_played_when_and_where(app: RestApp, game: str, names: tuple[str, str]) -> None:
    players = [{"id": f"player{n}", "displayName": name} for n, name in enumerate(names)]
    made = await app.create(game=game, matchType="private", players=players)
    friend = await app.join(made, players[1])
    table = await app.play(await app.seat(made["sessionToken"], friend["sessionToken"]), most=9)
    table = (await app.platform.tables.execute(table.id, Resign(1))).table
    (found,) = GAMES[game].notation.read_games(record(table))
    assert (found.moves, found.outcome) == (table.game.moves, table.outcome)
    first, second = (colour.capitalize() for colour in GAMES[game].players)
    usual = {"White": "white", "Black": "black"} if game == "backgammon" else {}
    kept = {**usual, **found.tags}
    assert (kept[first], kept[second]) == (table.seats[0].name, table.seats[1].name)
    assert (kept["Date"], kept["Table"]) == ("2023.11.14", table.id)
    assert kept.get("DiceCommitment") == table.commitment
    assert table.opened_at == NOW


async def test_telling_a_game_leaves_it_as_it_is(app: RestApp) -> None:
    made = await app.create(matchType="bot")
    table = await app.seat(made["sessionToken"])
    record(table)
    assert table.game.tags == {}


ANN = Seat("person/7", "7", "Ann", SeatKind.PERSON)
BEN = Seat("acme/live/ben", "ben", "Ben", SeatKind.PERSON)
AGENT = Seat("agent/a1", "a1", "Deep Thought", SeatKind.AGENT)


async def table_of(app: RestApp, first: Seat, second: Seat) -> Table:
    made = await app.create(matchType="bot")
    table = await app.seat(made["sessionToken"])
    opening = table.opening._replace(seats=(first, second))
    return table._replace(opening=opening, players=tuple(map(row_player, opening.seats)))


async def test_the_page_names_its_own_people_and_no_apps_players(app: RestApp) -> None:
    table = await table_of(app, ANN, BEN)
    shown = [
        {"id": "person:7", "name": "Ann", "kind": "person"},
        {"id": "person:1", "name": "A person", "kind": "person"},
    ]
    assert [page_player(table, seat) for seat in (0, 1)] == shown
    assert page_players_of(table.row()) == shown
    assert [(seat.id, seat.name) for seat in public_seats(table)] == [("person:7", "Ann"), ("person:1", "A person")]
    assert "Ann" in record_file(table)
    assert "Ben" not in record_file(table)


async def test_agents_meet_a_person_without_a_name(app: RestApp) -> None:
    table = await table_of(app, AGENT, ANN)
    somebody = {"id": "person:1", "name": "A person", "kind": "person"}
    assert (public_id(table, 1), public_name(table, 1), player(table, 1)) == ("person:1", "A person", somebody)
    assert players_of(table.row())[1] == somebody
    assert "Ann" not in record_file(table)
    assert page_player(table, 1)["name"] == "Ann"
