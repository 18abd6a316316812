"""Finding an opponent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from ludus.core.errors import InvalidInput, UnknownOption
from ludus.players import BOT_PREFIX
from ludus.server.arena.handlers.standings import required_game
from ludus.server.arena.schemas import QueueEntry
from ludus.server.http.addresses import counted
from ludus.server.http.request import Request, address_of, json_response
from ludus.service import public
from ludus.service.agents import player_key
from ludus.service.matches import QueueStatus, check_game

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena


async def queue(arena: Arena, request: Request) -> Response:
    wanted = await request.parse(QueueEntry)
    variant = _variant(wanted)
    level = _bot(arena, wanted, variant) if wanted.opponent else None
    await arena.platform.address_marks.note(player_key(request.user.id), counted(address_of(request)))
    found = await arena.matches.queue(
        request.user,
        wanted.gameId,
        wanted.lane or "standard",
        level,
        meets_people=bool(wanted.people),
        has_auto_pass=bool(wanted.autoPass),
        time_control=wanted.timeControl,
        variant=variant,
    )
    if found.table is not None:
        arena.platform.bots.note_owner(found.table, arena.platform.address_marks.mark(address_of(request)))
    return json_response(
        _matched(found) or {"status": "queued" if found.is_new else "already_queued", "position": found.position}
    )


def _variant(wanted: QueueEntry) -> str:
    check_game(wanted.gameId)
    try:
        return wanted.variant(wanted.gameId)
    except UnknownOption as error:
        raise InvalidInput(str(error)) from None


def _bot(arena: Arena, wanted: QueueEntry, variant: str) -> str:
    roster = arena.platform.roster
    level = public.level_of(wanted.opponent or "", roster)
    if level is None or level not in roster.names(wanted.gameId):
        known = ", ".join(BOT_PREFIX + name for name in roster.names(wanted.gameId))
        raise InvalidInput(f"opponent: there is no such bot; there are {known}")
    try:
        roster.player(level, wanted.gameId, variant)
    except UnknownOption as error:
        raise InvalidInput(f"opponent: {error}") from None
    return level


async def leave(arena: Arena, request: Request) -> Response:
    was_waiting = await arena.matches.leave(request.user, required_game(request))
    return json_response({"status": "left" if was_waiting else "not_queued"})


async def status(arena: Arena, request: Request) -> Response:
    if request.query("lane") is not None:
        raise InvalidInput("lane: is not asked for here; an agent waits in any lane")
    found = await arena.matches.status(request.user, required_game(request))
    if found.position:
        return json_response({"status": "queued", "position": found.position})
    return json_response(_matched(found) or {"status": "not_queued"})


def _matched(found: QueueStatus) -> dict[str, Any] | None:
    table = found.table
    if table is None:
        return None
    return {
        "status": "matched",
        "matchId": table.id,
        "players": [public.public_id(table, seat) for seat in (0, 1)],
    }
