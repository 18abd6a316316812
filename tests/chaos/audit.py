"""Compares what the players saw and were promised with what the store holds, between two lives of the server."""

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
from ludus.service.ports import Store
from ludus.service.records import Event, TableRow
from ludus.service.table import EventKind, Table, folded
from ludus.storage import store_for

from .message_log import OPENING, Heard, MessageLog, heard
from .state import Ack, RunState

DECLARED = ENDINGS - {EventKind.PLAYED}
AFTER_THE_END = frozenset({EventKind.REMATCH_ASKED, EventKind.REMATCHED})


class Record(NamedTuple):
    row: TableRow
    events: Sequence[Event]
    table: Table


class Audit:
    def __init__(self, state: RunState) -> None:
        self._world = state
        self._rooms: set[str] = set()
        self._records: dict[str, Record] = {}
        self._acks = 0
        self._closed = 0
        """How long the house says that it was closed, in milliseconds."""
        self.late: dict[str, int] = {}
        """Milliseconds by which deadlines were late, by table."""

    async def look(self) -> None:
        """At a copy of what a killed server left behind, so that the next one finds it untouched."""
        data = self._world.server.data
        copy = data.with_name("copy")
        shutil.copytree(data, copy)
        try:
            await self._look(copy)
        finally:
            shutil.rmtree(copy)

    async def finish(self) -> None:
        """At the end: also every log, page by page."""
        await self.look()
        for room, record in self._records.items():
            if record.row.status != "over":
                self._object(f"table {room[:8]} is still {record.row.status}")
            self._check_timeout(record)
        for log in self._world.logs:
            self._check_diary(log, self._records[log.room])

    @property
    def tables(self) -> int:
        return len(self._records)

    @property
    def events(self) -> int:
        return sum(len(record.events) for record in self._records.values())

    def kinds(self) -> Counter[str]:
        return Counter(event.kind for record in self._records.values() for event in record.events)

    async def _look(self, data: Path) -> None:
        store = store_for("", data)
        await store.open()
        try:
            await self._read(store)
        finally:
            await store.close()
        self._check_acks(self._world.acks[self._acks :])
        self._acks = len(self._world.acks)

    async def _read(self, store: Store) -> None:
        self._rooms |= {row.id for row in await store.live_tables()}
        self._rooms |= {log.room for log in self._world.logs}
        news: list[Event] = []
        for room in self._rooms:
            row = await store.table(room)
            if row is None:
                self._object(f"table {room[:8]} was shown to a player and is not stored")
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
            self._object(f"{name} has versions {[event.version for event in events]} up to {row.version}")
        if known is not None and list(events[: len(known.events)]) != list(known.events):
            self._object(f"{name} has another past than before")
        table = folded(events)
        if table.row() != row:
            self._object(f"{name} is stored as {row} and its events say {table.row()}")
        commands = Counter(event.command for event in events if event.command is not None)
        if repeated := [command for command, times in commands.items() if times > 1]:
            self._object(f"{name} carried out {repeated} more than once")
        self._check_ends(name, events, table)
        self._records[row.id] = Record(row, events, table)

    def _check_ends(self, name: str, events: Sequence[Event], table: Table) -> None:
        """One end, nothing but a rematch after it, and one warning at most for each turn."""
        ends = [event.version for event in events if event.kind in DECLARED]
        if table.outcome:
            end = ends[0] if ends else max(event.version for event in events if event.kind == EventKind.PLAYED)
            after = [event.kind for event in events[end:]]
            if not AFTER_THE_END.issuperset(after):
                self._object(f"{name}: after its end, version {end}, came {after}")
        elif ends:
            self._object(f"{name} goes on after version {ends[0]}")
        turns = [event.kind for event in events if event.kind in (EventKind.PLAYED, EventKind.WARNED)]
        if any(one == two == EventKind.WARNED for one, two in pairwise(turns)):
            self._object(f"{name} was warned twice in one turn")
        for event in events:
            if event.kind == EventKind.TIMED_OUT:
                self._check_deadline(name, folded(events[: event.version - 1]), event)

    def _check_deadline(self, name: str, before: Table, event: Event) -> None:
        seat = event.seat
        assert seat is not None
        is_idle = event.data["reason"] == "afk_timeout"
        due = before.idle_due() if is_idle else before.away_due(seat)
        if due is None or event.clock < due or (is_idle and before.mover != seat):
            self._object(f"{name}: {event.data['reason']} at {event.clock} though due at {due}")
        else:
            self.late[name] = event.clock - due

    def _check_acks(self, acks: Sequence[Ack]) -> None:
        """Whatever was acknowledged is stored, as the event that the acknowledgement named."""
        for room, version, player, command in acks:
            record = self._records[room]
            seat = next(place for place, seat in enumerate(record.table.seats) if seat.id == player)
            event = record.events[version - 1] if version <= len(record.events) else None
            own, _, name = (event.command or "").partition("/") if event else ("", "", "")
            if (own, name.partition("/")[2]) != (str(seat), command):  # seat, kind of command, the sender's name for it
                self._object(f"table {room[:8]}: {command} was acknowledged as version {version} and is not there")

    def _check_downtime(self, news: Sequence[Event]) -> None:
        """The time without a server is no house time: what happened since the last restart shows it."""
        says = [event.at - event.clock for event in news]
        outages = self._world.server.outages
        if not says:
            return
        if outages and min(says) - self._closed < outages[-1].closed:
            self._object(
                f"the server was dead for {outages[-1].closed} ms, and {min(says) - self._closed} ms do not count"
            )
        self._closed = max(says)

    def _check_timeout(self, record: Record) -> None:
        """Who loses on time is somebody who stayed away on purpose, or whose seat nobody ever heard of."""
        last = next((event for event in record.events if event.kind == EventKind.TIMED_OUT), None)
        if last is not None and last.seat is not None:
            player = record.table.seats[last.seat].id
            role = self._world.roles.get((record.row.id, player))
            if role == "plays":
                self._object(f"{player[:8]} at table {record.row.id[:8]} lost by {last.data['reason']} while playing")

    def _check_diary(self, log: MessageLog, record: Record) -> None:
        """Each message of the table exactly once and in order, from the state at which the player came."""
        self._world.problems += log.problems
        has_opening = bool(log.pages) and log.pages[0].version == OPENING
        story = [page for page in _story(record) if page.version > log.first - has_opening]
        if log.pages != story[: len(log.pages)]:
            self._object(f"{log} heard something else than what is stored")
        ends = {event.version for event in record.events if event.kind in ENDINGS}
        if not any(page.event == "game:over" for page in log.pages) and max(ends) > log.first:
            self._object(f"{log} never heard the end")

    def _object(self, problem: str) -> None:
        self._world.object(problem)


def _story(record: Record) -> list[Heard]:
    """What the stored events have to be told as."""
    story = MessageRenderer(record.table)
    messages = [message for event in record.events for message in story.render(event, record.table)]
    return [heard(message.event, orjson.loads(orjson.dumps(message.data))) for message in messages]
