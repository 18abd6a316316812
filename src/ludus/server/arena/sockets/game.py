"""`/ws/game/ID`: a player at the table, told when it is their turn and when the game is over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import orjson
from starlette.types import Message

from ludus.core.errors import InvalidInput, LudusError
from ludus.server.arena.states import state
from ludus.server.http.errors import arena_body
from ludus.server.http.rate_limit import EventLimit
from ludus.server.websocket.connection import UNWANTED, Line, frame
from ludus.service.agents import player_key
from ludus.service.matches import MatchSeat
from ludus.service.records import Agent
from ludus.service.table import Table
from ludus.wire.actions import as_integer

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena


class TooFast(LudusError):
    """More frames than one socket may send; `retry_seconds` later there is room again."""

    code = "too_fast"
    retry_seconds = 1


class TooManySockets(TooFast):
    retry_seconds = 5


class Player:
    def __init__(self, arena: Arena, line: Line, at: MatchSeat, base: str) -> None:
        self._arena = arena
        self._tables = arena.platform.tables
        self._base = base
        self._told = 0
        """The sequence that the player was told last."""
        self._clock = asyncio.get_running_loop().time
        self._limit = EventLimit(arena.settings.max_events, self._clock())
        self.line = line
        self.match = at.table.id
        self.seat = at.seat

    async def tell(self, table: Table) -> None:
        """What the player has to know of the table now, each thing once."""
        if table.outcome is None:
            self.tell_turn(table)
        elif table.version > self._told:
            self._told = table.version
            told = await self._arena.state(MatchSeat(table, self.seat), self._base)
            self.line.say(frame(told["status"], told))
            self.line.end(reason="game over")

    def tell_turn(self, table: Table) -> None:
        """The same while the game goes on, without waiting for anything."""
        sequence = table.turn_version
        if sequence > self._told and table.mover == self.seat:
            self._told = sequence
            told = state(table, self.seat, "your_turn", sequence)
            if ends := self._arena.turn_ends_at(table):
                told["turnEndsAt"] = ends
            self.line.say(frame("your_turn", told))

    async def hear(self, message: Message) -> None:
        before = self._told
        try:
            if not self._limit.allows(self._clock()):
                raise TooFast("too many frames")
            await self._play(*read(message))
        except Exception as error:
            wait = {"retryAfterMs": error.retry_seconds * 1000} if isinstance(error, TooFast) else {}
            self.line.say(frame("error", arena_body(error), wait))
            if wait:
                self.line.end(UNWANTED, "too fast")
        else:
            if self._told == before:  # perhaps a repetition by somebody who has missed the answer
                self._told = 0
                table = (self._tables.cached(self.match) or await self._tables.load(self.match)).table
                if table.mover != 1 - self.seat:  # else there is nothing to say
                    await self.tell(table)

    async def _play(self, sequence: int, action: object) -> None:
        """At the table as it is now; that it is a match, and whose, was seen when the player came in."""
        table = (self._tables.cached(self.match) or await self._tables.load(self.match)).table
        try:
            await self._arena.play(MatchSeat(table, self.seat), sequence, action)
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

    async def serve(self, line: Line, agent: Agent, at: MatchSeat, base: str) -> None:
        player = Player(self._arena, line, at, base)
        self._replace(player)
        try:
            line.say(frame("connected", matchId=player.match, gameId=at.table.opening.game, agentId=agent.id))
            await player.tell(await self._arena.table(player.match))
            await line.live(player.hear)
        finally:
            self._forget(player)

    async def show(self, table: Table) -> None:
        players = self._by_match.get(table.id, {})
        if table.outcome is not None:
            for player in list(players.values()):
                await player.tell(table)
        elif (mover := table.mover) in players:
            players[mover].tell_turn(table)

    def _replace(self, player: Player) -> None:
        seats = self._by_match.setdefault(player.match, {})
        older = seats.get(player.seat)
        seats[player.seat] = player
        if older is not None:
            older.line.give_way()

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
