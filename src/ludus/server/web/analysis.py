"""The analysis of finished games: started by one request, polled by others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.engines import adapter
from ludus.engines.review import GLYPHS, MoveReview, glyph
from ludus.server.http.request import JSON, Pipeline, Request, address_of, document_response, json_response
from ludus.server.web.records import GameRecords
from ludus.service.analysis import Analyses, NotOver, Report, line_texts
from ludus.service.public import player_moves
from ludus.service.tables import LoadedTable, NotFound
from ludus.wire import codec

NAMES: Final = dict(zip(GLYPHS, (None, "doubtful", "mistake", "blunder"), strict=True))
"""The page's names for the marks."""


class WebAnalysis:
    def __init__(self, records: GameRecords, analyses: Analyses, mark: Callable[[str], str]) -> None:
        self._records = records
        self._analyses = analyses
        self._mark = mark

    async def start(self, request: Request) -> Response:
        loaded = await self._records.load(request)
        table = loaded.table
        if table.outcome is None:
            raise NotOver("only finished games can be analyzed")
        if adapter(table.opening.game).analyst is None:
            raise NotFound("no engine analyzes this game")
        owner = self._mark(address_of(request))
        report = await self._analyses.start(table.id, table.opening.game, table.game, owner)
        return json_response(serialize(loaded, report, 0), 200 if report.state == "done" else 202)

    async def show(self, request: Request) -> Response:
        """The progress, without the first `after` moves, which the page has already."""
        loaded = await self._records.load(request)
        table = loaded.table
        report = await self._analyses.report(table.id, table.opening.game, table.game) if table.outcome else None
        if report is None:
            return json_response({"state": "none", "done": 0, "total": 0, "moves": []})
        after = request.number("after", 0, 1_000_000, 0)
        if report.state != "done" or after > 0:
            return json_response(serialize(loaded, report, after))
        whole = self._records.documents.get(table, "analysis", lambda: orjson.dumps(serialize(loaded, report, 0)))
        return document_response(request, whole, JSON)


def routes(pipeline: Pipeline, records: GameRecords, analyses: Analyses, mark: Callable[[str], str]) -> list[BaseRoute]:
    """`mark` makes of a client's address what may be stored."""
    web = WebAnalysis(records, analyses, mark)
    return [
        pipeline.route("/web/tables/{id}/analysis", web.start, "POST"),
        pipeline.route("/web/tables/{id}/analysis", web.show),
    ]


def serialize(loaded: LoadedTable, report: Report, after: int) -> dict[str, Any]:
    """With the first moves left out."""
    numbers = {made.ply: made.number for made in player_moves(loaded.table, loaded.events)}
    return {
        "state": report.state,
        "done": len(report.moves),
        "total": report.total,
        "moves": [_move(loaded, numbers, review) for review in report.moves[after:]],
    }


def _move(loaded: LoadedTable, numbers: dict[int, int], review: MoveReview) -> dict[str, Any]:
    """`value` and `best` are from the first player's side, so that they make one graph."""
    table = loaded.table
    game, name = table.game, table.opening.game
    position = game.position_at(review.ply)
    seat = int(review.player)
    side = 1 if seat == 0 else -1
    line = review.best
    return {
        "number": numbers[review.ply],
        "seat": seat,
        "value": _rounded(side * review.value),
        "best": {
            "value": _rounded(side * line.value),
            "notation": game.rules.notation.write_move(position, line.move),
            "move": codec(name).rooms.move(position, line.move),
            "line": list(line_texts(game, review)),
            "isExact": bool(line.is_exact),
            "chances": [_rounded(chance) for chance in line.chances],
        },
        "loss": 0.0 if review.is_forced else _rounded(review.cost),
        "mark": None if review.is_forced else NAMES[glyph(name, review.cost)],
        "isForced": review.is_forced,
    }


def _rounded(value: float) -> float:
    """Engines may use a type of their own."""
    return round(float(value), 4)
