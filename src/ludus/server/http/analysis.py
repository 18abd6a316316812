"""The analysis of finished games over HTTP, for the page, for apps and for agents. See docs/analysis.md."""

from __future__ import annotations

import asyncio
from typing import Any, Final, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.requests import HTTPConnection
from starlette.responses import Response

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines import adapter
from ludus.engines.review import MoveReview, Summary, accuracy, mark_of
from ludus.engines.statistics import Statistics, luck_mark, statistics
from ludus.engines.study import CubeEquities, Part
from ludus.server.http.request import JSON, document_response, json_response
from ludus.service.analysis import Analyses, NotOver, Report, line_texts
from ludus.service.documents import Documents
from ludus.service.public import player_moves
from ludus.service.tables import LoadedTable, NotFound
from ludus.wire import codec
from ludus.wire.protocols import ArenaCodec, RoomCodec

Json = dict[str, Any]

MOST_MOVES: Final = 1_000_000
"""The highest number of moves that can be left out."""
CUBE_ERROR_NAMES: Final = {
    "missed_double": "missedDoubles",
    "wrong_double": "wrongDoubles",
    "wrong_take": "wrongTakes",
    "wrong_pass": "wrongPasses",
    "wrong_beaver": "wrongBeavers",
    "missed_beaver": "missedBeavers",
}


class AnalysisPart(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel)


class ErrorTotals(AnalysisPart):
    """Totals of one player's decisions."""

    decisions: int
    error: float = Field(description="The sum of all errors.")
    doubtful: int
    mistakes: int
    blunders: int


class CubeErrorTotals(ErrorTotals):
    missed_doubles: int
    wrong_doubles: int
    wrong_takes: int
    wrong_passes: int
    missed_beavers: int
    wrong_beavers: int


class PlayerAnalysis(AnalysisPart):
    pr: float | None = Field(description="The performance rating: the average error of a decision times 500.")
    rating: str | None = Field(description="What the performance rating is called, such as `expert`.")
    snowie_error_rate: float | None
    errors: ErrorTotals
    checker: ErrorTotals = Field(description="Checker plays only.")
    cube: CubeErrorTotals
    luck: float = Field(description="The luck of all rolls, in equity.")
    result_luck: float = Field(description="The luck of all rolls, in the unit of the result.")
    result: float | None = Field(description="Points won or lost, or the gain in the chance to win the match.")
    result_unit: Literal["points", "match"]
    luck_adjusted: float | None = Field(description="The result minus luck.")


class AnalyzedGame(AnalysisPart):
    """One game of a match, or the only one."""

    first: int | None = Field(description="The number of its first move.")
    last: int | None
    score: list[int] = Field(description="The score before the game.")
    winner: int | None = Field(description="The winner's seat.")
    points: int
    reason: str | None
    accuracy: list[float | None]
    players: list[PlayerAnalysis] | None


class AnalyzedCandidate(AnalysisPart):
    notation: str
    move: dict[str, Any] = Field(description="In the form of the record.")
    equity: float = Field(description="The equity for the player to move.")
    loss: float
    chances: list[float]
    is_exact: bool
    is_played: bool


class AnalyzedBest(AnalysisPart):
    value: float = Field(description="The equity for seat 0.")
    notation: str
    move: dict[str, Any]
    line: list[str] = Field(description="How the engine expects the game to continue.")
    is_exact: bool
    chances: list[float]


class AnalyzedCube(AnalysisPart):
    """Equities for the player on roll."""

    no_double: float
    double_take: float
    double_pass: float
    double_beaver: float | None
    chances: list[float]
    action: str
    error: str | None


class AnalyzedMove(AnalysisPart):
    number: int = Field(description="The number of the move in the game's record, from 1.")
    seat: int
    kind: str
    value: float = Field(description="The equity of the move played, for seat 0.")
    best: AnalyzedBest
    loss: float = Field(description="The error: the equity lost.")
    mark: Literal["doubtful", "mistake", "blunder"] | None
    is_forced: bool
    is_decision: bool = Field(description="Whether it counts for the performance rating.")
    candidates: list[AnalyzedCandidate]
    cube: AnalyzedCube | None
    luck: float | None = Field(description="The luck of the roll, for the player who rolled.")
    luck_mark: str | None
    position: str = Field(description="The position before the move, in notation.")


class GameAnalysis(AnalysisPart):
    """The analysis so far."""

    state: Literal["none", "waiting", "running", "done", "failed"]
    done: int = Field(description="Decisions and unplayed rolls that have been analyzed.")
    total: int
    colors: list[str] = Field(description="The colors of seats 0 and 1.")
    moves: list[AnalyzedMove] = Field(description="The last move of the game first.")
    accuracy: list[float | None] | None = Field(description="Of both players, from 0 to 1; null until it is done.")
    players: list[PlayerAnalysis] | None = Field(description="Null until it is done, and in games without dice.")
    games: list[AnalyzedGame] | None = Field(description="Null until it is done, and in games without dice.")


class AnalysisResponses:
    """Starts analyses, and shows how far they are. Moves are written as in the records of the same API."""

    def __init__(
        self, analyses: Analyses, documents: Documents, *, is_arena: bool = False, has_boards: bool = False
    ) -> None:
        """With boards, each mistake has the board before it, so that it can be shown without the record."""
        self._analyses = analyses
        self._documents = documents
        self._is_arena = is_arena
        self._has_boards = has_boards

    async def start(self, loaded: LoadedTable, owner: str) -> Response:
        """Starts the analysis unless it has been; a failed one is retried. `owner` is who asks for it."""
        table = loaded.table
        refuse_live(loaded)
        if adapter(table.opening.game).analyst is None:
            raise NotFound("no engine analyzes this game")
        report = await self._analyses.start(table.id, table.opening.game, table.game, owner)
        return json_response(await self._serialized(loaded, report, 0))

    async def show(self, request: HTTPConnection, loaded: LoadedTable, after: int) -> Response:
        """The progress, without the first `after` moves, which the client has already."""
        report = await self.report(loaded)
        if report is None:
            return json_response(self._nothing(loaded))
        if report.state != "done" or after > 0:
            return json_response(await self._serialized(loaded, report, after))
        kind = "analysis", self._is_arena, self._has_boards
        document = self._documents.find(loaded.table, kind)
        if document is None:
            whole = orjson.dumps(await self._serialized(loaded, report, 0))
            document = self._documents.get(loaded.table, kind, lambda: whole)
        return document_response(request, document, JSON)

    async def report(self, loaded: LoadedTable) -> Report | None:
        """None of a live game, even if one is stored."""
        table = loaded.table
        return await self._analyses.report(table.id, table.opening.game, table.game) if table.outcome else None

    async def _serialized(self, loaded: LoadedTable, report: Report, after: int) -> Json:
        """In a thread: a long match takes a tenth of a second."""
        frozen = Report(report.total, report.state, list(report.moves), report.engine)
        return await asyncio.to_thread(self._serialize, loaded, frozen, after)

    def _serialize(self, loaded: LoadedTable, report: Report, after: int) -> Json:
        """With the first moves left out; the totals only once all is there."""
        game, wire = loaded.table.game, self._wire(loaded)
        numbers = {made.ply: made.number for made in player_moves(loaded.table, loaded.events)}
        made = [review for review in report.moves if review.played is not None]
        is_done = report.state == "done"
        moves = [_move(loaded, numbers, review, wire) for review in made[after:]]
        if self._has_boards:
            for move, review in zip(moves, made[after:], strict=True):
                move["board"] = _board(loaded, review) if move["mark"] else None
        return {
            "state": report.state,
            "done": len(report.moves),
            "total": report.total,
            "colors": list(wire.colors),
            "moves": moves,
            "accuracy": _accuracy(game, report.moves) if is_done else None,
            "players": _players(game, report.moves) if is_done else None,
            "games": _games(game, numbers, report.moves) if is_done else None,
        }

    def _nothing(self, loaded: LoadedTable) -> Json:
        empty: Json = {"state": "none", "done": 0, "total": 0, "colors": list(self._wire(loaded).colors), "moves": []}
        return empty | dict.fromkeys(("accuracy", "players", "games"))

    def _wire(self, loaded: LoadedTable) -> RoomCodec | ArenaCodec:
        found = codec(loaded.table.opening.game)
        return found.arena if self._is_arena else found.rooms


def refuse_live(loaded: LoadedTable) -> None:
    if loaded.table.outcome is None:
        raise NotOver("only finished games can be analyzed")


def _board(loaded: LoadedTable, review: MoveReview) -> object:
    """Before the move."""
    table = loaded.table
    return codec(table.opening.game).rooms.packed_board(table.game.position_at(review.ply))


def _move(loaded: LoadedTable, numbers: dict[int, int], review: MoveReview, wire: RoomCodec | ArenaCodec) -> Json:
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
        "value": rounded(side * review.value),
        "best": {
            "value": rounded(side * line.value),
            "notation": game.rules.notation.write_move(position, line.move),
            "move": wire.move(position, line.move),
            "line": list(line_texts(game, review)),
            "isExact": bool(line.is_exact),
            "chances": list(line.chances),
        },
        "loss": 0.0 if review.is_forced else rounded(review.cost),
        "mark": mark,
        "isForced": review.is_forced,
        "isDecision": review.is_decision,
        "candidates": [candidate(game, review, each, wire) for each in review.lines],
        "cube": _cube(review),
        "luck": review.luck,
        "luckMark": luck_mark(review.luck),
        "position": game.rules.notation.write_position(position),
    }


def candidate(game: Game[Any, Any], review: MoveReview, line: Any, wire: RoomCodec | ArenaCodec) -> Json:
    """From the side of the player to move."""
    position = game.position_at(review.ply)
    return {
        "notation": game.rules.notation.write_move(position, line.move),
        "move": wire.move(position, line.move),
        "equity": line.value,
        "loss": rounded(review.best.value - line.value),
        "chances": list(line.chances),
        "isExact": line.is_exact,
        "isPlayed": line.move == review.played,
    }


def _cube(review: MoveReview) -> Json | None:
    return None if review.cube is None else {**cube_decision(review.cube), "error": review.cube_error}


def cube_decision(cube: CubeEquities) -> Json:
    """Equities for the player on roll, and what they call for."""
    return {
        "noDouble": cube.no_double,
        "doubleTake": cube.double_take,
        "doublePass": cube.double_pass,
        "doubleBeaver": cube.double_beaver,
        "chances": list(cube.chances),
        "action": cube.action,
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
        "luck": rounded(found.luck),
        "resultLuck": rounded(found.result_luck),
        "result": _rounded_or_none(found.result),
        "resultUnit": "match" if found.is_match else "points",
        "luckAdjusted": _rounded_or_none(found.luck_adjusted),
    }


def _summary(found: Summary) -> Json:
    return {
        "decisions": found.decisions,
        "error": rounded(found.error),
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


def rounded(value: float) -> float:
    return round(float(value), 4)


def _rounded_or_none(value: float | None) -> float | None:
    return None if value is None else rounded(value)
