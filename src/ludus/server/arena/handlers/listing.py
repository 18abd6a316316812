"""Lists of matches: an agent's own, those going on, those that have ended."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from starlette.responses import Response

from ludus.server.arena.asking import Ask, told
from ludus.server.arena.envelopes import reason_of
from ludus.server.arena.handlers.standings import required_game
from ludus.server.arena.players import shown_in_row
from ludus.server.arena.times import iso
from ludus.service.records import TableRow
from ludus.service.table import SeatKind

STATUSES: Final = {"live": "active", "over": "finished"}
MOST: Final = 100


async def matches(ask: Ask) -> Response:
    """Those of one game, the newest first; games of people are passed over."""
    game = required_game(ask)
    status = ask.one_of("status", tuple(STATUSES.values()), "active")
    most = ask.number("limit", 1, MOST, 20)
    store = ask.arena.platform.store
    rows = await (store.live_tables if status == "active" else store.ended_tables)(game, 10 * most)
    shown = [_shown(row) | {"players": _players(row)} for row in rows if _has_agent(row)]
    return told({"matches": shown[:most]})


def listed(rows: Iterable[TableRow], most: int, key: str) -> list[dict[str, Any]]:
    """As the player of this key sees them."""
    return [_own(row, key) for row in rows if _has_agent(row)][:most]


def _own(row: TableRow, key: str) -> dict[str, Any]:
    seat = next(i for i, player in enumerate(row.players) if player["key"] == key)
    shown = _shown(row) | {"opponent": _players(row)[1 - seat]}
    if row.result is not None:
        winner = row.result["winner"]
        shown["outcome"] = "draw" if winner is None else "win" if winner == seat else "loss"
    return shown


def _shown(row: TableRow) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": row.id,
        "gameId": row.game,
        "status": STATUSES[row.status],
        "moveCount": row.moves,
        "startedAt": iso(row.opened_at),
    }
    if row.ended_at is not None and row.result is not None:
        shown |= {"finishedAt": iso(row.ended_at), "reason": reason_of(row.result["reason"])}
    return shown


def _players(row: TableRow) -> list[dict[str, Any]]:
    return [shown_in_row(row.players, seat) for seat in range(len(row.players))]


def _has_agent(row: TableRow) -> bool:
    return any(player["kind"] == SeatKind.AGENT for player in row.players)
