"""Compares what the players received and were promised with what is stored, between kills of the server."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import orjson

from ludus.server.rooms.messages import MessageRenderer
from ludus.service.decisions import ENDINGS
from ludus.service.ports.store import Store
from ludus.service.records import Event, TableRow
from ludus.service.table import EventKind, Table, folded
from ludus.storage import store_for

from .message_log import OPENING, Entry, MessageLog, to_entry
from .state import Ack, RunState

DECLARED = ENDINGS - {EventKind.PLAYED}
AFTER_THE_END = frozenset({EventKind.REMATCH_ASKED, EventKind.REMATCHED})


class Record(NamedTuple):
    row: TableRow
    events: Sequence[Event]
    table: Table


class Audit:
    def __init__(self, state: RunState) -> None:
        self._run = state
        self._rooms: set[str] = set()
        self._records: dict[str, Record] = {}
        self._acks = 0
        self._closed = 0
        """Downtime according to the server, in milliseconds."""
        self.late: dict[str, int] = {}
        """Milliseconds by which deadlines were late, by table."""

    async def look(self) -> None:
        """Checks a copy of what a killed server left behind, so that the next one finds it untouched."""
        data = self._run.server.data
        if self._run.server.database:
            return await self._look(data)
        copy = data.with_name("copy")
        shutil.copytree(data, copy)
        try:
            return await self._look(copy)
        finally:
            shutil.rmtree(copy)

    async def finish(self) -> None:
        """Also checks that every game is over, and every player's log."""
        await self.look()
        for room, record in self._records.items():
            if record.row.status != "over":
                self._report(f"table {room[:8]} is still {record.row.status}")
            self._check_timeout(record)
        for log in self._run.logs:
            self._check_log(log, self._records[log.room])

    @property
    def tables(self) -> int:
        return len(self._records)

    @property
    def events(self) -> int:
        return sum(len(record.events) for record in self._records.values())

    def kinds(self) -> Counter[str]:
        return Counter(event.kind for record in self._records.values() for event in record.events)

    async def _look(self, data: Path) -> None:
        store = store_for(self._run.server.database, data)
        await store.open()
        try:
            await self._read(store)
        finally:
            await store.close()
        self._check_acks(self._run.acks[self._acks :])
        self._acks = len(self._run.acks)

    async def _read(self, store: Store) -> None:
        self._rooms |= {row.id for row in await store.live_tables()}
        self._rooms |= {log.room for log in self._run.logs}
        news: list[Event] = []
        for room in self._rooms:
            row = await store.table(room)
            if row is None:
                self._report(f"table {room[:8]} was shown to a player and is not stored")
                continue
            known = self._records.get(room)
            if known is None or known.row.version != row.version:
                events = await store.events(room)
                news += events[known.row.version if known else 0 :]
                self._check_table(row, events, known)
        self._check_downtime(news)

    def _check_table(self, row: TableRow, events: Sequence[Event], known: Record | None) -> None:
        name = f"table {row.id[:8]}"
        if [event.version for event in events] != list(range(1, row.version + 1)):
            self._report(f"{name} has versions {[event.version for event in events]} up to {row.version}")
        if known is not None and list(events[: len(known.events)]) != list(known.events):
            self._report(f"{name} has a different past than before")
        table = folded(events)
        if table.row() != row:
            self._report(f"{name} is stored as {row} and its events say {table.row()}")
        commands = Counter(event.command for event in events if event.command is not None)
        if repeated := [command for command, times in commands.items() if times > 1]:
            self._report(f"{name} executed {repeated} more than once")
        self._check_ends(name, events, table)
        self._records[row.id] = Record(row, events, table)

    def _check_ends(self, name: str, events: Sequence[Event], table: Table) -> None:
        """One end, nothing but a rematch after it, and at most one warning per turn."""
        ends = [event.version for event in events if event.kind in DECLARED]
        if table.outcome:
            end = ends[0] if ends else max(event.version for event in events if event.kind == EventKind.PLAYED)
            after = [event.kind for event in events[end:]]
            if not AFTER_THE_END.issuperset(after):
                self._report(f"{name}: after its end, version {end}, came {after}")
        elif ends:
            self._report(f"{name} goes on after version {ends[0]}")
        turns = [event.kind for event in events if event.kind in (EventKind.PLAYED, EventKind.WARNED)]
        if any(one == two == EventKind.WARNED for one, two in pairwise(turns)):
            self._report(f"{name} was warned twice in one turn")
        for event in events:
            if event.kind == EventKind.TIMED_OUT:
                self._check_deadline(name, folded(events[: event.version - 1]), event)

    def _check_deadline(self, name: str, before: Table, event: Event) -> None:
        seat = event.seat
        assert seat is not None
        is_idle = event.data["reason"] == "afk_timeout"
        due = before.idle_due() if is_idle else before.away_due(seat)
        if due is None or event.clock < due or (is_idle and before.mover != seat):
            self._report(f"{name}: {event.data['reason']} at {event.clock} though due at {due}")
        else:
            self.late[name] = event.clock - due

    def _check_acks(self, acks: Sequence[Ack]) -> None:
        """Every acknowledged command is stored, as the event named in the acknowledgement."""
        for room, version, player, command in acks:
            record = self._records[room]
            seat = next(place for place, seat in enumerate(record.table.seats) if seat.id == player)
            event = record.events[version - 1] if version <= len(record.events) else None
            own, _, name = (event.command or "").partition("/") if event else ("", "", "")
            if (own, name.partition("/")[2]) != (str(seat), command):  # seat, kind of command, the sender's name for it
                self._report(f"table {room[:8]}: {command} was acknowledged as version {version} and is not there")

    def _check_downtime(self, news: Sequence[Event]) -> None:
        """Downtime must not count on the server's clock; the events since the last restart show whether it does."""
        says = [event.at - event.clock for event in news]
        outages = self._run.server.outages
        if not says:
            return
        if outages and min(says) - self._closed < outages[-1].closed:
            self._report(
                f"the server was dead for {outages[-1].closed} ms, and {min(says) - self._closed} ms do not count"
            )
        self._closed = max(says)

    def _check_timeout(self, record: Record) -> None:
        """Only players who stop on purpose, or who never learned that they have a seat, may lose on time."""
        last = next((event for event in record.events if event.kind == EventKind.TIMED_OUT), None)
        if last is not None and last.seat is not None:
            player = record.table.seats[last.seat].id
            role = self._run.roles.get((record.row.id, player))
            if role == "plays":
                self._report(f"{player[:8]} at table {record.row.id[:8]} lost by {last.data['reason']} while playing")

    def _check_log(self, log: MessageLog, record: Record) -> None:
        """Each message of the table exactly once and in order, from the state that the player joined at."""
        self._run.problems += log.problems
        has_opening = bool(log.entries) and log.entries[0].version == OPENING
        expected = [entry for entry in _expected(record) if entry.version > log.first - has_opening]
        if log.entries != expected[: len(log.entries)]:
            self._report(f"{log} received other messages than those of the stored events")
        ends = {event.version for event in record.events if event.kind in ENDINGS}
        if not any(entry.event == "game:over" for entry in log.entries) and max(ends) > log.first:
            self._report(f"{log} was never told the end")

    def _report(self, problem: str) -> None:
        self._run.report_problem(problem)


def _expected(record: Record) -> list[Entry]:
    """The messages of the stored events."""
    renderer = MessageRenderer(record.table)
    messages = [message for event in record.events for message in renderer.render(event, record.table)]
    return [to_entry(message.event, orjson.loads(orjson.dumps(message.data))) for message in messages]
