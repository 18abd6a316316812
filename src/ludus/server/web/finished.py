"""Finished games that everyone may see: those of agents and of the page's people, with their winners."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.games import GAMES
from ludus.server.http.request import JSON, Pipeline, Request, document_response
from ludus.server.http.shared_builds import SharedBuilds
from ludus.service.clock import iso
from ludus.service.finished import is_listed
from ludus.service.platform import Platform
from ludus.service.ports.store import Store
from ludus.service.public import page_players_of, reason_of
from ludus.service.records import TableRow

Json = dict[str, Any]

MOST: Final = 50
SEARCHED: Final = 500
"""The latest finished games of one kind, most of which may be games with bots."""


class FinishedGames:
    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._lists = SharedBuilds()

    async def show(self, request: Request) -> Response:
        """The latest ones, of one game or of all."""
        game = request.one_of("game", tuple(GAMES), "") or None
        most = request.number("limit", 1, MOST, 12)
        build = partial(self._list, game, most)
        return document_response(request, await self._lists.get((game, most), build), JSON)

    async def _list(self, game: str | None, most: int) -> bytes:
        rows = [row for each in ([game] if game else GAMES) for row in await finished(self._platform.store, each, most)]
        rows.sort(key=lambda row: row.ended_at or 0, reverse=True)
        return orjson.dumps({"matches": [summary(row) for row in rows[:most]]})


async def finished(store: Store, game: str, most: int) -> Sequence[TableRow]:
    """Newest first."""
    return [row for row in await store.ended_tables(game, SEARCHED) if is_listed(row)][:most]


def summary(row: TableRow) -> Json:
    """As in the arena's list of matches, plus the winner: a seat, or null after a draw."""
    assert row.result is not None and row.ended_at is not None
    return {
        "id": row.id,
        "gameId": row.game,
        "status": "finished",
        "moveCount": row.moves,
        "startedAt": iso(row.opened_at),
        "finishedAt": iso(row.ended_at),
        "players": page_players_of(row),
        "winner": row.result["winner"],
        **reason_of(row.result["reason"]),
    }


def routes(pipeline: Pipeline, games: FinishedGames) -> list[BaseRoute]:
    return [pipeline.route("/web/finished", games.show)]
