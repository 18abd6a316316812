"""Lessons on the page: the positions of a game's lesson, and whether a move is the one that a step asks for."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import BadMove
from ludus.games import GAMES
from ludus.lessons import Step, lesson
from ludus.server.http.errors import Malformed
from ludus.server.http.request import Pipeline, Request, json_response
from ludus.service.tables import NotFound
from ludus.wire import codec

Json = dict[str, Any]
MAX_STEPS = 100


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, alias_generator=to_camel)

    step: int = Field(ge=0, lt=MAX_STEPS)


class Try(Body):
    move: Any


class ListMoves(Body):
    position: Any = None
    so_far: Any = None


def routes(pipeline: Pipeline) -> list[BaseRoute]:
    return [
        pipeline.route("/web/lessons/{game}", show),
        pipeline.route("/web/lessons/{game}/try", try_move, "POST"),
        pipeline.route("/web/lessons/{game}/moves", moves, "POST"),
    ]


async def show(request: Request) -> Response:
    game, steps = _steps(request)
    return json_response({"steps": [_step(game, step) for step in steps]})


async def try_move(request: Request) -> Response:
    """Whether the move is right, and the board after it."""
    game, steps = _steps(request)
    body = await request.parse(Try)
    step = _at(steps, body.step)
    rules, rooms = GAMES[game], codec(game).rooms
    move = rooms.parse_move(step.position, body.move)
    notation = rules.notation.write_move(step.position, move)
    after = rules.play(step.position, move)
    tried = {"notation": notation, "isRight": step.is_right(notation), "board": rooms.packed_board(after)}
    return json_response(tried)


async def moves(request: Request) -> Response:
    """The legal moves, as `game:get_moves` lists them."""
    game, steps = _steps(request)
    body = await request.parse(ListMoves)
    step = _at(steps, body.step)
    try:
        return json_response({"moves": codec(game).rooms.moves_from(step.position, body.position, body.so_far)})
    except BadMove as error:
        raise Malformed(str(error)) from None


def _steps(request: Request) -> tuple[str, list[Step]]:
    game = request.param("game")
    steps = list(lesson(game))
    if not steps:
        raise NotFound("this game has no lesson")
    return game, steps


def _at(steps: list[Step], number: int) -> Step:
    if number >= len(steps):
        raise NotFound("the lesson has no such step")
    return steps[number]


def _step(game: str, step: Step) -> Json:
    rules, rooms = GAMES[game], codec(game).rooms
    legal = rules.moves(step.position)
    solution = next(move for move in legal if step.is_right(rules.notation.write_move(step.position, move)))
    mover = rules.turn(step.position).player
    assert mover is not None
    return {
        "name": step.name,
        "board": rooms.packed_board(step.position),
        "color": rooms.colors[mover],
        "moves": rooms.moves_from(step.position),
        "solution": rooms.move(step.position, solution),
    }
