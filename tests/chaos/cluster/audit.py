"""Compares what players and agents were promised with what is stored after the chaos."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import asyncpg

from ludus.service.table import EventKind

from ...arena.soak.audit import QUERIES, Stored, check_stored
from ...arena.soak.client import Accepted
from ..audit import Audit

WEBHOOK_EVENT = "game.ended"


class ClusterAudit(Audit):
    """Also of the arena's tables, of ratings and of webhooks."""

    async def finish_all(self, accepted: Sequence[Accepted], received: Collection[str]) -> None:
        """`received` are the ids of the deliveries that the receiver got."""
        connection = await asyncpg.connect(self._run.server.database)
        try:
            self._rooms |= {id for (id,) in await connection.fetch("SELECT id FROM tables")}
            stored = Stored(**{name: await _rows(connection, query) for name, query in QUERIES.items()})
            deliveries = await _rows(connection, "SELECT id, session, event, state FROM deliveries")
            ended = await _rows(connection, "SELECT id FROM sessions WHERE status = 'ended' AND \"table\" IS NOT NULL")
        finally:
            await connection.close()
        await self.finish()
        self._run.problems += check_stored(stored)
        self._check_actions(accepted)
        self._check_deliveries(deliveries, {id for (id,) in ended}, received)

    def _check_actions(self, accepted: Sequence[Accepted]) -> None:
        """Every accepted action of an agent is stored, exactly once: `_check_table` finds repeated commands."""
        for match, agent, sequence in set(accepted):
            record = self._records[match]
            seat = next(place for place, seat in enumerate(record.table.seats) if seat.id == agent)
            name = f"{seat}/{sequence}/"
            kinds = [event.kind for event in record.events if (event.command or "").startswith(name)]
            if kinds not in ([EventKind.PLAYED], [EventKind.RESIGNED]):
                self._report(f"match {match[:8]}: the action at {sequence} was accepted and is stored as {kinds}")

    def _check_deliveries(self, deliveries: Sequence[Any], ended: set[str], received: Collection[str]) -> None:
        """Each webhook arrived at least once, and each ended session has one that says so."""
        for id, _session, event, state in deliveries:
            if state != "delivered" or id not in received:
                self._report(f"webhook {id} ({event}) is {state}, and {'' if id in received else 'never '}arrived")
        ends = Counter(session for _, session, event, _ in deliveries if event == WEBHOOK_EVENT)
        for session in ended:
            if ends[session] != 1:
                self._report(f"session {session[:8]} has {ends[session]} webhooks about its end")


async def _rows(connection: Any, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await connection.fetch(query)]
