"""Writes as SQL. Each statement changes exactly one row; if it changes none, a concurrent write won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ludus.service.ports import (
    Append,
    DropDelivery,
    PutAgent,
    PutAnalysis,
    PutDelivery,
    PutEntry,
    PutKey,
    PutRating,
    PutRatingChange,
    PutSession,
    PutTenant,
    TakeEntry,
    Write,
)
from ludus.service.records import Delivery, TableRow
from ludus.storage.errors import BadRecord
from ludus.storage.relation import R, Relation, is_storable
from ludus.storage.schema import (
    AGENTS,
    ANALYSES,
    DELIVERIES,
    ENTRIES,
    EVENTS,
    KEYS,
    LIVE_TABLES,
    RATING_CHANGES,
    RATINGS,
    SEATS,
    SESSIONS,
    TABLES,
    TENANTS,
    SeatRow,
)


class Statement(NamedTuple):
    text: str
    values: Sequence[Any]


def statements(write: Write) -> Sequence[Statement]:
    match write:
        case Append():
            return _append(write)
        case PutSession(session):
            return (_put(SESSIONS, session, is_new=session.version == 1),)
        case PutDelivery(delivery):
            return (_delivery(delivery),)
        case DropDelivery(id):
            return (_drop(id),)
        case PutRating(rating):
            return (_put(RATINGS, rating, is_new=rating.games == 1),)
        case PutEntry(entry):
            return (Statement(ENTRIES.insert, ENTRIES.values(entry)),)
        case TakeEntry(id):
            return (_take(id),)
        case PutTenant(tenant):
            return (Statement(TENANTS.upsert, TENANTS.values(tenant)),)
        case PutAgent(agent):
            return (_put(AGENTS, agent, is_new=agent.version == 1),)
        case PutRatingChange(change):
            return (Statement(RATING_CHANGES.insert, RATING_CHANGES.values(change)),)
        case PutAnalysis(analysis):
            return (Statement(ANALYSES.upsert, ANALYSES.values(analysis)),)
        case PutKey(key):
            return (Statement(KEYS.upsert, KEYS.values(key)),)


def _append(append: Append) -> tuple[Statement, ...]:
    """The row comes first: if its version is not the next one, it fails before anything has changed."""
    row, event = append
    if row.version != event.version or row.id != event.table:
        raise BadRecord("an event and its row must have the same table and version")
    written = (_table(row), Statement(EVENTS.insert, EVENTS.values(event)))
    return written if row.version > 1 else (*written, *_seats(row))


def _seats(row: TableRow) -> list[Statement]:
    """The players of a new table."""
    seats = [SeatRow(row.id, place, player["key"], row.opened_at) for place, player in enumerate(row.players)]
    return [Statement(SEATS.insert, SEATS.values(seat)) for seat in seats]


def _table(row: TableRow) -> Statement:
    return _put(LIVE_TABLES if row.status == "live" else TABLES, row, is_new=row.version == 1)


def _delivery(delivery: Delivery) -> Statement:
    if delivery.attempts:
        return Statement(DELIVERIES.update, DELIVERIES.changes(delivery))
    return Statement(DELIVERIES.upsert, DELIVERIES.values(delivery))


def _put(relation: Relation[R], record: R, *, is_new: bool) -> Statement:
    if is_new:
        return Statement(relation.insert, relation.values(record))
    return Statement(relation.update, relation.changes(record))


def _take(id: str) -> Statement:
    if not is_storable((id,)):
        raise BadRecord("no entry can have this id")
    return Statement("DELETE FROM entries WHERE id = ?1", (id,))


def _drop(id: str) -> Statement:
    if not is_storable((id,)):
        raise BadRecord("no delivery can have this id")
    return Statement("DELETE FROM deliveries WHERE id = ?1 AND state <> 'waiting'", (id,))


def heartbeat(now: int, grace: int) -> Statement:
    return Statement(
        "INSERT INTO house (id, beat, closed) VALUES (1, ?1, 0) ON CONFLICT (id) DO UPDATE SET beat = ?1, closed ="
        " house.closed + CASE WHEN ?1 - house.beat > ?2 THEN ?1 - house.beat ELSE 0 END",
        (now, grace),
    )
