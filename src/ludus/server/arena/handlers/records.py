"""A match as its whole record: for programs, for people to read, and as a file of the game's own kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from starlette.responses import PlainTextResponse, Response

from ludus.core.rules import Turn
from ludus.server.arena import replay
from ludus.server.arena.asking import FRESH, Ask, told
from ludus.server.arena.envelopes import reason_of, results
from ludus.server.arena.handlers.listing import STATUSES
from ludus.server.arena.players import public_id, public_name, shown
from ludus.server.arena.times import iso
from ludus.server.rest.records import tags
from ludus.service.records import Event
from ludus.service.table import Table
from ludus.wire import codec, record_format

SEED: Final = "DiceSeed"


class Made(NamedTuple):
    """A move of a player in the record of a game; rolls are not counted."""

    number: int
    ply: int
    """How many moves, rolls included, were made before."""
    seat: int
    at: int


async def show(ask: Ask) -> Response:
    """`format` is the game's own, or left out."""
    table = await ask.arena.table(ask.path("id"))
    own = record_format(table.opening.game)
    if ask.one_of("format", ("json", own), "json") == own:
        return PlainTextResponse(file_of(table), headers=FRESH)
    live = await ask.arena.platform.tables.load(table.id)
    return told(record(live.table, live.events))


async def show_markdown(ask: Ask) -> Response:
    table = await ask.arena.table(ask.path("id"))
    live = await ask.arena.platform.tables.load(table.id)
    return Response(replay.markdown(record(live.table, live.events), live.table), 200, FRESH, "text/markdown")


def file_of(table: Table) -> str:
    """PDN or MAT; the seed of the dice is told when no more of them are to be rolled."""
    game = table.game.copy()
    game.tags.update({name: text for name, text in tags(table).items() if table.outcome or name != SEED})
    colors = (color.capitalize() for color in game.rules.players)
    game.tags.update({color: public_name(table, seat) for seat, color in enumerate(colors)})
    return game.rules.notation.write_games([game])


def record(table: Table, events: Sequence[Event]) -> dict[str, Any]:
    arena = codec(table.opening.game).arena
    told: dict[str, Any] = {
        "id": table.id,
        "gameId": table.opening.game,
        "status": STATUSES["over" if table.outcome else "live"],
        "lane": table.opening.mode if table.opening.channel == "arena" else None,
        "variant": table.opening.variant,
        "rated": table.opening.is_rated,
        "players": [shown(table, seat) | {"color": arena.colors[seat]} for seat in (0, 1)],
        "startedAt": iso(table.opened_at),
        "finishedAt": None if table.ended_at is None else iso(table.ended_at),
        "moves": [_told(table, made) for made in moves_of(table, events)],
        "position": table.game.rules.notation.write_position(table.game.position),
        "result": _result(table),
    }
    if table.opening.seed:
        seed = table.opening.seed.hex() if table.outcome else None
        told["dice"] = {"commitment": table.commitment, "seed": seed}
    return told


def moves_of(table: Table, events: Sequence[Event]) -> Iterator[Made]:
    """The players' moves, each with the time of the event it came with."""
    ply = number = 0
    for event in events:
        for _ in event.data.get("moves", ()):
            turn: Turn = table.game.rules.turn(table.game.position_at(ply))
            if turn.player is not None:
                number += 1
                yield Made(number, ply, turn.player, event.at)
            ply += 1


def _told(table: Table, made: Made) -> dict[str, Any]:
    game, arena = table.game, codec(table.opening.game).arena
    position, move = game.position_at(made.ply), game.move_at(made.ply)
    return {
        "number": made.number,
        "player": public_id(table, made.seat),
        "color": arena.colors[made.seat],
        "notation": game.rules.notation.write_move(position, move),
        **arena.move(position, move),
        "at": iso(made.at),
    }


def _result(table: Table) -> dict[str, Any] | None:
    outcome = table.outcome
    if outcome is None:
        return None
    return {
        "winner": None if outcome.winner is None else public_id(table, outcome.winner),
        "reason": reason_of(outcome.reason),
        "points": 0 if outcome.winner is None else outcome.points,
        "results": results(table),
    }
