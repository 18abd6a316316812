"""Games that people start on the page, and how they come back to them.

All are sessions of the page's own tenant, which has no usable key. A person's cookie, or a code from another device,
leads to the seat: in another tab, after a restart of the browser, or elsewhere.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import InvalidInput
from ludus.games import GAMES
from ludus.server.http.fields import ChosenOptions, GameName, GuestName, Level, RoomCode
from ludus.server.http.guest_games import GuestGames
from ludus.server.http.request import Pipeline, Request, address_of, json_response
from ludus.server.web.people import PeopleAuth
from ludus.server.web.viewers import Viewers
from ludus.service.agents import AgentNotFound
from ludus.service.agents import player_key as agent_key
from ludus.service.clock import iso
from ludus.service.live_games import MOST_LIVE, refuse_too_many
from ludus.service.options import shown_options
from ludus.service.page_tenant import ensure_page_tenant
from ludus.service.people import NO_NAME
from ludus.service.platform import Platform
from ludus.service.player_keys import person_key
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Unreadable
from ludus.service.privacy import may_see
from ludus.service.public import page_player
from ludus.service.records import MAX_ID, Person, Session
from ludus.service.seat_codes import LIFE_MS
from ludus.service.sessions import PAGE_TENANT, Forbidden, NewSession, RoomFull, Ticket
from ludus.service.table import Table
from ludus.service.tables import NotFound
from ludus.service.time_control import TimeControl
from ludus.service.tokens import Unauthorized

Json = dict[str, Any]
CASUAL: Final = "training"
RATED: Final = "live"
MATCH_TYPES: Final = {"bot": "bot", "anyone": "matchmaking", "friend": "private", "agent": "agent"}
OPPONENTS: Final = {match_type: opponent for opponent, match_type in MATCH_TYPES.items()}
DEFAULT_LEVEL: Final = "easy"
MOST_WAITING: Final = 8
SeatCodeText = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9]{7}$")]


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, alias_generator=to_camel)


class NewGame(ChosenOptions, Body):
    game: GameName
    opponent: str = Field(pattern=f"^({'|'.join(MATCH_TYPES)})$")
    name: GuestName = ""
    level: Level = DEFAULT_LEVEL
    agent: str = Field("", max_length=MAX_ID)
    """The only agent to play against; empty for any."""
    time_control: dict[str, Any] | None = None
    rated: bool = False
    public: bool = False


class JoinGame(Body):
    code: RoomCode
    name: GuestName = ""


class TakeSeat(Body):
    code: SeatCodeText


class Play:
    def __init__(
        self, platform: Platform, clock: Clock, auth: PeopleAuth, guest_games: GuestGames, *, has_guests: bool
    ) -> None:
        self._platform = platform
        self._clock = clock
        self._auth = auth
        self._viewers = Viewers(platform, auth)
        self._guest_games = guest_games
        self._has_guests = has_guests

    async def create(self, request: Request) -> Response:
        self._refuse_if_closed()
        body = await request.parse(NewGame)
        wanted = self._wanted(body)
        if body.agent and await self._platform.store.agent(body.agent) is None:
            raise AgentNotFound("there is no such agent")
        with self._guest_games.starting(address_of(request)):  # first: who is refused does not become a person
            person, set_cookie = await self._auth.ensure(request, body.name)
            await refuse_too_many(self._platform.store, person)
            await ensure_page_tenant(self._platform.store, self._clock.now())
            ticket = await self._platform.sessions.create(wanted._replace(players=(_player(person, body.name),)))
        response = json_response(await self._serialize(ticket), 201)
        set_cookie(response)
        return response

    def _wanted(self, body: NewGame) -> NewSession:
        """The session without its player; refuses contradictory options."""
        is_bot = body.opponent == "bot"
        time_control = None if body.time_control is None else TimeControl.from_data(body.time_control)
        if is_bot:
            self._platform.roster.player(body.level, body.game, body.variant(body.game))
        if body.opponent == "agent" and CASUAL not in self._platform.open_modes:
            raise Forbidden("agents do not play people here")
        if body.agent and body.opponent != "agent":
            raise InvalidInput("agent: only with the opponent agent")
        if body.rated and body.opponent != "anyone":
            raise InvalidInput("rated: only games against a random opponent are rated")
        if body.public and body.opponent != "friend":
            raise InvalidInput("public: only games with a friend are private")
        if body.opponent in ("anyone", "agent") and time_control is not None and not time_control.is_clocked:
            raise InvalidInput("timeControl: games against strangers have a clock")
        return NewSession(
            tenant=PAGE_TENANT,
            game=body.game,
            mode=RATED if body.rated else CASUAL,
            match_type=MATCH_TYPES[body.opponent],
            players=(),
            bot_level=body.level,
            has_afk_limit=not is_bot,
            theme=None,
            time_control=time_control,
            is_public=body.public,
            variant=body.variant(body.game),
            opponent=agent_key(body.agent) if body.agent else "",
        )

    async def join(self, request: Request) -> Response:
        """The code tells which game it is. The host gets the host's own seat."""
        self._refuse_if_closed()
        body = await request.parse(JoinGame)
        session = await self._by_code(body.code)
        if len(session.players) > 1 and await self._auth.person(request) is None:
            raise RoomFull("two players are in this room already")
        person, set_cookie = await self._auth.ensure(request, body.name)
        await refuse_too_many(self._platform.store, person)
        friend = _player(person, body.name)
        ticket = await self._platform.sessions.join(PAGE_TENANT, session.game, body.code.upper(), friend)
        response = json_response(await self._serialize(ticket))
        set_cookie(response)
        return response

    async def invitation(self, request: Request) -> Response:
        """The terms of an invitation, for people who have not accepted it yet."""
        code = request.param("id")
        session = await self._by_code(code) if len(code) <= MAX_ID else None
        if session is None:
            raise NotFound("there is no open game with this code")
        person = await self._auth.person(request)
        ids = [each["id"] for each in session.players]
        is_player = person is not None and person.id in ids
        shown = {
            **self._terms(session),
            "host": {"id": ids[0], "name": session.players[0]["displayName"]},
            "isOwn": person is not None and person.id == ids[0],
            "isMine": is_player,
            "isFull": len(ids) > 1,
            "sessionId": session.id if is_player else None,
        }
        return json_response(shown)

    async def _by_code(self, code: str) -> Session:
        for game in GAMES:
            try:
                return await self._platform.sessions.by_code(PAGE_TENANT, game, code.upper())
            except NotFound:
                continue
        raise NotFound("there is no open game with this code")

    async def seat(self, request: Request) -> Response:
        """The caller's own seat, with a new token."""
        id, person = request.param("id"), await self._auth.person(request)
        table = await self._table(id)
        if table is None:
            return json_response(await self._serialize(await self._waiting_ticket(id, person)))
        own = None if person is None else table.seat_of(person_key(person.id))
        if person is not None and own is not None:
            pairing = table.opening.pairing
            seat = await self._serialize(await self._ticket(table, own))
            return json_response(seat | {"tournamentId": pairing and pairing.tournament})
        if not may_see(table):
            raise NotFound("there is no such game")
        refusal = {"error": "you do not play in this game", "code": Forbidden.code}
        return json_response({**refusal, "canWatch": True, "isOver": table.outcome is not None}, 403)

    async def exists(self, request: Request) -> None:
        """Raises `NotFound` only if no game has this id: the browser may have a seat's token, which isn't sent here."""
        id = request.param("id")
        if await self._table(id) is None and (len(id) > MAX_ID or await self._platform.store.session(id) is None):
            raise NotFound("there is no such game")

    async def _ticket(self, table: Table, seat: int) -> Ticket:
        player = table.seats[seat]
        session = await self._platform.store.session(player.session) if player.session else None
        if session is None:
            raise NotFound("there is no such game")
        return self._platform.sessions.ticket(session, {"id": player.id, "displayName": player.name})

    async def _waiting_ticket(self, id: str, person: Person | None) -> Ticket:
        session = await self._platform.store.session(id) if len(id) <= MAX_ID else None
        own = [] if session is None or person is None else [each for each in session.players if each["id"] == person.id]
        is_gone = session is not None and session.status == "ended" and session.table is None
        if session is None or session.tenant != PAGE_TENANT or not own or is_gone:
            raise NotFound("there is no such game")
        return self._platform.sessions.ticket(session, own[0])

    async def _table(self, id: str) -> Table | None:
        try:
            return (await self._platform.tables.current(id)).table if len(id) <= MAX_ID else None
        except NotFound:
            return None

    async def seat_code(self, request: Request) -> Response:
        """A code that gives another device this seat, and nothing else of the player's."""
        self._auth.count_sign_in(request)
        table = await self._table(request.param("id"))
        keys = [] if table is None else await self._viewers.keys(request, table)
        seat = next((seat for key in keys if table and (seat := table.seat_of(key)) is not None), None)
        if table is None or seat is None or table.outcome:
            raise NotFound("there is no game of yours to hand over")
        player = table.seats[seat]
        if player.session is None:
            raise NotFound("there is no game of yours to hand over")
        code = await self._platform.seat_codes.create(player.session, player.id)
        return json_response({"code": code, "seconds": LIFE_MS // 1000}, 201)

    async def take_seat(self, request: Request) -> Response:
        """For a device that has a seat's code."""
        self._auth.count_sign_in(request)
        taken = await self._platform.seat_codes.take((await request.parse(TakeSeat)).code.upper())
        session = await self._platform.sessions.get(taken.session)
        player = next((each for each in session.players if each["id"] == taken.player), None)
        if player is None:
            raise NotFound("there is no such game")
        return json_response(await self._serialize(self._platform.sessions.ticket(session, player)))

    async def games(self, request: Request) -> Response:
        """The games that the caller can resume; none for someone who has never played."""
        person = await self._auth.person(request)
        return json_response({"games": [] if person is None else await self._live_games(person)})

    async def _live_games(self, person: Person) -> list[Json]:
        """Games in which it is their turn first, open invitations last."""
        rows = await self._platform.store.live_tables_of(person_key(person.id))
        games: list[Json] = []
        for row in rows[:MOST_LIVE]:
            with suppress(NotFound, Unreadable):  # the others are shown
                table = (await self._platform.tables.current(row.id)).table
                games += [] if table.outcome else [self._live(table, person)]
        invitations = await self._platform.store.rooms_pending(PAGE_TENANT, person.id, MOST_WAITING)
        games.sort(key=lambda game: not game["isMyTurn"])
        return [*games, *(self._waiting(each, person) for each in invitations)]

    def _live(self, table: Table, person: Person) -> Json:
        seat = table.seat_of(person_key(person.id)) or 0
        due, time_control = table.idle_due(), table.opening.time_control
        return {
            "id": table.id,
            "game": table.opening.game,
            "status": "live",
            "opponent": page_player(table, 1 - seat),
            "isMyTurn": table.mover == seat,
            "moveCount": table.moves,
            "timeControl": time_control and time_control.to_data(),
            **shown_options(table.opening.game, table.opening.variant),
            "deadline": iso(self._platform.clock.wall(due)) if due is not None and table.mover == seat else None,
        }

    def _waiting(self, session: Session, person: Person) -> Json:
        other = next((each for each in session.players if each["id"] != person.id), None)
        return {
            **self._terms(session),
            "id": session.id,
            "status": "waiting",
            "opponent": other and {"id": other["id"], "name": other["displayName"], "kind": "person"},
            "isMyTurn": False,
            "moveCount": 0,
        }

    def _terms(self, session: Session) -> Json:
        is_private = session.match_type == "private"
        has_limit = session.time_control is None and session.has_afk_limit
        return {
            "game": session.game,
            "opponent": OPPONENTS[session.match_type],
            "timeControl": session.time_control and session.time_control.to_data(),
            **shown_options(session.game, session.variant),
            "moveSeconds": self._platform.timeouts.idle / 1000 if has_limit else None,
            "isRated": session.mode != CASUAL,
            "isPublic": session.is_public,
            "expiresAt": iso(self._platform.sessions.code_expires_at(session)) if is_private else None,
        }

    async def _serialize(self, ticket: Ticket) -> Json:
        session = ticket.session
        return {
            **self._terms(session),
            "awaits": await self._awaited(session, ticket.claims.player),
            "level": session.bot_level if session.match_type == "bot" else None,
            "sessionId": session.id,
            "sessionToken": ticket.token,
            "playerId": ticket.claims.player,
            "roomCode": session.room_code,
            "tableId": session.table,
        }

    async def _awaited(self, session: Session, player: str) -> str | None:
        """The name of the only person who can take the other seat; None if anyone can."""
        if session.opponent:
            agent = await self._platform.store.agent(session.opponent.partition("/")[2])
            return agent and agent.name
        return next((each["displayName"] for each in session.players if each["id"] != player), None)

    def _refuse_if_closed(self) -> None:
        if not self._has_guests:
            raise Unauthorized("this server does not accept guests")
        self._platform.lobby.refuse_if_stopping()


def routes(pipeline: Pipeline, play: Play) -> list[BaseRoute]:
    return [
        pipeline.route("/web/play", play.create, "POST"),
        pipeline.route("/web/play/join", play.join, "POST"),
        pipeline.route("/web/play/seats", play.take_seat, "POST"),
        pipeline.route("/web/play/{id}", play.seat),
        pipeline.route("/web/play/{id}/code", play.seat_code, "POST"),
        pipeline.route("/web/invitations/{id}", play.invitation),
        pipeline.route("/web/me/games", play.games),
    ]


def _player(person: Person, name: str) -> dict[str, str]:
    return {"id": person.id, "displayName": name or person.name or NO_NAME}
