"""All reads of the port, once for all databases. Each is a look-up in an index of the schema."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ludus.service.records import Delivery, Entry, Event, Key, Rating, Session, TableRow, Tenant
from ludus.storage.relation import R, Relation, is_storable
from ludus.storage.schema import DELIVERIES, ENTRIES, EVENTS, KEYS, RATINGS, SESSIONS, TABLES, TENANTS

V = TypeVar("V")


class Reads(ABC):
    @abstractmethod
    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], is_long: bool
    ) -> list[V]:
        """What `read` makes of each row; `is_long` if there may be very many."""

    async def _all(self, relation: Relation[R], which: str, *values: Any, is_long: bool = False) -> list[R]:
        if not is_storable(values):  # so nothing that is stored can match
            return []
        return await self._fetch(f"{relation.select} {which}", values, relation.record, is_long)

    async def _one(self, relation: Relation[R], which: str, *values: Any) -> R | None:
        found = await self._all(relation, which, *values)
        return found[0] if found else None

    async def _closed(self) -> int:
        rows = await self._fetch("SELECT closed FROM house", (), tuple, False)
        return int(rows[0][0])

    async def tenant(self, id: str) -> Tenant | None:
        return await self._one(TENANTS, "WHERE id = ?1", id)

    async def tenants(self) -> Sequence[Tenant]:
        return await self._all(TENANTS, "ORDER BY created_at, id", is_long=True)

    async def key(self, hash: str) -> Key | None:
        return await self._one(KEYS, "WHERE hash = ?1", hash)

    async def keys(self, tenant: str) -> Sequence[Key]:
        return await self._all(KEYS, "WHERE tenant = ?1 ORDER BY created_at, hash", tenant)

    async def session(self, id: str) -> Session | None:
        return await self._one(SESSIONS, "WHERE id = ?1", id)

    async def session_by_code(self, tenant: str, game: str, code: str) -> Session | None:
        which = "WHERE tenant = ?1 AND room_code = ?3 AND game = ?2 AND status = 'pending'"
        return await self._one(SESSIONS, which, tenant, game, code)

    async def sessions_of(self, table: str) -> Sequence[Session]:
        return await self._all(SESSIONS, 'WHERE "table" = ?1 ORDER BY created_at, id', table)

    async def sessions_due(self, clock: int, most: int) -> Sequence[Session]:
        which = "WHERE status = 'pending' AND due <= ?1 ORDER BY due, id LIMIT ?2"
        return await self._all(SESSIONS, which, clock, most)

    async def table(self, id: str) -> TableRow | None:
        return await self._one(TABLES, "WHERE id = ?1", id)

    async def events(self, table: str, after: int = 0) -> Sequence[Event]:
        return await self._all(EVENTS, 'WHERE "table" = ?1 AND version > ?2 ORDER BY version', table, after)

    async def tables_due(self, clock: int, most: int) -> Sequence[str]:
        text = "SELECT id FROM tables WHERE due <= ?1 ORDER BY due, id LIMIT ?2"
        return await self._fetch(text, (clock, most), _first_text, False)

    async def live_tables(self, game: str | None = None, most: int = 1_000_000) -> Sequence[TableRow]:
        order = "ORDER BY opened_at DESC, id"
        if game is None:
            return await self._all(TABLES, f"WHERE status = 'live' {order} LIMIT ?1", most, is_long=True)
        which = f"WHERE status = 'live' AND game = ?1 {order} LIMIT ?2"
        return await self._all(TABLES, which, game, most, is_long=True)

    async def entries(self, game: str, pool: str) -> Sequence[Entry]:
        which = "WHERE game = ?1 AND pool = ?2 ORDER BY since, id"
        return await self._all(ENTRIES, which, game, pool, is_long=True)

    async def entry_of(self, game: str, pool: str, player: str) -> Entry | None:
        return await self._one(ENTRIES, "WHERE game = ?1 AND pool = ?2 AND player = ?3", game, pool, player)

    async def pools(self) -> Sequence[tuple[str, str]]:
        text = "SELECT DISTINCT game, pool FROM entries ORDER BY game, pool"
        return await self._fetch(text, (), _two_texts, True)

    async def rating(self, player: str, game: str) -> Rating | None:
        return await self._one(RATINGS, "WHERE player = ?1 AND game = ?2", player, game)

    async def deliveries_due(self, now: int, most: int) -> Sequence[Delivery]:
        which = "WHERE state = 'waiting' AND due <= ?1 ORDER BY due, id LIMIT ?2"
        return await self._all(DELIVERIES, which, now, most)

    async def delivery(self, id: str) -> Delivery | None:
        return await self._one(DELIVERIES, "WHERE id = ?1", id)

    async def deliveries(self, state: str, tenant: str | None = None, most: int = 100) -> Sequence[Delivery]:
        order = "ORDER BY created_at DESC, id"
        if tenant is None:
            return await self._all(DELIVERIES, f"WHERE state = ?1 {order} LIMIT ?2", state, most, is_long=True)
        which = f"WHERE tenant = ?1 AND state = ?2 {order} LIMIT ?3"
        return await self._all(DELIVERIES, which, tenant, state, most, is_long=True)


def _first_text(row: Iterable[Any]) -> str:
    (text,) = row
    return str(text)


def _two_texts(row: Iterable[Any]) -> tuple[str, str]:
    one, two = row
    return str(one), str(two)
