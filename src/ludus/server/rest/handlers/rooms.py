"""The rooms anyone may watch."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Final

from fastapi import Query, Request, Response

from ludus.server.http.fields import GameName
from ludus.server.http.request import JSON, document_response
from ludus.server.http.shared_builds import SharedBuilds
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
        self._lists = SharedBuilds()

    async def list(self, request: Request, game: Game) -> Response:
        """Live games between people, for `game:spectate`. Private rooms are left out, and so are names and ids."""
        return document_response(request, await self._lists.get(game, partial(self._rooms, game)), JSON)

    async def _rooms(self, game: str) -> bytes:
        rows = await self._platform.store.live_tables(game, LOOKED_AT)
        listed = OpenRooms(rooms=[_room(row) for row in rows if _is_listed(row)][:SHOWN])
        return listed.model_dump_json(by_alias=True).encode()


def _is_listed(row: TableRow) -> bool:
    return not row.is_private and all(player["kind"] == SeatKind.PERSON for player in row.players)


def _room(row: TableRow) -> OpenRoom:
    players = [RoomPlayer(id=player["id"], username=player["name"]) for player in players_of(row)]
    return OpenRoom(room_id=row.id, players=players, move_count=row.moves)
