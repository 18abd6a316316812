"""What the page adds to the analysis of a finished game: trying other moves. See docs/analysis.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import BadMove
from ludus.engines.review import MoveReview, mark_of
from ludus.server.http.analysis import MOST_MOVES, AnalysisResponses, candidate, refuse_live, rounded
from ludus.server.http.errors import Malformed
from ludus.server.http.request import Pipeline, Request, address_of, json_response
from ludus.server.web.records import GameRecords
from ludus.service.analysis import Analyses
from ludus.service.opinions import Opinions
from ludus.service.public import player_moves
from ludus.service.tables import LoadedTable, NotFound
from ludus.wire import codec


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, alias_generator=to_camel)

    number: int = Field(ge=1, le=1_000_000)
    """Of the move in the game's record."""


class Try(Body):
    move: Any


class ListMoves(Body):
    position: Any = None
    so_far: Any = None


class WebAnalysis:
    def __init__(
        self, records: GameRecords, analyses: Analyses, opinions: Opinions, mark: Callable[[str], str]
    ) -> None:
        self._records = records
        self._responses = AnalysisResponses(analyses, records.documents, has_boards=True)
        self._opinions = opinions
        self._mark = mark

    async def start(self, request: Request) -> Response:
        return await self._responses.start(await self._records.load(request), self._mark(address_of(request)))

    async def show(self, request: Request) -> Response:
        loaded = await self._records.load(request)
        return await self._responses.show(request, loaded, request.number("after", 0, MOST_MOVES, 0))

    async def try_move(self, request: Request) -> Response:
        """What another move would have been worth; an engine is asked about one that the analysis did not compare."""
        loaded = await self._records.load(request)
        body = await request.parse(Try)
        review = await self._review(loaded, body.number)
        table = loaded.table
        position = table.game.position_at(review.ply)
        move = codec(table.opening.game).rooms.parse_move(position, body.move)
        value = review.value_of(move)
        if value is None:
            value = await self._opinions.value_of(table.game.rules, position, move, self._mark(address_of(request)))
        value = min(value, review.best.value)
        loss = review.best.value - value
        tried = {
            "notation": table.game.rules.notation.write_move(position, move),
            "equity": rounded(value),
            "loss": rounded(loss),
            "mark": mark_of(table.opening.game, loss),
            "isBest": move == review.best.move,
        }
        return json_response(
            {**tried, "best": candidate(table.game, review, review.best, codec(table.opening.game).rooms)}
        )

    async def moves(self, request: Request) -> Response:
        """The legal moves where a move of the record was made, as `game:get_moves` lists them."""
        loaded = await self._records.load(request)
        body = await request.parse(ListMoves)
        refuse_live(loaded)
        table = loaded.table
        position = table.game.position_at(_ply(loaded, body.number))
        rooms = codec(table.opening.game).rooms
        try:
            return json_response({"moves": rooms.moves_from(position, body.position, body.so_far)})
        except BadMove as error:
            raise Malformed(str(error)) from None

    async def _review(self, loaded: LoadedTable, number: int) -> MoveReview:
        report = await self._responses.report(loaded)
        ply = _ply(loaded, number)
        found = next((each for each in report.moves if each.ply == ply), None) if report else None
        if found is None:
            raise NotFound("this move has not been analyzed")
        return found


def routes(
    pipeline: Pipeline, records: GameRecords, analyses: Analyses, opinions: Opinions, mark: Callable[[str], str]
) -> list[BaseRoute]:
    """`mark` makes of a client's address what may be stored."""
    web = WebAnalysis(records, analyses, opinions, mark)
    return [
        pipeline.route("/web/tables/{id}/analysis", web.start, "POST"),
        pipeline.route("/web/tables/{id}/analysis", web.show),
        pipeline.route("/web/tables/{id}/analysis/try", web.try_move, "POST"),
        pipeline.route("/web/tables/{id}/analysis/moves", web.moves, "POST"),
    ]


def _ply(loaded: LoadedTable, number: int) -> int:
    for made in player_moves(loaded.table, loaded.events):
        if made.number == number:
            return made.ply
    raise NotFound("the game has no such move")
