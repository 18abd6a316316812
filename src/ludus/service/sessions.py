"""Sessions: a tenant's ticket to one game for one or two players, from creation to result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ludus.core.errors import LudusError
from ludus.core.rules import Outcome
from ludus.games import ABOUT
from ludus.service.clock import UptimeClock
from ludus.service.decisions import Decision, rematch_session
from ludus.service.lobby import OPEN, PLAIN, PRIVATE, pool_for
from ludus.service.player_keys import person_in, person_key
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import PutSession, Write
from ludus.service.records import Session
from ludus.service.table import EventKind, Seat, SeatKind, Table
from ludus.service.tables import NotFound
from ludus.service.time_control import TimeControl
from ludus.service.tokens import Claims, Tokens
from ludus.wire import codec

CODE_LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Upper-case letters and digits without I, O, 0 and 1, which are easily confused."""
CODE_LENGTH: Final = 6
PAGE_TENANT: Final = "page"
"""The tenant of the people who play on our own page."""
TRAINING_POOL: Final = "training"
"""The pool of anonymous players."""
CODE_TRIES: Final = 20


class Expired(LudusError):
    """The token or the session has expired."""

    code = "expired"


class Forbidden(LudusError):
    """The sender may not do this."""

    code = "forbidden"


class RoomFull(LudusError):
    code = "room_full"


class NewSession(NamedTuple):
    """A tenant's request for a session."""

    tenant: str
    game: str
    mode: str
    match_type: str
    players: tuple[Mapping[str, str], ...]
    bot_level: str
    has_afk_limit: bool
    theme: Mapping[str, Any] | None
    is_afk_limit_optional: bool = False
    has_auto_pass: bool = True
    time_control: TimeControl | None = None
    opponent: str = ""
    is_public: bool = False
    variant: str = PLAIN


class Ticket(NamedTuple):
    session: Session
    token: str
    claims: Claims


class Sessions:
    def __init__(
        self,
        store: Store,
        clock: UptimeClock,
        tokens: Tokens,
        new_id: Callable[[], str],
        choose: Callable[[str], str],
        session_ms: int,
        room_ms: int,
        invitation_ms: int,
    ) -> None:
        """`choose` picks a random character; a session waits `session_ms` for its players, a room `room_ms`.

        A room of our own page waits `invitation_ms`.
        """
        self._store = store
        self._clock = clock
        self._tokens = tokens
        self._new_id = new_id
        self._choose = choose
        self._session_ms = session_ms
        self._room_ms = room_ms
        self._invitation_ms = invitation_ms

    async def create(self, wanted: NewSession, *writes: Callable[[Session], Sequence[Write]]) -> Ticket:
        """A pending session and its first player's token; `writes` join the transaction."""
        now = self._clock.moment()
        is_private = wanted.match_type == "private"
        session = Session(
            id=self._new_id(),
            version=1,
            status="pending",
            room_code=None,
            table=None,
            due=now.clock + (self._code_ms(wanted.tenant) if is_private else self._session_ms),
            created_at=now.at,
            **wanted._asdict(),
        )
        for _ in range(CODE_TRIES):
            if is_private:
                session = session._replace(room_code="".join(self._choose(CODE_LETTERS) for _ in range(CODE_LENGTH)))
            try:
                await self._store.commit(PutSession(session), *[write for make in writes for write in make(session)])
            except Conflict:
                if not is_private:
                    raise
                continue  # the code is taken
            return self.ticket(session, session.players[0])
        raise Conflict("no room code is free; try again")

    async def join(self, tenant: str, game: str, code: str, player: Mapping[str, str]) -> Ticket:
        """Joins a private room as its second player, or rejoins it."""
        for _ in range(CODE_TRIES):
            session = await self.by_code(tenant, game, code)
            known = next((each for each in session.players if each["id"] == player["id"]), None)
            if known is not None:
                return self.ticket(session, known)
            if len(session.players) > 1:
                raise RoomFull("two players are in this room already")
            session = session._replace(version=session.version + 1, players=(*session.players, player))
            try:
                await self._store.commit(PutSession(session))
            except Conflict:
                continue
            return self.ticket(session, player)
        raise Conflict("the room is too busy; try again")

    async def by_code(self, tenant: str, game: str, code: str) -> Session:
        """The room with this code, if it is still open."""
        session = await self._store.session_by_code(tenant, game, code)
        if session is None or self._is_expired(session) or self._is_code_expired(session):
            raise NotFound("there is no open room with this code")
        return session

    async def get(self, id: str) -> Session:
        session = await self._store.session(id)
        if session is None:
            raise NotFound("there is no such session")
        return session

    async def admit(self, token: str) -> tuple[Session, Claims]:
        """The session of a token. An expired token stays valid while its game is live or has just ended."""
        claims = self._tokens.read(token)
        session = await self.get(claims.session)
        if claims.player not in [player["id"] for player in session.players]:
            raise Forbidden("the token is not for a player of this session")
        if session.status == "pending" and (self._is_expired(session) or claims.expires_at <= self._now_seconds()):
            raise Expired("the session has expired; create a new one")
        if session.status == "ended" and session.table is None:
            raise Expired("the session has expired; create a new one")
        return session, claims

    def refuse_to_start(self, session: Session, claims: Claims | None) -> None:
        """An expired token may finish its game, but starts no other: `Expired`.

        The page's own people are exempt: they aren't an app's users.
        """
        if session.tenant == PAGE_TENANT:
            return
        if claims is None or claims.expires_at <= self._now_seconds():
            raise Expired("the token has expired; create a new session")

    async def status(self, token: str) -> Session:
        """The session of a token, `ended` if it or the token has expired without a game."""
        try:
            session, _ = await self.admit(token)
        except Expired:
            session = await self.get(self._tokens.read(token).session)
            return session._replace(status="ended", result=None)
        return session

    async def expire(self, session: Session, *writes: Write) -> None:
        """Ends a session that was not joined in time; a `Conflict` if it has just changed."""
        await self._store.commit(PutSession(session._replace(version=session.version + 1, status="ended")), *writes)

    async def prolong(self, session: Session) -> None:
        """Restarts the timeout of a session whose player is in the queue."""
        due = self._clock.moment().clock + self._session_ms
        await self._store.commit(PutSession(session._replace(version=session.version + 1, due=due)))

    def on_decision(self, decision: Decision) -> Awaitable[list[Write]] | None:
        """Updates the players' sessions when a table opens or its game ends."""
        if not (decision.event.kind == EventKind.OPENED or decision.is_end):
            return None
        if decision.event.kind == EventKind.OPENED and decision.after.opening.pairing is not None:
            return None  # a tournament creates them with the table
        ids = {seat.session for seat in decision.after.seats if seat.session}
        return self._changes(decision, ids) if ids else None

    async def _changes(self, decision: Decision, ids: Collection[str]) -> list[Write]:
        table = decision.after
        if table.opening.rematch_of and decision.event.kind == EventKind.OPENED:
            before = await self._store.sessions_of(table.opening.rematch_of)
            return [PutSession(self._rematch_session(session, table)) for session in before]
        found = [await self.get(id) for id in ids]
        if not decision.is_end and any(session.status != "pending" for session in found):
            raise Conflict("the session has begun already")
        status, result = ("ended", result_of(table)) if decision.is_end else ("active", None)
        return [
            PutSession(each._replace(version=each.version + 1, status=status, table=table.id, result=result))
            for each in found
        ]

    def _rematch_session(self, session: Session, table: Table) -> Session:
        """The session of a rematch, which follows `session`."""
        id = rematch_session(table.id, session.id)
        assert id is not None
        return session._replace(
            id=id, version=1, status="active", table=table.id, created_at=table.opened_at, result=None, room_code=None
        )

    def seat(self, session: Session, claims: Claims) -> Seat:
        """The player's seat at a table."""
        return Seat(
            key=player_key(session, claims.player),
            id=claims.player,
            name=next(player["displayName"] for player in session.players if player["id"] == claims.player),
            kind=SeatKind.PERSON,
            session=session.id,
            has_auto_pass=session.has_auto_pass,
        )

    def ticket(self, session: Session, player: Mapping[str, str]) -> Ticket:
        """A new token for one of the session's players."""
        claims = Claims(session.id, player["id"], self._now_seconds() + self._session_ms // 1000)
        return Ticket(session, self._tokens.write(session, claims, self._now_seconds()), claims)

    def _is_code_expired(self, session: Session) -> bool:
        """Whether a room's code has expired, though its creator may still be waiting."""
        return self._clock.moment().at > self.code_expires_at(session)

    def code_expires_at(self, session: Session) -> int:
        return session.created_at + self._code_ms(session.tenant)

    def _code_ms(self, tenant: str) -> int:
        return self._invitation_ms if tenant == PAGE_TENANT else self._room_ms

    def _is_expired(self, session: Session) -> bool:
        return session.due is not None and session.due <= self._clock.moment().clock

    def _now_seconds(self) -> int:
        return self._clock.moment().at // 1000


def player_key(session: Session, player: str) -> str:
    """Identifies a tenant's player across the platform; anonymous ones belong to no tenant.

    Those of our own page are people, whatever the mode: see `ludus.service.people`.
    """
    if session.tenant == PAGE_TENANT:
        return person_key(player)
    return f"anonymous/{player}" if session.mode == "training" else f"{session.tenant}/{session.mode}/{player}"


def seat_at(table: Table, player: Seat) -> int | None:
    """The player's seat at a table; one of our page may have sat down before people had keys of their own."""
    seat = table.seat_of(player.key)
    return table.seat_of(f"anonymous/{player.id}") if seat is None and person_in(player.key) else seat


def pool_of(session: Session) -> str:
    """Who a session's player may be paired with: the other player of the room, players of the tenant, or anyone."""
    if session.match_type == "private":
        return f"{PRIVATE}{session.id}"
    if session.match_type == "agent":
        return pool_for(OPEN, session.time_control, session.variant)
    pool = TRAINING_POOL if session.mode == "training" else f"{session.tenant}/{session.mode}"
    return pool_for(pool, session.time_control, session.variant)


def result_of(table: Table) -> dict[str, Any]:
    """A session's result: the winner by id, the duration in seconds."""
    outcome, ended_at = table.outcome, table.ended_at
    assert outcome is not None and ended_at is not None
    return {
        "winner": None if outcome.winner is None else table.seats[outcome.winner].id,
        "reason": room_reason(outcome),
        "duration": max(0, round((ended_at - table.opened_at) / 1000)),  # the clock may have been set back
        "moveCount": table.moves,
        "points": outcome.points,
        **result_options(table, outcome),
    }


def result_options(table: Table, outcome: Outcome) -> dict[str, Any]:
    """What a result says in games with a cube (`stake`) or in matches (`match`)."""
    board = codec(table.opening.game).rooms.board(table.game.position)
    found: dict[str, Any] = {"stake": outcome.stake} if "cube" in board and outcome.winner is not None else {}
    return found | ({"match": board["match"]} if "match" in board else {})


def public_result(game: str, result: Mapping[str, Any]) -> dict[str, Any]:
    """A session's result as tenants see it."""
    public = {name: result[name] for name in ("winner", "reason", "duration", "moveCount")}
    options = {name: result[name] for name in ("stake", "match") if name in result}
    return public | worth(game, result["winner"] is not None, result["points"], result.get("stake", 1)) | options


def worth(game: str, is_won: bool, points: int, stake: int = 1) -> dict[str, Any]:
    """`points` and `result`, in games whose wins have names; a draw is worth nothing and has none."""
    about = ABOUT[game]
    if not about.wins:
        return {}
    return {"points": points, "result": about.win(points // stake) or None} if is_won else {"points": 0, "result": None}


def public_players(table: Table, seats: tuple[Seat, Seat] | None = None) -> list[dict[str, Any]]:
    """The players of a table as tenants and their clients see them, or as in other seats than the table's own."""
    colors = codec(table.opening.game).rooms.colors
    return [
        {
            "id": seat.id,
            "username": seat.name,
            "displayName": seat.name,
            "color": color,
            "isBot": seat.kind == SeatKind.BOT,
        }
        for seat, color in zip(seats or table.seats, colors, strict=True)
    ]


def room_reason(outcome: Outcome) -> str:
    """The reason as rooms name it: one of six."""
    if outcome.reason == "timeout":
        return "afk_timeout"
    if outcome.reason in ("resignation", "afk_timeout", "disconnect", "cancelled"):
        return str(outcome.reason)
    return "draw" if outcome.winner is None else "victory"
