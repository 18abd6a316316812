"""One connection: the player it was admitted as, and where that player is."""

from __future__ import annotations

from collections import deque
from typing import Any, Final, NamedTuple

from ludus.server.http.rate_limit import EventLimit
from ludus.service.records import Session
from ludus.service.sessions import PAGE_TENANT
from ludus.service.table import Seat, Table
from ludus.service.tokens import Claims, GuestClaims, Tokens
from ludus.wire import codec

MAX_PHRASES: Final = 5
"""In `PHRASE_SECONDS`."""
PHRASE_SECONDS: Final = 20.0


class Queue(NamedTuple):
    game: str
    pool: str


class Client:
    def __init__(self, sid: str, engine: str, game: str, address: str, limit: EventLimit, tokens: Tokens) -> None:
        self.sid = sid
        self.engine = engine
        """Its connection, which `sid` names in one namespace."""
        self.game = game
        self.address = address
        self.limit = limit
        self._tokens = tokens
        self.session: Session | None = None
        self.claims: Claims | None = None
        self.guest: GuestClaims | None = None
        """The claims of a guest's reconnect token."""
        self.player: Seat | None = None
        """The seat the player has, or will get."""
        self.table: str | None = None
        self.seat: int | None = None
        self.queue: Queue | None = None
        """Where the client waits for an opponent."""
        self.watched: set[str] = set()
        """Rooms the client is a spectator in."""
        self.phrases: deque[float] = deque(maxlen=MAX_PHRASES)
        """When the player said something last, by the monotonic clock."""
        self.is_compact = False
        """Whether moves are sent without what the client has already."""
        self.is_gone = False
        """Whether the connection was lost; a handler that is still seating the client must undo it."""

    @property
    def id(self) -> str | None:
        """The player's public id."""
        if self.player is not None:
            return self.player.id
        return self.claims.player if self.claims else None

    @property
    def is_guest(self) -> bool:
        """Whether the player came without a key of any app: without a token, or from our own page."""
        return self.session is None or self.session.tenant == PAGE_TENANT

    def may_speak(self, now: float) -> bool:
        """Counts a phrase, unless there were too many lately; `now` is in seconds of the monotonic clock."""
        if len(self.phrases) == MAX_PHRASES and now - self.phrases[0] < PHRASE_SECONDS:
            return False
        self.phrases.append(now)
        return True

    def private_fields(self, table: Table) -> dict[str, Any]:
        """What `game:started` and `game:reconnected` add for this player only."""
        if self.seat is None or self.player is None or self.table != table.id:
            return {}
        limits = table.opening.limits
        fields = {
            "playerId": self.player.id,
            "practice": table.is_practice(self.seat),
            "color": codec(self.game).rooms.colors[self.seat],
            "sessionId": table.seats[self.seat].session,
            "theme": self.session.theme if self.session else None,
            "afkTimeoutEnabled": limits.idle is not None,
            "afkTimeoutSeconds": None if limits.idle is None else limits.idle / 1000,
            "afkWarnSeconds": None if limits.warn is None else limits.warn / 1000,
            "reconnectSeconds": None if limits.reconnect is None else limits.reconnect / 1000,
            "abandonSeconds": None if limits.abandon is None else limits.abandon / 1000,
            "isPrivate": table.opening.is_private,
        }
        if (token := self._reconnect_token(table, table.seats[self.seat])) is not None:
            fields["reconnectToken"] = token
        return fields

    def _reconnect_token(self, table: Table, player: Seat) -> str | None:
        """For guests, and in rematches; a session's first game has the session's token."""
        if self.session is None:
            return self._tokens.write_guest(GuestClaims(table.id, player.key))
        if self.claims is None or player.session is None or not table.opening.rematch_of:
            return None
        return self._tokens.write_rematch(self.session, self.claims, player.session, table.opened_at // 1000)
