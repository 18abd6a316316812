"""`/ws/agent`: agents that wait to be told of their matches, one socket each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ludus.server.websocket.connection import Line, frame, only_speaking
from ludus.service.agents import player_key
from ludus.service.records import Agent
from ludus.service.table import EventKind, SeatKind, Table
from ludus.service.tables import LoadedTable

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

MISSED: Final = 60_000
"""Milliseconds of platform time for which a match is news to an agent that comes back."""
RECENT: Final = 50
"""Matches of an agent that are looked through, and that are remembered as told to one socket."""


class Listener:
    def __init__(self, line: Line) -> None:
        self.line = line
        self._told: deque[str] = deque(maxlen=RECENT)

    def tell(self, table: Table) -> None:
        """Once, whether it is heard of as it happens or looked up."""
        if table.id not in self._told:
            self._told.append(table.id)
            self.line.say(frame("match_found", matchId=table.id, gameId=table.opening.game))


class Listeners:
    def __init__(self, arena: Arena, is_at: Callable[[Table, Agent], bool]) -> None:
        """`is_at` tells whether an agent has a socket at a table, and so knows of it."""
        self._platform = arena.platform
        self._is_at = is_at
        self._by_agent: dict[str, Listener] = {}

    def __len__(self) -> int:
        return len(self._by_agent)

    async def serve(self, line: Line, agent: Agent) -> None:
        listener = Listener(line)
        self._replace(agent.id, listener)
        try:
            line.say(frame("connected", agentId=agent.id))
            await self._tell_missed(listener, agent)
            await line.live(only_speaking(line))
        finally:
            if self._by_agent.get(agent.id) is listener:
                del self._by_agent[agent.id]

    def announce(self, table: Table) -> None:
        """A match has begun. The agent that completed the pair is told too: it may have missed the answer."""
        for seat in table.seats:
            listener = self._by_agent.get(seat.id) if seat.kind == SeatKind.AGENT else None
            if listener is not None:
                listener.tell(table)

    def _replace(self, agent: str, listener: Listener) -> None:
        older = self._by_agent.get(agent)
        self._by_agent[agent] = listener
        if older is not None:
            older.line.give_way()

    async def _tell_missed(self, listener: Listener, agent: Agent) -> None:
        """From the store, so that neither a restart nor a dead connection that seemed alive has swallowed it."""
        now = self._platform.clock.moment()
        since = now.clock - MISSED
        for row in reversed(await self._platform.store.tables_of(player_key(agent.id), RECENT)):
            if row.ended_at is not None and row.ended_at < now.at - MISSED:
                continue
            live = await self._platform.tables.load(row.id)
            if live.events[0].clock >= since and not self._knows(live, agent):
                listener.tell(live.table)

    def _knows(self, live: LoadedTable, agent: Agent) -> bool:
        """An agent that has a socket there knows of the match; of one that is over, if it did anything in it."""
        if live.table.outcome is None:
            return self._is_at(live.table, agent)
        seat = live.table.seat_of(player_key(agent.id))
        return any(event.seat == seat and event.kind != EventKind.TIMED_OUT for event in live.events)
