"""Who is looking at a game: a cookie identifies the page's people, a session's token the holder of one seat."""

from __future__ import annotations

from typing import Final

from ludus.core.errors import LudusError
from ludus.server.http.request import Request, bearer_token
from ludus.server.web.people import PeopleAuth
from ludus.service.platform import Platform
from ludus.service.player_keys import person_key
from ludus.service.ports.store import Unavailable
from ludus.service.sessions import player_key
from ludus.service.table import Table

SEAT_COOKIE: Final = "ludus_seat"
"""The token again, for documents and downloads, whose requests have no headers of ours; the page sets it per game."""


class Viewers:
    def __init__(self, platform: Platform, auth: PeopleAuth) -> None:
        self._platform = platform
        self._auth = auth

    async def keys(self, request: Request, table: Table) -> list[str]:
        """The keys that the caller is identified by at this table; empty for strangers."""
        person = await self._auth.person(request)
        keys = [None if person is None else person_key(person.id)]
        if (token := bearer_token(request)) is not None:
            keys.append(await self._holder(token, table))
        elif (token := request.cookies.get(SEAT_COOKIE)) is not None:
            keys.append(await self._cookie_holder(token, table))
        return [key for key in keys if key is not None]

    async def _holder(self, token: str, table: Table) -> str | None:
        """A token is valid for its own game, not for the player's other games."""
        session, claims = await self._platform.sessions.admit(token)
        return player_key(session, claims.player) if session.table == table.id else None

    async def _cookie_holder(self, token: str, table: Table) -> str | None:
        """Browsers also send old cookies; such a request is treated as a stranger's."""
        try:
            return await self._holder(token, table)
        except Unavailable:
            raise
        except LudusError:
            return None
