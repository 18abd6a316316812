"""Who looks at a game: the page's people are known by their cookie, the players of apps by a session's token."""

from __future__ import annotations

from ludus.server.http.request import Request, bearer_token
from ludus.server.web.people import PeopleAuth
from ludus.service.platform import Platform
from ludus.service.player_keys import person_key
from ludus.service.sessions import player_key


class Viewers:
    def __init__(self, platform: Platform, auth: PeopleAuth) -> None:
        self._platform = platform
        self._auth = auth

    async def keys(self, request: Request) -> list[str]:
        """The keys of the player who asks, as far as they are known."""
        person = await self._auth.person(request)
        own = [] if person is None else [person_key(person.id)]
        token = bearer_token(request)
        if token is not None:
            session, claims = await self._platform.sessions.admit(token)
            own.append(player_key(session, claims.player))
        return own
