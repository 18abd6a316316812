"""Analysis as the page asks for it: begun by one request, followed by others."""

from __future__ import annotations

from typing import Any, Final

from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.engines.review import GLYPHS, MoveReview, glyph
from ludus.server.http.request import Pipeline, Request, json_response
from ludus.server.web.tables import Tables
from ludus.service.analysis import Analyses, NotOver, Report, line_texts
from ludus.service.public import player_moves
from ludus.service.tables import LoadedTable
from ludus.wire import codec

NAMES: Final = dict(zip(GLYPHS, (None, "doubtful", "mistake", "blunder"), strict=True))
"""What people call the moves that an engine marks with these glyphs."""


class WebAnalysis:
    def __init__(self, tables: Tables, analyses: Analyses) -> None:
        self._tables = tables
        self._analyses = analyses

    async def start(self, request: Request) -> Response:
        live = await self._tables.see(request.param("id"))
        table = live.table
        if table.outcome is None:
            raise NotOver("only a finished game is analysed")
        report = await self._analyses.start(table.id, table.opening.game, table.game)
        return json_response(shown(live, report, 0), 200 if report.state == "done" else 202)

    async def show(self, request: Request) -> Response:
        """How far it has come; moves that the page has (`after` of them) are not told again."""
        live = await self._tables.see(request.param("id"))
        table = live.table
        report = await self._analyses.report(table.id, table.opening.game, table.game) if table.outcome else None
        if report is None:
            return json_response({"state": "none", "done": 0, "total": 0, "moves": []})
        return json_response(shown(live, report, request.number("after", 0, 1_000_000, 0)))


def routes(pipeline: Pipeline, tables: Tables, analyses: Analyses) -> list[BaseRoute]:
    web = WebAnalysis(tables, analyses)
    return [
        pipeline.route("/web/tables/{id}/analysis", web.start, "POST"),
        pipeline.route("/web/tables/{id}/analysis", web.show),
    ]


def shown(live: LoadedTable, report: Report, after: int) -> dict[str, Any]:
    numbers = {made.ply: made.number for made in player_moves(live.table, live.events)}
    return {
        "state": report.state,
        "done": len(report.moves),
        "total": report.total,
        "moves": [_move(live, numbers, judged) for judged in report.moves[after:]],
    }


def _move(live: LoadedTable, numbers: dict[int, int], judged: MoveReview) -> dict[str, Any]:
    """`value` and `best` are from the first player's side, so that they make one curve."""
    table = live.table
    game, name = table.game, table.opening.game
    position = game.position_at(judged.ply)
    seat = int(judged.player)
    side = 1 if seat == 0 else -1
    line = judged.best
    return {
        "number": numbers[judged.ply],
        "seat": seat,
        "value": _rounded(side * judged.value),
        "best": {
            "value": _rounded(side * line.value),
            "notation": game.rules.notation.write_move(position, line.move),
            "move": codec(name).rooms.move(position, line.move),
            "line": list(line_texts(game, judged)),
            "isExact": bool(line.is_exact),
            "chances": [_rounded(chance) for chance in line.chances],
        },
        "loss": 0.0 if judged.is_forced else _rounded(judged.cost),
        "mark": None if judged.is_forced else NAMES[glyph(name, judged.cost)],
        "isForced": judged.is_forced,
    }


def _rounded(value: float) -> float:
    """Engines may say it in a type of their own."""
    return round(float(value), 4)
