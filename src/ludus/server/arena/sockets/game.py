"""`/ws/game/ID`: sends a player their turns and the end of the game, and takes their actions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson
from starlette.types import Message

from ludus.core.errors import InvalidInput, LudusError
from ludus.server.arena import states
from ludus.server.arena.sockets.newest import is_earlier, opened
from ludus.server.http.cpu_budget import OverBudget, Payer, Timed
from ludus.server.http.errors import arena_body, log_internal
from ludus.server.http.rate_limit import EventLimit
from ludus.server.websocket.connection import POLICY_VIOLATION, Connection, frame
from ludus.service.agents import player_key
from ludus.service.matches import MatchSeat
from ludus.service.ports.bus import SocketOpened
from ludus.service.records import Agent
from ludus.service.table import Table
from ludus.wire.actions import as_integer

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena


ACTION: Final = "action"
OUTSIDE: Final = 40e-6
"""Seconds that a frame takes outside the timed part."""


class TooFast(LudusError):
    """Too many frames from one socket; it may try again after this many seconds."""

    code = "too_fast"
    retry_after = 1


class TooManySockets(TooFast):
    retry_after = 5


class Turn(NamedTuple):
    sequence: int
    timing: dict[str, Any]
    text: str


class Player:
    def __init__(self, arena: Arena, connection: Connection, at: MatchSeat, base: str, payer: Payer) -> None:
        self._arena = arena
        self._payer = payer
        self._turn = Turn(0, {}, "")
        """The last turn sent, kept for a client that asks again."""
        self._tables = arena.platform.tables
        self._base = base
        self._sent = 0
        """The latest sequence sent."""
        self._clock = asyncio.get_running_loop().time
        self._limit = EventLimit(arena.settings.max_events, self._clock())
        self.connection = connection
        self.match = at.table.id
        self.seat = at.seat
        self.opened = opened(arena.platform, f"{self.match}/{self.seat}")

    async def update(self, table: Table) -> None:
        """Sends what the player doesn't know yet."""
        if table.outcome is None:
            self.send_turn(table)
        elif table.version > self._sent:
            self._sent = table.version
            state = await self._arena.state(MatchSeat(table, self.seat), lambda: self._base)
            self.connection.send(frame(state["status"], state))
            self.connection.close(reason="game over")

    def send_turn(self, table: Table) -> None:
        """The same while the game goes on; never waits."""
        sequence = table.turn_version
        if sequence > self._sent and table.mover == self.seat:
            self._sent = sequence
            timing = self._arena.timing(table, self.seat)
            if (sequence, timing) != self._turn[:2]:
                turn = states.state(table, self.seat, "your_turn", sequence)
                self._turn = Turn(sequence, timing, frame("your_turn", turn, timing))
            self.connection.send(self._turn.text)

    async def on_message(self, message: Message) -> None:
        budget = self._arena.budget
        try:
            if not self._limit.allows(self._clock()):
                raise TooFast("too many frames")
            price = budget.price(ACTION)
            turn = budget.charge(self._payer, price)
        except (TooFast, OverBudget) as error:
            self.connection.send(frame("error", arena_body(error), retryAfterMs=error.retry_after * 1000))
            self.connection.close(POLICY_VIOLATION, "too fast")
            return
        if turn is not None:
            await turn
        await Timed(budget, self._payer, ACTION, price, self._handle(message), OUTSIDE)

    async def _handle(self, message: Message) -> None:
        before = self._sent
        try:
            await self._play(*read(message))
        except Exception as error:
            log_internal(error, match=self.match)
            self.connection.send(frame("error", arena_body(error)))
        else:
            if self._sent == before:  # perhaps a repeated action, by a client that missed the answer
                self._sent = 0
                table = (self._tables.cached(self.match) or await self._tables.load(self.match)).table
                if table.mover != 1 - self.seat:  # else there is nothing to send
                    await self.update(table)

    async def _play(self, sequence: int, action: object) -> None:
        """On the table as it is now; that it is the player's match was checked when the socket opened."""
        table = (self._tables.cached(self.match) or await self._tables.load(self.match)).table
        try:
            await self._arena.act(MatchSeat(table, self.seat), sequence, action)
        except InvalidInput as error:
            raise error.about("action", "payload") from None


class Players:
    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._by_match: dict[str, dict[int, Player]] = {}

    def has(self, match: str) -> bool:
        return match in self._by_match

    def is_at(self, table: Table, agent: Agent) -> bool:
        return table.seat_of(player_key(agent.id)) in self._by_match.get(table.id, ())

    async def serve(self, connection: Connection, agent: Agent, at: MatchSeat, base: str, payer: Payer) -> None:
        player = Player(self._arena, connection, at, base, payer)
        self._replace(player)
        try:
            await self._arena.platform.bus.publish(player.opened)
            connection.send(frame("connected", matchId=player.match, gameId=at.table.opening.game, agentId=agent.id))
            await player.update(await self._arena.table(player.match))
            await connection.run(player.on_message)
        finally:
            self._forget(player)

    async def show(self, table: Table) -> None:
        players = self._by_match.get(table.id, {})
        if table.outcome is not None:
            for player in list(players.values()):
                await player.update(table)
        elif (mover := table.mover) in players:
            players[mover].send_turn(table)

    def _replace(self, player: Player) -> None:
        seats = self._by_match.setdefault(player.match, {})
        older = seats.get(player.seat)
        seats[player.seat] = player
        if older is not None:
            older.connection.replace()

    def end_earlier(self, note: SocketOpened) -> None:
        """The player has opened a socket, perhaps at another process."""
        match, _, seat = note.place.rpartition("/")
        player = self._by_match.get(match, {}).get(int(seat)) if seat.isdecimal() else None
        if player is not None and is_earlier(player.opened, note):
            player.connection.replace()

    def _forget(self, player: Player) -> None:
        seats = self._by_match.get(player.match, {})
        if seats.get(player.seat) is player:
            del seats[player.seat]
            if not seats:
                del self._by_match[player.match]


def read(message: Message) -> tuple[int, Any]:
    """The sequence and the action of a frame."""
    text = message.get("text")
    if text is None:
        raise InvalidInput("frame: must be text")
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise InvalidInput("frame: must be one JSON object") from None
    if not isinstance(found, dict) or found.get("type") != "action":
        raise InvalidInput('type: must be "action"')
    sequence = as_integer(found.get("sequence"))
    if sequence is None or sequence < 0:
        raise InvalidInput("sequence: must be a whole number from 0")
    return sequence, found.get("payload")
