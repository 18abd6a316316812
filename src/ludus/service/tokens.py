"""Signed tokens: a session's, for one player, and a guest's, for one seat. Only the signature is checked here."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import jwt

from ludus.core.errors import LudusError
from ludus.service.records import Session

ALGORITHM: Final = "HS256"
MAX_LENGTH: Final = 8192
"""Characters of a token, which includes the theme."""


class Unauthorized(LudusError):
    """A missing or invalid token or key."""

    code = "unauthorized"


class Claims(NamedTuple):
    session: str
    player: str
    expires_at: int
    """Unix seconds."""


class GuestClaims(NamedTuple):
    table: str
    key: str


class Tokens:
    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def write(self, session: Session, claims: Claims, now: int) -> str:
        own = [player for player in session.players if player["id"] == claims.player]
        others = [player for player in session.players if player["id"] != claims.player]
        payload = {
            "sessionId": session.id,
            "game": session.game,
            "matchType": session.match_type,
            "players": [dict(player) for player in own + others],
            "theme": session.theme,
            "iat": now,
            "exp": claims.expires_at,
        }
        return jwt.encode(payload, self._secret, ALGORITHM)

    def write_rematch(self, session: Session, claims: Claims, id: str, now: int) -> str:
        """A player's token for the session `id` of a rematch; it expires with the token that led to it."""
        return self.write(session._replace(id=id), claims._replace(session=id), now)

    def read(self, token: str) -> Claims:
        """Verifies the signature; the caller checks the expiry."""
        payload = self._payload(token)
        try:
            return Claims(str(payload["sessionId"]), str(payload["players"][0]["id"]), int(payload["exp"]))
        except (KeyError, IndexError, TypeError, ValueError):
            raise Unauthorized("this is not a session's token") from None

    def write_guest(self, claims: GuestClaims) -> str:
        return jwt.encode({"table": claims.table, "guest": claims.key}, self._secret, ALGORITHM)

    def read_guest(self, token: str) -> GuestClaims | None:
        """None if the token is not a guest's."""
        payload = self._payload(token)
        if not isinstance(payload.get("table"), str) or not isinstance(payload.get("guest"), str):
            return None
        return GuestClaims(payload["table"], payload["guest"])

    def _payload(self, token: str) -> dict[str, Any]:
        if len(token) > MAX_LENGTH or not token.isascii():
            raise Unauthorized("the token is not valid")
        try:
            payload: dict[str, Any] = jwt.decode(
                token, self._secret, algorithms=[ALGORITHM], options={"verify_exp": False, "verify_iat": False}
            )
        except jwt.InvalidTokenError:
            raise Unauthorized("the token is not valid") from None
        return payload
