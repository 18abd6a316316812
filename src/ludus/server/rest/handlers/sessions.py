"""Creating, joining and looking up sessions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any, Final

from fastapi import Path, Query, Request
from starlette.responses import Response

from ludus.server.http.analysis import MOST_MOVES, AnalysisResponses
from ludus.server.http.errors import Malformed
from ludus.server.http.fields import GameName
from ludus.server.rest import schemas
from ludus.server.rest.auth import CurrentKey
from ludus.server.rest.schemas import CreatedSession, CreateSession, JoinRoom, Player, Proof, SessionStatus
from ludus.service import proof
from ludus.service.analysis import Analyses
from ludus.service.clock import iso
from ludus.service.options import option_fields
from ludus.service.platform import Platform
from ludus.service.public import record_file
from ludus.service.records import Key, Session
from ludus.service.sessions import Forbidden, NewSession, Ticket, public_result
from ludus.service.tables import LoadedTable, NotFound
from ludus.service.tokens import MAX_LENGTH
from ludus.service.webhooks.outbox import WebhookOutbox
from ludus.wire import record_format

ANONYMOUS: Final = "Player"
MODES: Final = {"live": ("live", "training"), "test": ("test",)}
"""The modes of sessions by the kind of key that may create them."""
NO_ROOM: Final = "there is no open room with this code"
UUID: Final = "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"

SessionGame = Annotated[GameName | None, Query(description="The session's game; another one's is not found.")]
SessionId = Annotated[str, Path(description="The `sessionId` of a session.", pattern=UUID)]
After = Annotated[int, Query(description="How many of the moves to leave out.", ge=0, le=MOST_MOVES)]
Token = Annotated[str, Query(description="A session's token.", max_length=MAX_LENGTH)]


def fields_of(session: Session) -> dict[str, Any]:
    """With the options of its variant."""
    return session._asdict() | option_fields(session.game, session.variant)


class Sessions:
    def __init__(self, platform: Platform, outbox: WebhookOutbox, analyses: Analyses) -> None:
        self._platform = platform
        self._outbox = outbox
        self._analyses = AnalysisResponses(analyses, platform.documents)

    async def create(self, wanted: CreateSession, key: CurrentKey) -> CreatedSession:
        """Creates a session, and a token with which the player's client connects over Socket.IO."""
        if wanted.mode not in MODES[key.kind]:
            raise Forbidden(f"{key.kind.capitalize()} API key cannot create {wanted.mode} sessions")
        tenant = await self._outbox.tenant(key.tenant)
        ticket = await self._platform.sessions.create(
            self._new_session(wanted, key), partial(self._outbox.created, tenant=tenant)
        )
        return await self._response(ticket, wanted.players)

    async def join(self, wanted: JoinRoom, key: CurrentKey) -> CreatedSession:
        """Takes the second seat in a private room and returns that player's own token; repeating it is safe."""
        code = wanted.room_code.upper()
        session = await self._platform.store.session_by_code(key.tenant, wanted.game, code)
        if session is None or session.mode not in MODES[key.kind]:
            raise NotFound(NO_ROOM)
        if wanted.player is None and session.mode != "training":
            raise Malformed("player is required")
        player = wanted.player if wanted.player and session.mode != "training" else self._anonymous()
        return await self._response(await self._platform.sessions.join(key.tenant, wanted.game, code, player.to_data()))

    async def validate(self, token: Token) -> SessionStatus:
        """The status of a token's session, for anyone who has the token; 401 if it is not a valid token."""
        session = await self._platform.sessions.status(token)
        return SessionStatus.model_validate({"status": session.status, "result": await self._result(session)})

    async def show(self, id: SessionId, key: CurrentKey, game: SessionGame = None) -> schemas.Session:
        """A session, with the result and the record of its game once that has ended."""
        session = await self._own(id, key)
        if game not in (None, session.game):
            raise NotFound("there is no such session")
        content = fields_of(session) | {"result": await self._result(session)}
        return schemas.Session.model_validate(content)

    async def cancel(self, id: SessionId, key: CurrentKey) -> schemas.Session:
        """Ends a session; repeating it is safe.

        A session that waits ends without a result: its player leaves the queue and its tokens stop working. A running
        game ends without a winner, with the reason `cancelled`, and does not count for ratings. An ended session stays
        as it is.
        """
        session = await self._platform.cancel((await self._own(id, key)).id)
        return schemas.Session.model_validate(fields_of(session) | {"result": await self._result(session)})

    async def prove(self, id: SessionId, key: CurrentKey) -> Proof:
        """Proof of a finished game and its dice: save it and run `ludus verify` on it."""
        session = await self._own(id, key)
        row = await self._platform.store.table(session.table) if session.table and session.status == "ended" else None
        if row is None:
            raise NotFound("there is nothing to prove before a game has ended")
        return Proof.model_validate(proof.document(row, await self._platform.store.events(row.id)))

    async def analyze(self, id: SessionId, key: CurrentKey) -> Response:
        """Has the game of an ended session analyzed; repeating it is safe, and retries an analysis that has failed.

        The response is the analysis so far. At most two games of a tenant wait or are analyzed at once.
        """
        return await self._analyses.start(await self._loaded(id, key), key.tenant)

    async def show_analysis(self, id: SessionId, key: CurrentKey, request: Request, after: After = 0) -> Response:
        """How far the analysis of a session's game is, and its moves."""
        return await self._analyses.show(request, await self._loaded(id, key), after)

    async def _loaded(self, id: str, key: Key) -> LoadedTable:
        session = await self._own(id, key)
        if session.table is None:
            raise NotFound("this session has no game")
        return await self._platform.tables.current(session.table)

    async def _own(self, id: str, key: Key) -> Session:
        """A session of the key's tenant, made with a key of this kind."""
        session = await self._platform.sessions.get(id)
        if session.tenant != key.tenant or session.mode not in MODES[key.kind]:
            raise NotFound("there is no such session")
        return session

    def _new_session(self, wanted: CreateSession, key: Key) -> NewSession:
        if wanted.match_type == "agent" and wanted.mode not in self._platform.open_modes:
            raise Forbidden(f"agents do not play in {wanted.mode} sessions here")
        if wanted.bot_difficulty is not None:
            variant = wanted.variant(wanted.game)
            self._platform.roster.player(wanted.bot_difficulty, wanted.game, variant)  # raises if there is none
        is_training = wanted.mode == "training"
        players = [self._anonymous()] if is_training else wanted.players or []
        if wanted.match_type != "private":
            players = players[:1]  # each of the others joins with a session of their own
        return NewSession(
            tenant=key.tenant,
            game=wanted.game,
            mode=wanted.mode,
            match_type="private" if is_training and wanted.player_count == 2 else wanted.match_type,
            players=tuple(player.to_data() for player in players),
            bot_level=wanted.bot_difficulty or "",
            has_afk_limit=wanted.afk_timeout_enabled is not False,
            theme=wanted.theme,
            is_afk_limit_optional=wanted.afk_timeout_enabled is None,
            has_auto_pass=wanted.auto_pass,
            time_control=wanted.time_control,
            variant=wanted.variant(wanted.game),
        )

    def _anonymous(self) -> Player:
        return Player(id=self._platform.tables.new_id(), display_name=ANONYMOUS)

    async def _response(self, ticket: Ticket, listed: Sequence[Player] | None = None) -> CreatedSession:
        """`listed` are the players that the tenant named; a session may be for the first of them only."""
        session, token, claims = ticket
        tenant = await self._outbox.tenant(session.tenant)
        players = sorted(session.players, key=lambda player: player["id"] != claims.player)
        if session.mode != "training" and listed is not None:
            players = [player.to_data() for player in listed]
        content = fields_of(session) | {
            "session_id": session.id,
            "session_token": token,
            "expires_in": self._platform.timeouts.session // 1000,
            "expires_at": iso(claims.expires_at * 1000),
            "players": players,
            "webhooks_enabled": session.mode == "live" and tenant is not None and tenant.webhook_url is not None,
        }
        return CreatedSession.model_validate(content)

    async def _result(self, session: Session) -> schemas.Result | None:
        if session.result is None or session.table is None:
            return None
        content = public_result(session.game, session.result)
        table = (await self._platform.tables.current(session.table)).table
        text = record_file(table, [seat.name for seat in table.seats])
        return schemas.RESULTS[session.game].model_validate(content | {record_format(session.game): text})
