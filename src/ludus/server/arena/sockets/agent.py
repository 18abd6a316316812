"""`/ws/agent`: tells agents of their new matches, one socket each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ludus.server.arena.sockets.newest import is_earlier, opened
from ludus.server.websocket.connection import POLICY_VIOLATION, Connection, frame, refuse_messages
from ludus.service.agents import player_key
from ludus.service.platform import Platform
from ludus.service.ports.bus import SocketOpened
from ludus.service.records import Agent
from ludus.service.table import EventKind, SeatKind, Table
from ludus.service.tables import LoadedTable

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

MISSED: Final = 60_000
"""Milliseconds of uptime for which a match is news to an agent that reconnects."""
RECENT: Final = 50
"""An agent's latest matches that are looked through, and that one socket remembers as announced."""


class Listener:
    def __init__(self, platform: Platform, connection: Connection, agent: Agent) -> None:
        self.connection = connection
        self.agent = agent
        self.opened = opened(platform, player_key(agent.id))
        self._announced: deque[str] = deque(maxlen=RECENT)

    def announce(self, table: Table) -> None:
        """Once, whether it was just opened or looked up."""
        if table.id not in self._announced:
            self._announced.append(table.id)
            self.connection.send(frame("match_found", matchId=table.id, gameId=table.opening.game))

    def close(self) -> None:
        """The agent has been deleted."""
        self.connection.close(POLICY_VIOLATION, "deleted")


class Listeners:
    def __init__(self, arena: Arena, is_at: Callable[[Table, Agent], bool]) -> None:
        """`is_at` says whether an agent has a socket at a table, and so knows about it."""
        self._platform = arena.platform
        self._is_at = is_at
        self._by_agent: dict[str, Listener] = {}

    def __len__(self) -> int:
        return len(self._by_agent)

    async def serve(self, connection: Connection, agent: Agent) -> None:
        listener = Listener(self._platform, connection, agent)
        self._replace(agent.id, listener)
        try:
            await self._platform.bus.publish(listener.opened)
            connection.send(frame("connected", agentId=agent.id))
            await self._announce_missed(listener)
            await connection.run(refuse_messages(connection))
        finally:
            if self._by_agent.get(agent.id) is listener:
                del self._by_agent[agent.id]

    def announce(self, table: Table) -> None:
        """Also to the agent that completed the pair: it may have missed the response."""
        for seat in table.seats:
            listener = self._by_agent.get(seat.id) if seat.kind == SeatKind.AGENT else None
            if listener is not None:
                listener.announce(table)

    def has(self, player: str) -> bool:
        """Whether the player is an agent with a socket here."""
        return self._of(player) is not None

    def _of(self, player: str) -> Listener | None:
        kind, _, agent = player.partition("/")
        return self._by_agent.get(agent) if kind == "agent" else None

    def close(self, player: str) -> None:
        listener = self._of(player)
        if listener is not None:
            listener.close()

    def _replace(self, agent: str, listener: Listener) -> None:
        older = self._by_agent.get(agent)
        self._by_agent[agent] = listener
        if older is not None:
            older.connection.replace()

    def end_earlier(self, note: SocketOpened) -> None:
        """The agent has opened a socket, perhaps at another process."""
        listener = self._of(note.place)
        if listener is not None and is_earlier(listener.opened, note):
            listener.connection.replace()

    async def catch_up(self) -> None:
        """Finds matches that were opened, and agents that were deleted, while this process could not be notified."""
        for id, listener in list(self._by_agent.items()):
            if await self._platform.store.agent(id) is None:
                listener.close()
            else:
                await self._announce_missed(listener)

    async def _announce_missed(self, listener: Listener) -> None:
        """From the store, so that neither a restart nor a dead connection that seemed alive loses any."""
        agent = listener.agent
        now = self._platform.clock.moment()
        since = now.clock - MISSED
        for row in reversed(await self._platform.store.tables_of(player_key(agent.id), RECENT)):
            if row.ended_at is not None and row.ended_at < now.at - MISSED:
                continue
            live = await self._platform.tables.load(row.id)
            if live.events[0].clock >= since and not self._knows(live, agent):
                listener.announce(live.table)

    def _knows(self, live: LoadedTable, agent: Agent) -> bool:
        """An agent with a socket there knows of the match; of a finished one, if it did anything in it."""
        if live.table.outcome is None:
            return self._is_at(live.table, agent)
        seat = live.table.seat_of(player_key(agent.id))
        return any(event.seat == seat and event.kind != EventKind.TIMED_OUT for event in live.events)
