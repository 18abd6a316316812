"""What players do at the table."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Final

from ludus.core.errors import BadMove
from ludus.server.metrics import Metrics
from ludus.server.rooms import requests
from ludus.server.rooms.client import Client
from ludus.server.rooms.matchmaking import Emit
from ludus.server.rooms.requests import Malformed, read
from ludus.server.rooms.seats import Answer, refuse_other
from ludus.service.decisions import AcceptDraw, AskRematch, Command, DeclineDraw, OfferDraw, Play, Resign
from ludus.service.platform import Platform
from ludus.service.sessions import Forbidden
from ludus.service.tables import CommandResult
from ludus.wire import VIEWS

Act = Callable[[Client, object], Awaitable[Answer]]


class Acts:
    def __init__(self, emit: Emit, platform: Platform, metrics: Metrics) -> None:
        self._emit = emit
        self._platform = platform
        self._metrics = metrics
        self.by_event: Final[dict[str, Act]] = {
            "game:move": self._move,
            "game:get_moves": self._get_moves,
            "game:resign": self._doing(Resign),
            "game:draw:offer": self._doing(OfferDraw),
            "game:draw:accept": self._doing(AcceptDraw),
            "game:draw:decline": self._doing(DeclineDraw),
            "game:rematch": self._doing(self._ask_rematch),
            "afk:check": self._afk_check,
        }

    def _doing(self, command: Callable[[int], Command]) -> Act:
        async def act(client: Client, payload: object) -> Answer:
            wanted = read(requests.InRoom, payload)
            receipt = await self._carry_out(client, command(_seat(client, wanted)), wanted)
            return {"ok": True, "version": receipt.version}

        return act

    def _ask_rematch(self, seat: int) -> AskRematch:
        self._platform.lobby.refuse_if_stopping()
        return AskRematch(seat, str(uuid.uuid4()))

    async def _move(self, client: Client, payload: object) -> Answer:
        wanted = read(requests.Move, payload)
        view = VIEWS[client.game]
        play = Play(_seat(client, wanted), lambda position: view.read_move(position, wanted.move))
        receipt = await self._carry_out(client, play, wanted)
        if receipt.event is not None:
            self._metrics.move(client.game)
        return {"ok": True, "version": receipt.version}

    async def _carry_out(self, client: Client, command: Command, wanted: requests.InRoom) -> CommandResult:
        """A name stands for one deed of one player: used for another kind of deed, it is another name."""
        name = f"{client.seat}/{type(command).__name__}/{wanted.commandId}" if wanted.commandId else None
        return await self._platform.tables.do(wanted.roomId, command, expected=wanted.version, name=name)

    async def _get_moves(self, client: Client, payload: object) -> Answer:
        wanted = read(requests.GetMoves, payload)
        seat = _seat(client, wanted)
        table = (await self._platform.tables.see(wanted.roomId)).table
        try:
            moves = VIEWS[client.game].moves_from(table.game.position, wanted.position, wanted.soFar)
        except BadMove as error:
            raise Malformed(str(error)) from None
        if table.mover != seat:
            moves = []
        data = {"roomId": table.id, "position": wanted.position, "moves": moves, "version": table.version}
        await self._emit(client, "game:valid_moves", data)
        return {"ok": True, "moves": moves}

    async def _afk_check(self, client: Client, payload: object) -> Answer:
        id = read(requests.AfkCheck, payload).roomId
        if id != client.table and id not in client.watched:
            raise Forbidden("you are not in this room")
        table = (await self._platform.tables.see(id)).table
        due, mover = table.idle_due(), table.mover
        status = None
        if due is not None and mover is not None:
            status = {"playerId": table.seats[mover].id, "expiresAt": self._platform.clock.wall(due)}
        await self._emit(client, "afk:status", status)
        return {"ok": True, "status": status}


def _seat(client: Client, wanted: requests.InRoom) -> int:
    """The client's own seat in the room that it names."""
    if client.seat is None or client.table != wanted.roomId:
        raise Forbidden("you do not play in this room")
    refuse_other(client, wanted.playerId)
    return client.seat
