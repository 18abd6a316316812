"""The analysis board: any position, its legal moves, and what an engine thinks of it. See docs/analysis.md.

The server keeps nothing of it. A position is its text; the browser has the moves that led there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute

from ludus.core.errors import BadMove, IllegalMove, LudusError
from ludus.core.game import Game
from ludus.core.rules import Outcome, Rules, Turn
from ludus.engines import adapter
from ludus.engines.review import mark_of
from ludus.games import ABOUT, GAMES
from ludus.server.http.analysis import cube_decision
from ludus.server.http.errors import Malformed, rest_body
from ludus.server.http.request import NO_STORE, Pipeline, Request, address_of, document_response, json_response
from ludus.server.web.cards import CARDS, Cards, drawn
from ludus.server.web.records import PICTURE, SVG_SIZE
from ludus.service.documents import written
from ludus.service.opinions import Opinion, OpinionLine, Opinions, decider
from ludus.service.pasted import MAX_POSITION, MAX_TEXT, read
from ludus.service.tables import NotFound
from ludus.wire import codec

Json = dict[str, Any]

MAX_MOVES: Final = 4000
"""Of a game that is shown, rolls included; the rest is left out."""
MAX_MOVE: Final = 200
"""Characters."""
MAX_READERS: Final = 2
"""Texts that are read at the same time; reading one can take a second."""
STREAM: Final = "application/x-ndjson"
UNBUFFERED: Final = {**NO_STORE, "X-Accel-Buffering": "no"}
"""So that a proxy passes on each line at once."""


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, alias_generator=to_camel)


class Paste(Body):
    text: str = Field(max_length=MAX_TEXT)
    game: str | None = Field(None, max_length=32)
    number: int = Field(1, ge=1, le=1000)
    """Of the game in a text with several."""


class Line(Body):
    start: str | None = Field(None, max_length=MAX_POSITION)
    moves: list[str] = Field(max_length=MAX_MOVES)


class At(Body):
    position: str = Field(max_length=MAX_POSITION)


class ListMoves(At):
    so_far: Any = None


class PlayMove(At):
    move: Any = None
    notation: str | None = Field(None, max_length=MAX_MOVE)
    """In place of `move`; the only way to name a roll."""


class Setup(Body):
    setup: dict[str, Any]


class AnalysisBoard:
    def __init__(self, opinions: Opinions, mark: Callable[[str], str]) -> None:
        """`mark` stands for an address wherever it is not needed itself."""
        self._opinions, self._mark = opinions, mark
        self._cards = Cards()
        self._reading = asyncio.Semaphore(MAX_READERS)

    async def read(self, request: Request) -> Response:
        body = await request.parse(Paste)
        async with self._reading:
            return json_response(await asyncio.to_thread(_pasted, body))

    async def line(self, request: Request) -> Response:
        rules = _rules(request)
        body = await request.parse(Line)
        async with self._reading:
            return json_response(await asyncio.to_thread(_line, rules, body))

    async def moves(self, request: Request) -> Response:
        """The legal moves, as `game:get_moves` lists them, and the rolls where the dice are next."""
        rules = _rules(request)
        body = await request.parse(ListMoves)
        position = rules.notation.read_position(body.position)
        try:
            listed = codec(rules.name).rooms.moves_from(position, None, body.so_far)
        except BadMove as error:
            raise Malformed(str(error)) from None
        rolls = [rules.notation.write_move(position, rolled) for rolled, _ in rules.chances(position)]
        return json_response({"moves": listed if rules.outcome(position) is None else [], "rolls": rolls})

    async def play(self, request: Request) -> Response:
        rules = _rules(request)
        body = await request.parse(PlayMove)
        position = rules.notation.read_position(body.position)
        if rules.turn(position) is Turn.OVER:
            raise IllegalMove("the game is over")
        if body.notation is not None:
            move = rules.notation.read_move(position, body.notation)
        else:
            move = codec(rules.name).rooms.parse_move(position, body.move)
        return json_response(_entry(rules, position, move, rules.play(position, move), None))

    async def set_up(self, request: Request) -> Response:
        """Where a position that was set up is one that can be."""
        rules = _rules(request)
        setup = codec(rules.name).setup
        if setup is None:
            raise NotFound("this game's positions cannot be set up on the board")
        body = await request.parse(Setup)
        return json_response(_node(rules, setup.read(body.setup), None))

    async def opinion(self, request: Request) -> Response:
        """A line of JSON for each stage of the search, as soon as it is known; a line with an error ends it."""
        rules = _rules(request)
        if adapter(rules.name).analyst is None:
            raise NotFound("no engine analyzes this game")
        text = request.query("position") or ""
        if len(text) > MAX_POSITION:
            raise Malformed("position is too long")
        position = rules.notation.read_position(text)
        owner = self._mark(address_of(request))
        self._opinions.refuse_if_busy(owner)
        found = self._opinions.stream(rules.name, rules.notation.write_position(position), owner)
        return StreamingResponse(_lines(rules, position, found), 200, UNBUFFERED, STREAM)

    async def picture(self, request: Request) -> Response:
        """A position as a picture: the board, or a card to share."""
        rules, kind = _rules(request), request.param("kind")
        text, is_flipped = request.query("position") or "", request.query("flip") == "true"
        if kind not in CARDS or len(text) > MAX_POSITION:
            raise NotFound("there is no such picture")
        position = rules.notation.read_position(text)
        board = rules.board(position, rules.outcome(position)).picture(flipped=is_flipped)
        if request.param("what") == "board":
            content = board.svg(SVG_SIZE).encode() if kind == "svg" else None
        elif request.param("what") == "card":
            player = rules.turn(position).player
            turn = "" if player is None else f"{codec(rules.name).rooms.colors[player].capitalize()} to move"
            lines = [ABOUT[rules.name].title, turn, "Ludus"]
            content = await self._cards.draw(lambda: drawn(board, lines, is_png=kind == "png"))
        else:
            content = None
        if content is None:
            raise NotFound("there is no such picture")
        return document_response(request, written(content), CARDS[kind], PICTURE)


def routes(pipeline: Pipeline, opinions: Opinions, mark: Callable[[str], str]) -> list[BaseRoute]:
    web = AnalysisBoard(opinions, mark)
    return [
        pipeline.route("/web/analysis/read", web.read, "POST"),
        pipeline.route("/web/analysis/{game}/line", web.line, "POST"),
        pipeline.route("/web/analysis/{game}/moves", web.moves, "POST"),
        pipeline.route("/web/analysis/{game}/play", web.play, "POST"),
        pipeline.route("/web/analysis/{game}/setup", web.set_up, "POST"),
        pipeline.route("/web/analysis/{game}/opinion", web.opinion),
        pipeline.route("/web/analysis/{game}/{what}.{kind}", web.picture),
    ]


def _rules(request: Request) -> Rules[Any, Any]:
    game = request.param("game")
    if game not in GAMES:
        raise NotFound("there is no such game")
    return GAMES[game]


def _pasted(body: Paste) -> Json:
    pasted = read(body.text, body.game if body.game in GAMES else None)
    record = pasted.records[min(body.number, len(pasted.records)) - 1]
    names = [_names(each) for each in pasted.records]
    return {"game": pasted.game, "games": names, "problems": list(pasted.problems), **_record(record)}


def _names(record: Game[Any, Any]) -> str:
    """The players of a game that was read, in the order of their turns, and its event."""
    tags = {name.lower(): value for name, value in record.tags.items()}
    players = [
        tags.get(f"player {number}") or tags.get(color, "") for number, color in enumerate(record.rules.players, 1)
    ]
    named = " – ".join(player or "?" for player in players) if any(players) else ""
    return ", ".join(part for part in (named, tags.get("event", "")) if part and part != "?")


def _line(rules: Rules[Any, Any], body: Line) -> Json:
    start = rules.start("standard") if body.start is None else rules.notation.read_position(body.start)
    record = Game(rules, start=start)
    for number, text in enumerate(body.moves, 1):
        record.play_on()
        try:
            record.play(text[:MAX_MOVE])
        except LudusError as error:
            raise Malformed(f"move {number}: {error}") from None
    return {"game": rules.name, **_record(record)}


def _record(record: Game[Any, Any]) -> Json:
    """The start and the moves; after the last one, how the players ended the game."""
    rules, length = record.rules, min(record.length, MAX_MOVES)
    outcomes = [None] * length + [record.outcome if length == record.length else None]
    entries = [
        _entry(rules, record.position_at(at), record.move_at(at), record.position_at(at + 1), outcomes[at + 1])
        for at in range(length)
    ]
    return {"start": _node(rules, record.start, outcomes[0]), "moves": entries}


def _entry(rules: Rules[Any, Any], before: Any, move: Any, after: Any, outcome: Outcome | None) -> Json:
    """A move and the position after it. `move` is null for a roll, which its notation names."""
    maker = rules.maker(before, move)
    is_roll = maker is None
    rooms = codec(rules.name).rooms
    return {
        "notation": rules.notation.write_move(before, move),
        "move": None if is_roll else rooms.move(before, move),
        "seat": None if maker is None else int(maker),
        "ended": None if is_roll else rooms.ended(before, move, after),
        "after": _node(rules, after, outcome),
    }


def _node(rules: Rules[Any, Any], position: Any, outcome: Outcome | None) -> Json:
    """`turn` is the seat of the player to move, or null; `isRoll` says that the dice are next."""
    turn = rules.turn(position)
    outcome = outcome or rules.outcome(position)
    return {
        "position": rules.notation.write_position(position),
        "board": codec(rules.name).rooms.packed_board(position),
        "turn": None if turn.player is None else int(turn.player),
        "isRoll": turn is Turn.DICE,
        "result": outcome
        and {
            "winner": None if outcome.winner is None else int(outcome.winner),
            "reason": str(outcome.reason),
            "points": outcome.points,
        },
    }


async def _lines(rules: Rules[Any, Any], position: Any, opinions: AsyncGenerator[Opinion]) -> AsyncIterator[bytes]:
    """Ends, and so does the search, when the client is gone."""
    async with aclosing(opinions):
        try:
            async for opinion in opinions:
                yield _written(rules, position, opinion)
        except LudusError as error:
            yield orjson.dumps(rest_body(error)) + b"\n"


def _written(rules: Rules[Any, Any], position: Any, opinion: Opinion) -> bytes:
    cube, best = opinion.cube, opinion.lines[0].value if opinion.lines else 0.0
    player = decider(rules, position)
    content = {
        "seat": None if player is None else int(player),
        "stage": opinion.stage,
        "stages": opinion.stages,
        "depth": opinion.depth,
        "lines": [_written_line(rules, position, line, best) for line in opinion.lines],
        "cube": cube and cube_decision(cube),
        "window": opinion.window and {to_camel(name): value for name, value in opinion.window._asdict().items()},
        "effectivePips": list(opinion.effective_pips) if any(opinion.effective_pips) else None,
    }
    return orjson.dumps(content) + b"\n"


def _written_line(rules: Rules[Any, Any], position: Any, line: OpinionLine, best: float) -> Json:
    """Like a candidate of an analysis."""
    move = rules.notation.read_move(position, line.move) if line.move else None
    return {
        "notation": line.move,
        "move": None if move is None else codec(rules.name).rooms.move(position, move),
        "equity": line.value,
        "loss": round(best - line.value, 4),
        "mark": mark_of(rules.name, best - line.value),
        "chances": list(line.chances),
        "isExact": line.is_exact,
        "line": list(line.moves),
    }
