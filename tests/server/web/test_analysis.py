"""Analysis as the page asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, RestApp, open_app

from ludus.engines.engine import Line
from ludus.engines.review import review
from ludus.service.analysis import signature, to_data
from ludus.service.commands import Resign
from ludus.service.ports import PutAnalysis
from ludus.service.records import Analysis
from ludus.service.table import Table

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def pair(app: RestApp, game: str) -> Table:
    made = await app.create(game=game, matchType="private", players=[ANN, BEN])
    return await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])


async def analysed(app: RestApp, table: Table, engine: str) -> None:
    """As an engine would have left it that likes the first move of each list best."""

    def ask(position: Any, past: Sequence[Any], lines: int) -> list[Line[Any]]:
        return [Line(move, 0.5 - 0.2 * i) for i, move in enumerate(table.game.rules.moves(position)[:lines])]

    moves = to_data(table.game, review(table.game, ask))
    await app.server.store.commit(PutAnalysis(Analysis(table.id, engine, moves, 1)))


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_an_analysis_survives_a_restart(tmp_path: Path, game: str) -> None:
    async with open_app(tmp_path) as app:
        table = await app.play(await pair(app, game), most=6)
        table = (await app.platform.tables.execute(table.id, Resign(0))).table
        await analysed(app, table, signature(game))
    async with open_app(tmp_path) as app:
        shown = (await app.client.get(f"/web/tables/{table.id}/analysis")).json()
        assert (shown["state"], shown["done"], shown["total"]) == ("done", 6, 6)
        assert len({move["number"] for move in shown["moves"]}) == 6
        asked = await app.client.post(f"/web/tables/{table.id}/analysis")
        assert asked.status_code == 200 and asked.json() == shown


async def test_what_an_older_engine_thought_is_not_shown(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await app.play(await pair(app, "checkers"), most=4)
        table = (await app.platform.tables.execute(table.id, Resign(0))).table
        await analysed(app, table, "an older one")
        assert (await app.client.get(f"/web/tables/{table.id}/analysis")).json()["state"] == "none"


async def test_a_live_game_has_no_analysis_even_if_one_is_stored(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        table = await app.play(await pair(app, "checkers"), most=4)
        await analysed(app, table, signature("checkers"))
        assert (await app.client.get(f"/web/tables/{table.id}/analysis")).json()["state"] == "none"
        refused = await app.client.post(f"/web/tables/{table.id}/analysis")
        assert refused.status_code == 409 and refused.json()["code"] == "not_over"
