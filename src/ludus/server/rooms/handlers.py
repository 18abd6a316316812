"""Handlers of the events that players send at a table."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from contextlib import nullcontext
from time import monotonic

from ludus.core.errors import BadMove, LudusError
from ludus.server.http.errors import Malformed
from ludus.server.http.guest_games import GuestGames
from ludus.server.metrics import Metrics
from ludus.server.rooms import requests
from ludus.server.rooms.client import Client
from ludus.server.rooms.matchmaking import Emit
from ludus.server.rooms.requests import parse
from ludus.server.rooms.seats import Ack, refuse_other_player
from ludus.service.commands import AskRematch, Command, OfferResignation, Payload, Play
from ludus.service.decisions import NotYourTurn, agrees_on_rematch
from ludus.service.game_clock import clock_now
from ludus.service.platform import Platform
from ludus.service.ports.bus import PhraseSaid
from ludus.service.public import player_moves, public_seats
from ludus.service.sessions import Forbidden
from ludus.service.table import SeatKind, Table
from ludus.service.tables import CommandResult
from ludus.wire import codec


class TooManyPhrases(LudusError):
    code = "too_many_phrases"


Handler = Callable[[Client, object], Awaitable[Ack]]


class TableHandlers:
    def __init__(self, emit: Emit, platform: Platform, metrics: Metrics, guest_games: GuestGames) -> None:
        self._emit = emit
        self._platform = platform
        self._metrics = metrics
        self._guest_games = guest_games

    def command(self, make: Callable[[int], Command]) -> Handler:
        """A handler of an event that needs nothing but the player's seat."""

        async def handle(client: Client, payload: object) -> Ack:
            request = parse(requests.InRoom, payload)
            result = await self._execute(client, make(_seat(client, request)), request)
            return {"ok": True, "version": result.version}

        return handle

    async def ask_rematch(self, client: Client, payload: object) -> Ack:
        request = parse(requests.InRoom, payload)
        seat = _seat(client, request)
        self._platform.lobby.refuse_if_stopping()
        if client.session is not None:
            self._platform.sessions.refuse_to_start(client.session, client.claims)
        table = (await self._platform.tables.load(request.roomId)).table
        is_counted = client.is_guest and agrees_on_rematch(table, seat)
        with self._guest_games.starting(client.address) if is_counted else nullcontext():
            result = await self._execute(client, AskRematch(seat, str(uuid.uuid4())), request)
        return {"ok": True, "version": result.version}

    def move_of(self, move: Mapping[str, object]) -> Handler:
        """A handler of an event that stands for a move."""

        async def handle(client: Client, payload: object) -> Ack:
            request = parse(requests.InRoom, payload)
            return await self._move(client, request, move)

        return handle

    async def offer_resignation(self, client: Client, payload: object) -> Ack:
        request = parse(requests.OfferResignation, payload)
        offer = OfferResignation(_seat(client, request), request.points)
        return {"ok": True, "version": (await self._execute(client, offer, request)).version}

    async def move(self, client: Client, payload: object) -> Ack:
        request = parse(requests.MakeMove, payload)
        return await self._move(client, request, request.move)

    async def _move(self, client: Client, request: requests.InRoom, move: object) -> Ack:
        play = Play(_seat(client, request), Payload("rooms", move))
        result = await self._execute(client, play, request)
        if result.event is not None:
            self._metrics.move(client.game)
        return {"ok": True, "version": result.version}

    async def _execute(self, client: Client, command: Command, request: requests.InRoom) -> CommandResult:
        """A `commandId` is unique per player and kind of command only."""
        name = f"{client.seat}/{type(command).__name__}/{request.commandId}" if request.commandId else None
        return await self._platform.tables.execute(request.roomId, command, expected=request.version, name=name)

    async def get_moves(self, client: Client, payload: object) -> Ack:
        request = parse(requests.GetMoves, payload)
        seat = _seat(client, request)
        table = (await self._platform.tables.load(request.roomId)).table
        try:
            moves = codec(client.game).rooms.moves_from(table.game.position, request.position, request.soFar)
        except BadMove as error:
            raise Malformed(str(error)) from None
        if table.mover != seat:
            moves = []
        explained = {"refusal": self._refusal(client, table, request)} if request.explain else {}
        if not request.ackOnly:
            data = {"roomId": table.id, "position": request.position, "moves": moves, "version": table.version}
            await self._emit(client, "game:valid_moves", data)
        return {"ok": True, "moves": moves, **explained}

    def _refusal(self, client: Client, table: Table, request: requests.GetMoves) -> Ack | None:
        if table.mover != client.seat:
            return {"reason": NotYourTurn.code, "places": []}
        where = request.position, request.target, request.soFar
        try:
            refusal = codec(client.game).rooms.refusal(table.game.position, *where)
        except BadMove as error:
            raise Malformed(str(error)) from None
        return refusal and {"reason": refusal.reason, "places": list(refusal.places)}

    async def hint(self, client: Client, payload: object) -> Ack:
        """The answer comes as an event of its own, so that a search does not hold up the client's other events."""
        request = parse(requests.InRoom, payload)
        seat = _seat(client, request)
        table = (await self._platform.tables.load(request.roomId)).table
        await self._platform.hints.ask(table, seat, self._platform.address_marks.mark(client.address))
        return {"ok": True}

    async def advise(self, client: Client, payload: object) -> Ack:
        """As with hints, the answer comes as an event of its own."""
        request = parse(requests.MakeMove, payload)
        seat, move = _seat(client, request), Payload("rooms", request.move)
        table = (await self._platform.tables.load(request.roomId)).table
        await self._platform.tutor.ask(table, seat, move, self._platform.address_marks.mark(client.address))
        return {"ok": True}

    async def boards(self, client: Client, payload: object) -> Ack:
        request = parse(requests.InRoom, payload)
        _seat(client, request)
        loaded = await self._platform.tables.load(request.roomId)
        game, plies = loaded.table.game, [made.ply for made in player_moves(loaded.table, loaded.events)]
        pack = codec(client.game).rooms.packed_board
        start = plies[0] if plies else game.length
        return {"ok": True, "boards": [pack(game.position_at(ply)) for ply in (start, *(ply + 1 for ply in plies))]}

    async def say(self, client: Client, payload: object) -> Ack:
        request = parse(requests.Say, payload)
        seat = _seat(client, request)
        table = (await self._platform.tables.load(request.roomId)).table
        if any(each.kind != SeatKind.PERSON for each in table.seats):
            raise Forbidden("phrases are for games between people")
        if not client.may_speak(monotonic()):
            raise TooManyPhrases("too many phrases; try again in a few seconds")
        await self._platform.bus.publish(PhraseSaid(table.id, seat, request.phrase))
        return {"ok": True}

    async def afk_check(self, client: Client, payload: object) -> Ack:
        id = parse(requests.AfkCheck, payload).roomId
        if id != client.table and id not in client.watched:
            raise Forbidden("you are not in this room")
        status = self._afk_status(client, (await self._platform.tables.load(id)).table)
        await self._emit(client, "afk:status", status)
        return {"ok": True, "status": status}

    async def announce_deadline(self, client: Client) -> None:
        """Tells a player that the deadline has moved."""
        live = None if client.table is None else self._platform.tables.cached(client.table)
        if live is not None and live.table.idle_due() is not None:
            await self._emit(client, "afk:status", self._afk_status(client, live.table))

    def _afk_status(self, client: Client, table: Table) -> Ack | None:
        """When the player to move loses; None without a limit."""
        due, mover = table.idle_due(), table.mover
        if due is None or mover is None:
            return None
        seats = table.seats if table.id == client.table else public_seats(table)
        clock = self._platform.clock
        expires_at = clock.wall(due)
        left = max(0, expires_at - clock.moment().at) / 1000
        status: Ack = {"playerId": seats[mover].id, "expiresAt": expires_at, "secondsRemaining": left}
        if due == table.first_move_due():
            status["isFirstMove"] = True
        return status | clock_now(table, clock.moment().clock)


def _seat(client: Client, request: requests.InRoom) -> int:
    """The client's own seat in the room of the request."""
    if client.seat is None or client.table != request.roomId:
        raise Forbidden("you do not play in this room")
    refuse_other_player(client, request.playerId)
    return client.seat
