"""Finding an opponent."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ludus.games import GAMES
from ludus.server.arena import players
from ludus.server.arena.asking import Ask, told
from ludus.server.arena.errors import InvalidInput
from ludus.server.arena.handlers.standings import required_game
from ludus.server.arena.requests import QueueEntry
from ludus.service.matches import QueueStatus


async def queue(ask: Ask) -> Response:
    wanted = await ask.read(QueueEntry)
    level = _bot(ask, wanted) if wanted.opponent else None
    lane, people = wanted.lane or "standard", bool(wanted.people)
    found = await ask.arena.matches.queue(ask.agent, wanted.gameId, lane, level, meets_people=people)
    return told(
        _matched(found) or {"status": "queued" if found.is_new else "already_queued", "position": found.position}
    )


def _bot(ask: Ask, wanted: QueueEntry) -> str | None:
    roster = ask.arena.platform.roster
    level = players.level_of(wanted.opponent or "", roster)
    if wanted.gameId in GAMES and level not in roster.names(wanted.gameId):
        known = ", ".join(players.HOUSE + name for name in roster.names(wanted.gameId))
        raise InvalidInput(f"opponent: there is no such bot; there are {known}")
    return level


async def leave(ask: Ask) -> Response:
    was_waiting = await ask.arena.matches.leave(ask.agent, required_game(ask))
    return told({"status": "left" if was_waiting else "not_queued"})


async def status(ask: Ask) -> Response:
    if ask.query("lane") is not None:
        raise InvalidInput("lane: is not asked for here; an agent waits in any lane")
    found = await ask.arena.matches.status(ask.agent, required_game(ask))
    if found.position:
        return told({"status": "queued", "position": found.position})
    return told(_matched(found) or {"status": "not_queued"})


def _matched(found: QueueStatus) -> dict[str, Any] | None:
    table = found.table
    if table is None:
        return None
    return {
        "status": "matched",
        "matchId": table.id,
        "players": [players.public_id(table, seat) for seat in (0, 1)],
    }
