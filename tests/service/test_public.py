"""The record of a game can be read again, whatever its players are called."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.server.rest.rest_app import NOW, RestApp, open_app

from ludus.games import GAMES
from ludus.service.commands import Resign
from ludus.service.public import record_file
from ludus.service.table import Table

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
