"""One connection: whom it was admitted as, and where it is. It can act for nobody else."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.server.http.rate_limit import EventLimit
from ludus.service.records import Session
from ludus.service.table import Seat, Table
from ludus.service.tokens import Claims, GuestClaims, Tokens
from ludus.wire import VIEWS


class Waiting(NamedTuple):
    game: str
    pool: str


class Client:
    def __init__(self, sid: str, game: str, address: str, limit: EventLimit, tokens: Tokens) -> None:
        self.sid = sid
        self.game = game
        self.address = address
        self.limit = limit
        self._tokens = tokens
        self.session: Session | None = None
        self.claims: Claims | None = None
        self.guest: GuestClaims | None = None
        """Who a guest's token says that this is."""
        self.player: Seat | None = None
        """The player as they sit, or will."""
        self.table: str | None = None
        self.seat: int | None = None
        self.waiting: Waiting | None = None
        self.watched: set[str] = set()
        """Rooms it is a spectator in."""
        self.is_gone = False
        """Whether the connection is lost; whoever is just seating the client must not."""

    @property
    def id(self) -> str | None:
        """The player's id as others see it."""
        if self.player is not None:
            return self.player.id
        return self.claims.player if self.claims else None

    def own_part(self, table: Table) -> dict[str, Any]:
        """What `game:started` and `game:reconnected` say to this player alone."""
        if self.seat is None or self.player is None or self.table != table.id:
            return {}
        limits = table.opening.limits
        own = {
            "playerId": self.player.id,
            "color": VIEWS[self.game].colors[self.seat],
            "sessionId": table.seats[self.seat].session,
            "theme": self.session.theme if self.session else None,
            "afkTimeoutEnabled": limits.idle is not None,
            "afkTimeoutSeconds": None if limits.idle is None else limits.idle / 1000,
            "afkWarnSeconds": None if limits.warn is None else limits.warn / 1000,
        }
        if self.claims is None or table.opening.rematch_of:
            own["reconnectToken"] = self._tokens.write_guest(GuestClaims(table.id, self.player.key))
        return own
