"""Puzzles for agents: the next or the daily one, and attempts at it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from ludus.core.errors import InvalidInput
from ludus.core.game import Game
from ludus.games import GAMES
from ludus.puzzles import Answer, Puzzle
from ludus.puzzles.puzzle import replay
from ludus.server.arena.handlers.standings import required_game
from ludus.server.http.request import Request, json_response
from ludus.service.agents import player_key
from ludus.service.puzzles import moves_to_find, next_number, refuse_unreached, shown_attempt, shown_standing
from ludus.service.records import Agent, PuzzleAttempt
from ludus.wire import codec
from ludus.wire.actions import as_integer
from ludus.wire.state import view

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

Json = dict[str, Any]
OPPONENT: Final = "puzzle"
"""In place of an opponent's id."""
RESIGN: Final = "resign"


async def next_puzzle(arena: Arena, request: Request) -> Response:
    """One near the agent's rating that it has not had."""
    game, player = required_game(request), player_key(request.user.id)
    puzzle = await arena.platform.puzzles.next(game, player, request.query("theme") or "", request.query("skip") or "")
    return json_response(await _shown(arena, request.user, puzzle))


async def daily_puzzle(arena: Arena, request: Request) -> Response:
    return json_response(await _shown(arena, request.user, arena.platform.puzzles.daily(required_game(request))))


async def show(arena: Arena, request: Request) -> Response:
    return json_response(await _shown(arena, request.user, arena.platform.puzzles.find(request.param("id"))))


async def attempt(arena: Arena, request: Request) -> Response:
    """Judges a move; a resignation gives up and shows the solution."""
    puzzles, player = arena.platform.puzzles, player_key(request.user.id)
    puzzle, body = puzzles.find(request.param("id")), await request.json_object()
    number = as_integer(body.get("number"))
    if number is None or number < 0:
        raise InvalidInput("number: must be a whole number from 0")
    action = codec(puzzle.game).arena.parse_action(body.get("action"))
    said: Json = {"isRight": False, "isSolved": False, "notation": None, "reply": None}
    if action.move is None:
        if action.kind != RESIGN:
            raise InvalidInput("action: must be a move, or resign to see the solution")
        await puzzles.show(player, puzzle)
    else:
        refuse_unreached((await puzzles.attempt(player, puzzle)).found, number)
        if number >= moves_to_find(puzzle):
            raise InvalidInput("number: the puzzle has fewer moves")
        position = replay(puzzle, 2 * number)
        move = codec(puzzle.game).arena.resolve(position, action)
        notation = GAMES[puzzle.game].notation.write_move(position, move)
        tried = await puzzles.try_move(player, puzzle, number, notation)
        said = _said(tried.answer, notation)
    return json_response({**said, "puzzle": await _shown(arena, request.user, puzzle)})


def _said(answer: Answer, notation: str) -> Json:
    judged = {"isRight": answer.is_right, "isSolved": answer.is_solved}
    return {**judged, "notation": notation, "reply": answer.reply}


async def _shown(arena: Arena, agent: Agent, puzzle: Puzzle) -> Json:
    """As far as the agent has come."""
    puzzles, player = arena.platform.puzzles, player_key(agent.id)
    attempt = await puzzles.attempt(player, puzzle)
    number = next_number(attempt, puzzle)
    return {
        "id": puzzle.id,
        "gameId": puzzle.game,
        "isDaily": puzzle == puzzles.daily(puzzle.game),
        "position": puzzle.position,
        "number": number,
        "view": _view(puzzle, number, agent.id),
        "attempt": shown_attempt(attempt) if attempt.version else None,
        "standing": shown_standing(await puzzles.standing(player, puzzle.game), puzzles.today()),
        "solution": _solution(puzzle, attempt),
    }


def _view(puzzle: Puzzle, number: int, agent: str) -> Json:
    game: Game[Any, Any] = Game(GAMES[puzzle.game], start=replay(puzzle, 2 * number))
    seat = game.turn.player
    ids = (agent, OPPONENT) if seat == 0 else (OPPONENT, agent)
    return view(game, seat, ids)


def _solution(puzzle: Puzzle, attempt: PuzzleAttempt) -> Json | None:
    """Once the agent has found or seen all of it."""
    if attempt.found < moves_to_find(puzzle):
        return None
    facts = {"margin": puzzle.margin, "themes": list(puzzle.themes), "source": puzzle.source}
    return {"moves": list(puzzle.moves), **facts}
