"""Statements in PostgreSQL's dialect, batched, since each is a round trip."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any, Final, NamedTuple

from ludus.service.ports.writes import (
    AddScore,
    Append,
    CountMoves,
    DropAddressMark,
    DropAgent,
    DropAnalysisJob,
    DropBlock,
    DropChallenge,
    DropCode,
    DropConnection,
    DropDeliveries,
    DropDelivery,
    DropDevice,
    DropEncounter,
    DropErasure,
    DropFriendship,
    DropKeys,
    DropMember,
    DropPasskey,
    DropPerson,
    DropPuzzleAttempts,
    DropRatings,
    DropRelations,
    DropSeatCodes,
    DropSession,
    DropTable,
    DropTenant,
    DropTournament,
    PutAddressMark,
    PutAgent,
    PutAnalysis,
    PutAnalysisJob,
    PutBlock,
    PutChallenge,
    PutCode,
    PutConnection,
    PutDelivery,
    PutDevice,
    PutEncounter,
    PutEntrant,
    PutEntry,
    PutErasure,
    PutFriendLink,
    PutFriendship,
    PutHistory,
    PutKey,
    PutMember,
    PutPairing,
    PutPasskey,
    PutPerson,
    PutPuzzleAttempt,
    PutPuzzleRating,
    PutPuzzleStreaks,
    PutRating,
    PutRatingChange,
    PutReport,
    PutSeatCode,
    PutSession,
    PutSighting,
    PutTenant,
    PutTournament,
    RedactDelivery,
    RedactSeat,
    ScheduleTournament,
    SeeDevice,
    TakeEntry,
    TakeLease,
    TakeSeatCode,
    UsePasskey,
    WakeTournament,
    Write,
)
from ludus.storage.schema import EVENTS
from ludus.storage.statement import Statement, statements

ORDER = (
    PutTenant,
    PutKey,
    PutAgent,
    PutPerson,
    PutDevice,
    SeeDevice,
    PutPasskey,
    UsePasskey,
    PutCode,
    TakeEntry,
    PutEntry,
    Append,
    DropSeatCodes,
    PutSeatCode,
    TakeSeatCode,
    PutSession,
    PutRating,
    PutRatingChange,
    PutEncounter,
    PutAddressMark,
    PutHistory,
    AddScore,
    PutFriendship,
    DropFriendship,
    PutFriendLink,
    PutBlock,
    DropBlock,
    PutChallenge,
    DropChallenge,
    PutPuzzleAttempt,
    PutPuzzleRating,
    PutPuzzleStreaks,
    DropPuzzleAttempts,
    PutReport,
    PutSighting,
    PutPairing,
    PutEntrant,
    PutTournament,
    WakeTournament,
    ScheduleTournament,
    DropTournament,
    PutAnalysis,
    PutAnalysisJob,
    DropAnalysisJob,
    CountMoves,
    PutDelivery,
    RedactDelivery,
    DropDelivery,
    DropDeliveries,
    RedactSeat,
    DropSession,
    DropTable,
    DropEncounter,
    DropAddressMark,
    DropRatings,
    DropRelations,
    DropAgent,
    DropCode,
    DropPasskey,
    DropDevice,
    DropPerson,
    DropKeys,
    DropTenant,
    PutErasure,
    DropErasure,
    PutMember,
    DropMember,
    TakeLease,
    PutConnection,
    DropConnection,
)


JSON_LIST: Final = re.compile(r"json_each\((\?\d+)\)")
"""A parameter that is a list of texts, as SQLite reads it."""


class Batch(NamedTuple):
    """One statement with several rows of values, sent together; each returns a row for every row it has changed."""

    text: str
    values: Sequence[Sequence[Any]]
    may_change_any: bool = False


@cache
def to_postgres(text: str) -> str:
    """Our statements have no question marks other than parameters."""
    text = JSON_LIST.sub(r"json_array_elements_text(\1::json) AS value", text)
    return text.replace("instr(", "strpos(").replace("?", "$")


def batches(writes: Iterable[Write]) -> list[Batch]:
    """Consecutive writes with the same statement form a batch."""
    lines = [statement for write in sorted(writes, key=_place) for statement in _statements(write)]
    groups = groupby(lines, key=lambda statement: (statement.text, statement.may_change_any))
    return [
        Batch(f"{to_postgres(text)} RETURNING 1", [line.values for line in group], may_change_any)
        for (text, may_change_any), group in groups
    ]


def _place(write: Write) -> tuple[Any, ...]:
    """All commits lock their rows in this order, which prevents deadlocks."""
    # an id or a time; or the key, or id and version
    key = (write[0],) if isinstance(write[0], str | int) else write[0][:3]
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
