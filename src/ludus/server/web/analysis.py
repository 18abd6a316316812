"""The analysis of finished games: started by one request, polled by others. See docs/analysis.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import BadMove
from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines import adapter
from ludus.engines.review import MoveReview, Summary, accuracy, mark_of
from ludus.engines.statistics import Statistics, luck_mark, statistics
from ludus.engines.study import Part
from ludus.server.http.errors import Malformed
from ludus.server.http.request import JSON, Pipeline, Request, address_of, document_response, json_response
from ludus.server.web.records import GameRecords
from ludus.service.analysis import Analyses, NotOver, Report, line_texts
from ludus.service.opinions import Opinions
from ludus.service.public import player_moves
from ludus.service.tables import LoadedTable, NotFound
from ludus.wire import codec

Json = dict[str, Any]

CUBE_ERROR_NAMES: Final = {
    "missed_double": "missedDoubles",
    "wrong_double": "wrongDoubles",
    "wrong_take": "wrongTakes",
    "wrong_pass": "wrongPasses",
    "wrong_beaver": "wrongBeavers",
    "missed_beaver": "missedBeavers",
}
NONE: Final[Json] = {
    "state": "none",
    "done": 0,
    "total": 0,
    "moves": [],
    "accuracy": None,
    "players": None,
    "games": None,
}


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
        self._analyses = analyses
        self._opinions = opinions
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
        return json_response(await _serialized(loaded, report, 0), 200 if report.state == "done" else 202)

    async def show(self, request: Request) -> Response:
        """The progress, without the first `after` moves, which the page has already."""
        loaded = await self._records.load(request)
        table = loaded.table
        report = await self._analyses.report(table.id, table.opening.game, table.game) if table.outcome else None
        if report is None:
            return json_response(NONE)
        after = request.number("after", 0, 1_000_000, 0)
        if report.state != "done" or after > 0:
            return json_response(await _serialized(loaded, report, after))
        document = self._records.documents.find(table, "analysis")
        if document is None:
            whole = orjson.dumps(await _serialized(loaded, report, 0))
            document = self._records.documents.get(table, "analysis", lambda: whole)
        return document_response(request, document, JSON)

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
            "equity": _rounded(value),
            "loss": _rounded(loss),
            "mark": mark_of(table.opening.game, loss),
            "isBest": move == review.best.move,
        }
        return json_response({**tried, "best": _candidate(table.game, table.opening.game, review, review.best)})

    async def moves(self, request: Request) -> Response:
        """The legal moves where a move of the record was made, as `game:get_moves` lists them."""
        loaded = await self._records.load(request)
        body = await request.parse(ListMoves)
        table = loaded.table
        if table.outcome is None:
            raise NotOver("only finished games can be analyzed")
        position = table.game.position_at(_ply(loaded, body.number))
        rooms = codec(table.opening.game).rooms
        try:
            return json_response({"moves": rooms.moves_from(position, body.position, body.so_far)})
        except BadMove as error:
            raise Malformed(str(error)) from None

    async def _review(self, loaded: LoadedTable, number: int) -> MoveReview:
        table = loaded.table
        report = await self._analyses.report(table.id, table.opening.game, table.game) if table.outcome else None
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


async def _serialized(loaded: LoadedTable, report: Report, after: int) -> Json:
    """In a thread: a long match takes a tenth of a second."""
    frozen = Report(report.total, report.state, list(report.moves), report.engine)
    return await asyncio.to_thread(serialize, loaded, frozen, after)


def serialize(loaded: LoadedTable, report: Report, after: int) -> Json:
    """With the first moves left out; the totals only once all is there."""
    numbers = {made.ply: made.number for made in player_moves(loaded.table, loaded.events)}
    made = [review for review in report.moves if review.played is not None]
    is_done = report.state == "done"
    return {
        "state": report.state,
        "done": len(report.moves),
        "total": report.total,
        "moves": [_move(loaded, numbers, review) for review in made[after:]],
        "accuracy": _accuracy(loaded.table.game, report.moves) if is_done else None,
        "players": _players(loaded.table.game, report.moves) if is_done else None,
        "games": _games(loaded.table.game, numbers, report.moves) if is_done else None,
    }


def _move(loaded: LoadedTable, numbers: dict[int, int], review: MoveReview) -> Json:
    """`value` and `best` are from the first player's side, so that they make one graph."""
    table = loaded.table
    game, name = table.game, table.opening.game
    position = game.position_at(review.ply)
    seat = int(review.player)
    side = 1 if seat == 0 else -1
    line = review.best
    mark = None if review.is_forced else mark_of(name, review.cost)
    return {
        "number": numbers[review.ply],
        "seat": seat,
        "kind": str(review.kind),
        "value": _rounded(side * review.value),
        "best": {
            "value": _rounded(side * line.value),
            "notation": game.rules.notation.write_move(position, line.move),
            "move": codec(name).rooms.move(position, line.move),
            "line": list(line_texts(game, review)),
            "isExact": bool(line.is_exact),
            "chances": list(line.chances),
        },
        "loss": 0.0 if review.is_forced else _rounded(review.cost),
        "mark": mark,
        "isForced": review.is_forced,
        "isDecision": review.is_decision,
        "candidates": [_candidate(game, name, review, each) for each in review.lines],
        "cube": _cube(review),
        "luck": review.luck,
        "luckMark": luck_mark(review.luck),
        "position": game.rules.notation.write_position(position),
        "board": None if mark is None else codec(name).rooms.packed_board(position),
    }


def _candidate(game: Game[Any, Any], name: str, review: MoveReview, line: Any) -> Json:
    """From the side of the player who is to decide."""
    position = game.position_at(review.ply)
    return {
        "notation": game.rules.notation.write_move(position, line.move),
        "move": codec(name).rooms.move(position, line.move),
        "equity": line.value,
        "loss": _rounded(review.best.value - line.value),
        "chances": list(line.chances),
        "isExact": line.is_exact,
        "isPlayed": line.move == review.played,
    }


def _cube(review: MoveReview) -> Json | None:
    cube = review.cube
    if cube is None:
        return None
    return {
        "noDouble": cube.no_double,
        "doubleTake": cube.double_take,
        "doublePass": cube.double_pass,
        "doubleBeaver": cube.double_beaver,
        "chances": list(cube.chances),
        "action": cube.action,
        "error": review.cube_error,
    }


def _accuracy(game: Game[Any, Any], reviews: list[MoveReview]) -> list[float | None]:
    return [_rounded_or_none(accuracy(game.rules.name, reviews, player)) for player in Player]


def _players(game: Game[Any, Any], reviews: list[MoveReview]) -> list[Json] | None:
    found = statistics(game, reviews)
    return None if found is None else [_statistics(each) for each in found]


def _statistics(found: Statistics) -> Json:
    return {
        "pr": _rounded_or_none(found.pr),
        "rating": found.rating,
        "snowieErrorRate": _rounded_or_none(found.snowie_error_rate),
        "errors": _summary(found.total),
        "checker": _summary(found.checker),
        "cube": {
            **_summary(found.cube),
            **{name: found.cube_errors[error] for error, name in CUBE_ERROR_NAMES.items()},
        },
        "luck": _rounded(found.luck),
        "resultLuck": _rounded(found.result_luck),
        "result": _rounded_or_none(found.result),
        "resultUnit": "match" if found.is_match else "points",
        "luckAdjusted": _rounded_or_none(found.luck_adjusted),
    }


def _summary(found: Summary) -> Json:
    return {
        "decisions": found.decisions,
        "error": _rounded(found.error),
        "doubtful": found.doubtful,
        "mistakes": found.mistakes,
        "blunders": found.blunders,
    }


def _games(game: Game[Any, Any], numbers: dict[int, int], reviews: list[MoveReview]) -> list[Json] | None:
    study = adapter(game.rules.name).study
    return None if study is None else [_part(game, part, numbers, reviews) for part in study.parts(game)]


def _part(game: Game[Any, Any], part: Part, numbers: dict[int, int], reviews: list[MoveReview]) -> Json:
    within = [each for each in reviews if part.first_ply <= each.ply < part.end_ply]
    own = [number for ply, number in numbers.items() if part.first_ply <= ply < part.end_ply]
    return {
        "first": own[0] if own else None,
        "last": own[-1] if own else None,
        "score": list(part.score),
        "winner": part.winner,
        "points": part.points,
        "reason": part.reason or None,
        "accuracy": _accuracy(game, within),
        "players": _players(game, within),
    }


def _rounded(value: float) -> float:
    return round(float(value), 4)


def _rounded_or_none(value: float | None) -> float | None:
    return None if value is None else _rounded(value)
