"""Puzzles on the page. Of a solution, the browser only gets what the visitor has found, or all once they give up."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import BadMove
from ludus.games import GAMES
from ludus.puzzles import Puzzle
from ludus.puzzles.puzzle import replay
from ludus.server.http.errors import Malformed
from ludus.server.http.request import JSON, Pipeline, Request, document_response, json_response
from ludus.server.http.shared_builds import SharedBuilds
from ludus.server.web.people import PeopleAuth, SetCookie
from ludus.server.web.relations import serialize
from ludus.service.platform import Platform
from ludus.service.player_keys import person_in, person_key
from ludus.service.puzzles import (
    DAY,
    moves_to_find,
    next_number,
    refuse_unreached,
    shown_attempt,
    shown_standing,
)
from ludus.service.records import Person, PuzzleAttempt
from ludus.wire import codec

Json = dict[str, Any]
DAILY: Final = "daily"
"""In place of an id."""
MOST_MOVES: Final = 100
MOST_LEADERS: Final = 20


class Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, alias_generator=to_camel)


class Try(Body):
    number: int = Field(ge=0, lt=MOST_MOVES)
    """Of the solver's move; the first is 0."""
    move: Any


class ListMoves(Body):
    number: int = Field(ge=0, lt=MOST_MOVES)
    position: Any = None
    target: Any = None
    so_far: Any = None
    explain: bool = False


class WebPuzzles:
    def __init__(self, platform: Platform, auth: PeopleAuth) -> None:
        self._puzzles, self._store, self._clock, self._auth = platform.puzzles, platform.store, platform.clock, auth
        self._boards = SharedBuilds()

    async def overview(self, request: Request) -> Response:
        person = await self._auth.person(request)
        games = [await self._of_game(game, person) for game in self._puzzles.games()]
        date = datetime.fromtimestamp(self._puzzles.today() * DAY / 1000, UTC).date().isoformat()
        return json_response({"date": date, "games": games})

    async def _of_game(self, game: str, person: Person | None) -> Json:
        found, daily = self._puzzles.of(game), self._puzzles.daily(game)
        shown = {"id": daily.id, **_place(daily, 0), "rating": round((await self._puzzles.rating(daily)).rating)}
        own = await self._standing(person, game)
        return {"game": game, "count": len(found.by_id), "themes": found.themes, "daily": shown, "me": own}

    async def next(self, request: Request) -> Response:
        """Near the visitor's rating; `theme` limits the choice, and `skip` is one they do not want now."""
        game, person = request.param("game"), await self._auth.person(request)
        theme, skipped = request.query("theme") or "", request.query("skip") or ""
        player = person and person_key(person.id)
        return await self._respond(person, await self._puzzles.next(game, player, theme, skipped))

    async def show(self, request: Request) -> Response:
        return await self._respond(await self._auth.person(request), self.find(request))

    def find(self, request: Request) -> Puzzle:
        """The puzzle that the address names, by its id or as the daily one."""
        game, id = request.param("game"), request.param("id")
        return self._puzzles.daily(game) if id == DAILY else self._puzzles.get(game, id)

    async def find_game(self, request: Request) -> None:
        self._puzzles.of(request.param("game"))

    async def _respond(self, person: Person | None, puzzle: Puzzle) -> Response:
        attempt = await self._puzzles.attempt(person_key(person.id), puzzle) if person else None
        number = next_number(attempt, puzzle) if attempt else 0
        shown = {
            "id": puzzle.id,
            "game": puzzle.game,
            "position": puzzle.position,
            "isDaily": puzzle == self._puzzles.daily(puzzle.game),
            "themes": self._puzzles.of(puzzle.game).themes,
            "number": number,
            **_place(puzzle, number),
            "last": _move(puzzle, 2 * number - 1)["move"] if number else None,
        }
        return json_response(shown | await self._progress(person, puzzle, attempt))

    async def _progress(self, person: Person | None, puzzle: Puzzle, attempt: PuzzleAttempt | None) -> Json:
        """How the visitor stands with this puzzle and with puzzles in general."""
        is_over = attempt is not None and attempt.found >= moves_to_find(puzzle)
        return {
            "attempt": shown_attempt(attempt) if attempt and attempt.version else None,
            "me": await self._standing(person, puzzle.game),
            "solution": await self._solution(puzzle) if is_over else None,
        }

    async def _standing(self, person: Person | None, game: str) -> Json | None:
        if person is None:
            return None
        return shown_standing(await self._puzzles.standing(person_key(person.id), game), self._puzzles.today())

    async def _solution(self, puzzle: Puzzle) -> Json:
        """With everything that would give it away."""
        rating = await self._puzzles.rating(puzzle)
        return {
            "moves": [_move(puzzle, ply) for ply in range(len(puzzle.moves))],
            "margin": puzzle.margin,
            "themes": puzzle.themes,
            "source": puzzle.source,
            "rating": round(rating.rating),
            "tried": rating.games,
        }

    async def try_move(self, request: Request) -> Response:
        """Whether the move is right and, if it is, the reply."""
        puzzle, body = self.find(request), await request.parse(Try)
        position = await self._reached(request, puzzle, body.number)
        move = codec(puzzle.game).rooms.parse_move(position, body.move)
        notation = GAMES[puzzle.game].notation.write_move(position, move)
        person, set_cookie = await self._auth.ensure(request)
        answer, attempt = await self._puzzles.try_move(person_key(person.id), puzzle, body.number, notation)
        shown: Json = {"isRight": answer.is_right, "isSolved": answer.is_solved, "notation": notation}
        if answer.is_right:
            shown["made"] = _move(puzzle, 2 * body.number)
        if answer.reply is not None:
            shown["reply"] = _move(puzzle, 2 * body.number + 1) | _place(puzzle, body.number + 1)
        return await self._judged(person, set_cookie, puzzle, attempt, shown)

    async def _reached(self, request: Request, puzzle: Puzzle, number: int) -> Any:
        """The position before the solver's move of this number, if the visitor has found those before it."""
        person = await self._auth.person(request) if number else None
        found = (await self._puzzles.attempt(person_key(person.id), puzzle)).found if person else 0
        refuse_unreached(found, number)
        return replay(puzzle, 2 * number)

    async def hint(self, request: Request) -> Response:
        """The themes, and the piece that moves first, if the move has one."""
        puzzle = self.find(request)
        person, set_cookie = await self._auth.ensure(request)
        attempt = await self._puzzles.hint(person_key(person.id), puzzle)
        number = min(attempt.found, moves_to_find(puzzle) - 1)
        source = _source(_move(puzzle, 2 * number)["move"])
        hint = {"themes": puzzle.themes, "place": source, "number": number}
        return await self._judged(person, set_cookie, puzzle, attempt, {"hint": hint})

    async def solution(self, request: Request) -> Response:
        """Gives up, unless the puzzle is solved."""
        puzzle = self.find(request)
        person, set_cookie = await self._auth.ensure(request)
        attempt = await self._puzzles.show(person_key(person.id), puzzle)
        return await self._judged(person, set_cookie, puzzle, attempt, {})

    async def _judged(
        self, person: Person, set_cookie: SetCookie, puzzle: Puzzle, attempt: PuzzleAttempt, shown: Json
    ) -> Response:
        response = json_response(shown | await self._progress(person, puzzle, attempt))
        set_cookie(response)
        return response

    async def moves(self, request: Request) -> Response:
        """The legal moves, as `game:get_moves` lists them; with `explain`, also why a move is not legal."""
        puzzle, body = self.find(request), await request.parse(ListMoves)
        position, rooms = await self._reached(request, puzzle, body.number), codec(puzzle.game).rooms
        try:
            moves = rooms.moves_from(position, body.position, body.so_far)
            refusal = rooms.refusal(position, body.position, body.target, body.so_far) if body.explain else None
        except BadMove as error:
            raise Malformed(str(error)) from None
        why = refusal and {"reason": refusal.reason, "places": list(refusal.places)}
        return json_response({"moves": moves, **({"refusal": why} if body.explain else {})})

    async def leaders(self, request: Request) -> Response:
        game = request.param("game")
        self._puzzles.of(game)
        return document_response(request, await self._boards.get(game, partial(self._leaders, game)), JSON)

    async def _leaders(self, game: str) -> bytes:
        ratings = await self._store.puzzle_leaders(game, self._clock.moment().at, MOST_LEADERS)
        ids = [person_in(each.player) or "" for each in ratings]
        people = {each.id: each for each in await self._store.people(ids)}
        listed = [(people[id], each) for id, each in zip(ids, ratings, strict=True) if id in people]
        lines = [
            {"rank": rank, "person": serialize(who), "rating": round(each.rating), "games": each.games}
            for rank, (who, each) in enumerate(listed, 1)
        ]
        return orjson.dumps({"leaders": lines})


def routes(pipeline: Pipeline, puzzles: WebPuzzles) -> list[BaseRoute]:
    one = "/web/puzzles/{game}/{id}"
    return [
        pipeline.route("/web/puzzles", puzzles.overview),
        pipeline.route("/web/puzzles/{game}/next", puzzles.next),
        pipeline.route("/web/puzzles/{game}/leaders", puzzles.leaders),
        pipeline.route(one, puzzles.show),
        pipeline.route(f"{one}/try", puzzles.try_move, "POST"),
        pipeline.route(f"{one}/moves", puzzles.moves, "POST"),
        pipeline.route(f"{one}/hint", puzzles.hint, "POST"),
        pipeline.route(f"{one}/solution", puzzles.solution, "POST"),
    ]


def _place(puzzle: Puzzle, number: int) -> Json:
    """The board before the solver's move of this number, and what can be played there."""
    position, rooms = replay(puzzle, 2 * number), codec(puzzle.game).rooms
    mover = GAMES[puzzle.game].turn(position).player
    assert mover is not None
    return {
        "board": rooms.packed_board(position),
        "color": rooms.colors[mover],
        "moves": rooms.moves_from(position),
    }


def _move(puzzle: Puzzle, ply: int) -> Json:
    """A move of the solution and the board after it."""
    rules, rooms, before = GAMES[puzzle.game], codec(puzzle.game).rooms, replay(puzzle, ply)
    text = puzzle.moves[ply]
    move = rules.notation.read_move(before, text)
    after = rules.play(before, move)
    return {"notation": text, "move": rooms.move(before, move), "after": rooms.packed_board(after)}


def _source(move: Json) -> Any:
    """Where the first piece of a move comes from; None for a decision without pieces."""
    steps = move.get("moves", [move])
    return steps[0].get("from") if steps else None
