"""Statements in PostgreSQL's dialect, batched, since each is a round trip."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
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
from ludus.storage.schema import EVENTS
from ludus.storage.statement import Statement, statements

ORDER = (
    PutTenant,
    PutKey,
    PutAgent,
    TakeEntry,
    PutEntry,
    Append,
    PutSession,
    PutRating,
    PutRatingChange,
    PutAnalysis,
    PutDelivery,
    DropDelivery,
)


class Batch(NamedTuple):
    """One statement with several rows of values, sent together; each returns one row unless a concurrent write won."""

    text: str
    values: Sequence[Sequence[Any]]


@cache
def to_postgres(text: str) -> str:
    """Our statements have no question marks other than parameters."""
    return text.replace("?", "$")


def batches(writes: Iterable[Write]) -> list[Batch]:
    """Consecutive writes with the same statement form a batch."""
    lines = [statement for write in sorted(writes, key=_place) for statement in _statements(write)]
    groups = groupby(lines, key=lambda statement: statement.text)
    return [Batch(f"{to_postgres(text)} RETURNING 1", [line.values for line in group]) for text, group in groups]


def _place(write: Write) -> tuple[Any, ...]:
    """All commits lock their rows in this order, which prevents deadlocks."""
    is_named = isinstance(write, TakeEntry | DropDelivery)
    key = (write[0],) if is_named else write[0][:2]  # two fields: the key, or id and version
    return ORDER.index(type(write)), *key


def _statements(write: Write) -> Sequence[Statement]:
    lines = statements(write)
    if not isinstance(write, Append):
        return lines
    row, event, *seats = lines
    return (Statement(_appending(row.text, len(row.values)), [*row.values, *event.values]), *seats)


@cache
def _appending(row: str, width: int) -> str:
    """One statement that inserts the event only if the row was written; the row's parameters come first."""
    values = ", ".join(f"?{width + number}" for number in range(1, EVENTS.width + 1))
    return f"WITH moved AS ({row} RETURNING 1) INSERT INTO events ({EVENTS.columns}) SELECT {values} FROM moved"
