"""Which members of the cluster have connections of which players, so that each knows who is really gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from weakref import WeakValueDictionary

from ludus.service.cluster import Cluster, Work
from ludus.service.ports.store import Store
from ludus.service.ports.writes import DropConnection, PutConnection
from ludus.service.records import ConnectionRow

Place = tuple[str, int]
"""A table and a seat."""

BATCH = 1000
"""Rows of dead members read at once."""
MOST_COUNTED = 5000


class ConnectionRows:
    """A sole process stores none: it knows all connections there are."""

    def __init__(self, store: Store, cluster: Cluster) -> None:
        self._store = store
        self._cluster = cluster
        self._stored: set[Place] = set()
        self._locks: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()
        """One change of a row at a time, or else they could be stored in any order."""

    @property
    def is_sole(self) -> bool:
        return self._cluster.is_sole

    async def put(self, place: Place) -> None:
        """Notes that this member has a connection of the player."""
        if self._cluster.is_sole or place in self._stored:
            return
        async with self._locks.setdefault(place, asyncio.Lock()):
            await self._store.commit(PutConnection(self._row(place)))
            self._stored.add(place)

    async def drop(self, place: Place, is_gone: Callable[[Place], bool]) -> None:
        """Notes that it has none any more, unless that has changed again."""
        if self._cluster.is_sole:
            return
        async with self._locks.setdefault(place, asyncio.Lock()):
            if is_gone(place):
                self._stored.discard(place)
                await self._store.commit(DropConnection(self._row(place)))

    def forget(self) -> None:
        """The other members took this one for dead, and may have removed its rows."""
        self._stored.clear()

    def missing(self, places: Iterable[Place]) -> list[Place]:
        """Those of the places whose row is not known to be stored."""
        return [] if self._cluster.is_sole else [place for place in places if place not in self._stored]

    async def count(self) -> int:
        """The players with a connection to any member; where there are very many, a lower bound."""
        rows = await self._store.connections_of(list(self._cluster.members), MOST_COUNTED)
        return len({(row.table, row.seat) for row in rows})

    async def is_elsewhere(self, place: Place) -> bool:
        """Whether another member has a connection of the player."""
        if self._cluster.is_sole:
            return False
        table, seat = place
        others = [row.member for row in await self._store.connections_at(table) if row.seat == seat]
        return any([member != self._cluster.id and await self._cluster.is_alive(member) for member in others])

    async def orphans(self) -> list[ConnectionRow]:
        """Rows of dead members, at tables that this one looks after."""
        if self._cluster.is_sole:
            return []
        rows = await self._store.connections_except(list(self._cluster.members), BATCH)
        own = [row for row in rows if self._cluster.has(Work.SWEEP, row.table)]
        if own:
            await self._cluster.look_again()  # one of them may have joined again since
        return [row for row in own if row.member not in self._cluster.members]

    async def remove(self, orphan: ConnectionRow) -> None:
        await self._store.commit(DropConnection(orphan))

    def _row(self, place: Place) -> ConnectionRow:
        return ConnectionRow(*place, self._cluster.id)
