"""Rooms for guests of the page who play a friend or an agent.

They are sessions in `training` mode that belong to a tenant of the page's own, which has no usable key.
"""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.games import GAMES
from ludus.server.http.fields import GameName, GuestName, RoomCode
from ludus.server.http.guest_games import GuestGames
from ludus.server.http.request import Pipeline, Request, address_of, json_response
from ludus.service.platform import Platform
from ludus.service.ports import Clock, PutKey, PutTenant
from ludus.service.records import Key, Tenant
from ludus.service.sessions import PAGE_TENANT, Forbidden, NewSession, Ticket
from ludus.service.tables import NotFound
from ludus.service.tokens import Unauthorized

MODE: Final = "training"
NO_KEY: Final = "page"
"""In place of a key's hash; no key has it."""
OPPONENTS: Final = {"friend": "private", "agent": "agent"}


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class NewRoom(Body):
    game: GameName
    opponent: str = Field(pattern="^(friend|agent)$")
    name: GuestName = ""
    afkTimeoutEnabled: bool = True


class JoinRoom(Body):
    code: RoomCode
    name: GuestName = ""


class GuestRooms:
    def __init__(self, platform: Platform, clock: Clock, guest_games: GuestGames, *, has_guests: bool) -> None:
        self._platform = platform
        self._guest_games = guest_games
        self._clock = clock
        self._has_guests = has_guests
        self._is_known = False

    async def create(self, request: Request) -> Response:
        self._refuse_if_closed()
        body = await request.parse(NewRoom)
        if body.opponent == "agent" and MODE not in self._platform.open_modes:
            raise Forbidden("agents do not play people here")
        await self._ensure_tenant()
        wanted = NewSession(
            tenant=PAGE_TENANT,
            game=body.game,
            mode=MODE,
            match_type=OPPONENTS[body.opponent],
            players=(self._player(body.name),),
            bot_level="medium",
            has_afk_limit=body.afkTimeoutEnabled,
            theme=None,
        )
        with self._guest_games.starting(address_of(request)):
            ticket = await self._platform.sessions.create(wanted)
        return json_response(_serialize(ticket), 201)

    async def join(self, request: Request) -> Response:
        """The code tells which game it is."""
        self._refuse_if_closed()
        body = await request.parse(JoinRoom)
        for game in GAMES:
            try:
                ticket = await self._platform.sessions.join(
                    PAGE_TENANT, game, body.code.upper(), self._player(body.name)
                )
            except NotFound:
                continue
            return json_response(_serialize(ticket))
        raise NotFound("there is no open room with this code")

    def _player(self, name: str) -> dict[str, str]:
        return {"id": self._platform.tables.new_id(), "displayName": name or "Guest"}

    def _refuse_if_closed(self) -> None:
        if not self._has_guests:
            raise Unauthorized("this server does not accept guests")
        self._platform.lobby.refuse_if_stopping()

    async def _ensure_tenant(self) -> None:
        """Created for the first guest: every session belongs to a tenant."""
        if self._is_known:
            return
        if await self._platform.store.tenant(PAGE_TENANT) is None:
            now = self._clock.now()
            tenant, key = (
                Tenant(PAGE_TENANT, "The page itself", now),
                Key(NO_KEY, PAGE_TENANT, "live", "none", ("*",), now),
            )
            await self._platform.store.commit(PutTenant(tenant), PutKey(key))  # idempotent
        self._is_known = True


def routes(pipeline: Pipeline, rooms: GuestRooms) -> list[BaseRoute]:
    return [
        pipeline.route("/web/rooms", rooms.create, "POST"),
        pipeline.route("/web/rooms/join", rooms.join, "POST"),
    ]


def _serialize(ticket: Ticket) -> dict[str, str | None]:
    session = ticket.session
    return {
        "game": session.game,
        "sessionId": session.id,
        "sessionToken": ticket.token,
        "playerId": ticket.claims.player,
        "roomCode": session.room_code,
    }
