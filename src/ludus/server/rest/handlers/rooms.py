"""The rooms anyone may watch."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Query

from ludus.server.http.fields import GameName
from ludus.server.rest.schemas import OpenRoom, OpenRooms, RoomPlayer
from ludus.service.platform import Platform
from ludus.service.public import players_of
from ludus.service.records import TableRow
from ludus.service.table import SeatKind

SHOWN: Final = 100
LOOKED_AT: Final = 1000
"""Tables to look through: most of them may have a bot."""

Game = Annotated[GameName, Query(description="Which game.")]


class Rooms:
    def __init__(self, platform: Platform) -> None:
        self._platform = platform

    async def list(self, game: Game) -> OpenRooms:
        """Live games between people, for `game:spectate`. Private rooms are left out, and so are names and ids."""
        rows = await self._platform.store.live_tables(game, LOOKED_AT)
        return OpenRooms(rooms=[_room(row) for row in rows if _is_listed(row)][:SHOWN])


def _is_listed(row: TableRow) -> bool:
    return not row.is_private and all(player["kind"] == SeatKind.PERSON for player in row.players)


def _room(row: TableRow) -> OpenRoom:
    players = [RoomPlayer(id=player["id"], username=player["name"]) for player in players_of(row)]
    return OpenRoom(room_id=row.id, players=players, move_count=row.moves)
