"""Matches anyone may see: lists of them, one as JSON, as Markdown or in the game's own file format, and analyses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import orjson
from starlette.responses import Response

from ludus.server.arena import replay
from ludus.server.arena.handlers.standings import required_game
from ludus.server.http.analysis import MOST_MOVES
from ludus.server.http.request import JSON, NO_STORE, REVALIDATE, Request, document_response
from ludus.service.agents import player_key
from ludus.service.clock import iso
from ludus.service.documents import Document
from ludus.service.game_clock import time_control_of
from ludus.service.options import shown_options
from ludus.service.public import (
    PlayerMove,
    player,
    player_moves,
    players_of,
    public_id,
    reason_of,
    record_file,
    results,
)
from ludus.service.records import Event, TableRow
from ludus.service.sessions import result_options
from ludus.service.table import SeatKind, Table
from ludus.service.tables import LoadedTable
from ludus.wire import codec, record_format

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

Json = dict[str, Any]

STATUSES: Final = {"live": "active", "over": "finished"}
MOST: Final = 100
PLAIN: Final = "text/plain"
MARKDOWN: Final = "text/markdown"


async def list_matches(arena: Arena, request: Request) -> Response:
    """Those of one game, newest first; games between people are left out."""
    game = required_game(request)
    status = request.one_of("status", tuple(STATUSES.values()), "active")
    most = request.number("limit", 1, MOST, 20)
    return await arena.shared(request, ("matches", game, status, most), partial(_matches, arena, game, status, most))


async def _matches(arena: Arena, game: str, status: str, most: int) -> Json:
    store = arena.platform.store
    rows = await (store.live_tables if status == "active" else store.ended_tables)(game, 10 * most)
    found = [match for row in rows if (match := agents_match(row))]
    return {"matches": found[:most]}


def agents_match(row: TableRow) -> Json | None:
    """As lists show it; None for a game between people."""
    return _summary(row) | {"players": players_of(row)} if _has_agent(row) else None


def matches_of(key: str, rows: Iterable[TableRow], most: int) -> list[Json]:
    """As the player with this key sees them."""
    return [_own_summary(row, key) for row in rows if _has_agent(row)][:most]


def _own_summary(row: TableRow, key: str) -> Json:
    seat = next(i for i, each in enumerate(row.players) if each["key"] == key)
    summary = _summary(row) | {"opponent": players_of(row)[1 - seat]}
    if row.result is not None:
        winner = row.result["winner"]
        summary["outcome"] = "draw" if winner is None else "win" if winner == seat else "loss"
    return summary


def _summary(row: TableRow) -> Json:
    summary: Json = {
        "id": row.id,
        "gameId": row.game,
        "status": STATUSES[row.status],
        "moveCount": row.moves,
        "startedAt": iso(row.opened_at),
    }
    if row.ended_at is not None and row.result is not None:
        summary |= {"finishedAt": iso(row.ended_at), **reason_of(row.result["reason"])}
    return summary


def _has_agent(row: TableRow) -> bool:
    return any(each["kind"] == SeatKind.AGENT for each in row.players)


async def show(arena: Arena, request: Request) -> Response:
    """`format` is `json` or the game's own."""
    table = await arena.table(request.param("id"), is_current=True)
    own = record_format(table.opening.game)
    if request.one_of("format", ("json", own), "json") == own:
        file = arena.platform.documents.get(table, "file", lambda: record_file(table))
        return _respond(request, table, file, PLAIN)
    live = await arena.platform.tables.load(table.id)
    return _respond(request, live.table, _record(arena, live), JSON)


async def show_markdown(arena: Arena, request: Request) -> Response:
    live = await _loaded(arena, request)

    def write() -> str:
        return replay.markdown(orjson.loads(_record(arena, live).content), live.table)

    return _respond(request, live.table, arena.platform.documents.get(live.table, "markdown", write), MARKDOWN)


async def analyze(arena: Arena, request: Request) -> Response:
    """Starts the analysis of a finished match, for any agent."""
    return await arena.analyses.start(await _loaded(arena, request), player_key(request.user.id))


async def show_analysis(arena: Arena, request: Request) -> Response:
    after = request.number("after", 0, MOST_MOVES, 0)
    return await arena.analyses.show(request, await _loaded(arena, request), after)


async def _loaded(arena: Arena, request: Request) -> LoadedTable:
    table = await arena.table(request.param("id"), is_current=True)
    return await arena.platform.tables.load(table.id)


def _record(arena: Arena, live: LoadedTable) -> Document:
    return arena.platform.documents.get(live.table, "match", lambda: orjson.dumps(record(live.table, live.events)))


def _respond(request: Request, table: Table, document: Document, kind: str) -> Response:
    """A finished match stays as it is, unless one of its players is deleted."""
    return document_response(request, document, kind, REVALIDATE if table.outcome else NO_STORE)


def record(table: Table, events: Sequence[Event]) -> Json:
    colors = codec(table.opening.game).arena.colors
    content: Json = {
        "id": table.id,
        "gameId": table.opening.game,
        "status": STATUSES["over" if table.outcome else "live"],
        "lane": table.opening.mode if table.opening.channel == "arena" else None,
        "variant": table.opening.variant,
        "rated": table.opening.is_rated,
        **time_control_of(table),
        **shown_options(table.opening.game, table.opening.variant),
        "players": [player(table, seat) | {"color": colors[seat]} for seat in (0, 1)],
        "startedAt": iso(table.opened_at),
        "finishedAt": None if table.ended_at is None else iso(table.ended_at),
        "moves": [_move(table, move) for move in player_moves(table, events)],
        "position": table.game.rules.notation.write_position(table.game.position),
        "result": _result(table),
    }
    if table.opening.seed:
        seed = table.opening.seed.hex() if table.outcome else None
        content["dice"] = {"commitment": table.commitment, "seed": seed}
    return content


def _move(table: Table, made: PlayerMove) -> Json:
    game, arena = table.game, codec(table.opening.game).arena
    position, move = game.position_at(made.ply), game.move_at(made.ply)
    return {
        "number": made.number,
        "player": public_id(table, made.seat),
        "color": arena.colors[made.seat],
        "notation": game.rules.notation.write_move(position, move),
        **arena.move(position, move),
        **_ended(table, made),
        "at": iso(made.at),
    }


def _ended(table: Table, made: PlayerMove) -> Json:
    """How a game of a match ended, if this move ended one."""
    game = table.game
    before, after = game.position_at(made.ply), game.position_at(made.ply + 1)
    found = codec(table.opening.game).rooms.ended(before, game.move_at(made.ply), after)
    return {} if found is None else {"ended": found}


def _result(table: Table) -> Json | None:
    outcome = table.outcome
    if outcome is None:
        return None
    return {
        "winner": None if outcome.winner is None else public_id(table, outcome.winner),
        **reason_of(outcome.reason),
        "points": 0 if outcome.winner is None else outcome.points,
        **result_options(table, outcome),
        "results": results(table),
    }
