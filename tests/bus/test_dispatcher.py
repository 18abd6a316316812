"""Listeners are called in the background: in order for each table, and no table waits for another."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.bus.listeners import Listener

from ludus.bus import dispatcher
from ludus.bus.dispatcher import Dispatcher
from ludus.service.ports.bus import (
    DeadlinesMoved,
    Note,
    PlayerSeated,
    PresenceChanged,
    SessionCancelled,
    TableChanged,
    TableRedacted,
)

pytestmark = pytest.mark.anyio


@pytest.fixture
def notes() -> Dispatcher:
    return Dispatcher()


class Gate:
    """A listener that lets notes about one table through only when it is opened."""

    def __init__(self, table: str) -> None:
        self.table = table
        self.heard: list[Note] = []
        self.opened = asyncio.Event()
        self.entered = asyncio.Event()

    async def __call__(self, note: Note) -> None:
        if isinstance(note, TableChanged) and note.table == self.table:
            self.entered.set()
            await self.opened.wait()
        self.heard.append(note)


async def test_a_slow_table_delays_no_other(notes: Dispatcher) -> None:
    gate = Gate("slow")
    notes.subscribe(gate)
    notes.dispatch(TableChanged("slow", 2))
    await gate.entered.wait()
    for version in (2, 3):
        notes.dispatch(TableChanged("quick", version))
        while TableChanged("quick", version) not in gate.heard:
            await asyncio.sleep(0)
    gate.opened.set()
    await notes.drain()
    assert gate.heard[-1] == TableChanged("slow", 2)


async def test_changes_that_wait_are_replaced_by_the_newest(notes: Dispatcher) -> None:
    gate = Gate("t")
    notes.subscribe(gate)
    notes.dispatch(TableChanged("t", 2))
    await gate.entered.wait()
    for version in range(3, 100):
        notes.dispatch(TableChanged("t", version))
    gate.opened.set()
    await notes.drain()
    assert gate.heard == [TableChanged("t", 2), TableChanged("t", 99)]


async def test_nothing_else_is_replaced_and_the_order_stays(notes: Dispatcher) -> None:
    gate = Gate("t")
    notes.subscribe(gate)
    published: list[Note] = [
        TableChanged("t", 1),
        PlayerSeated("ann", "t"),
        PlayerSeated("ben", "t"),
        TableChanged("t", 2),
        TableRedacted("t"),
    ]
    for note in published:
        notes.dispatch(note)
    gate.opened.set()
    await notes.drain()
    assert gate.heard == published


async def test_of_a_player_who_comes_and_goes_the_last_is_heard(notes: Dispatcher) -> None:
    gate = Gate("t")
    notes.subscribe(gate)
    notes.dispatch(TableChanged("t", 2))
    await gate.entered.wait()
    left, came = (PresenceChanged("t", 0, "sid", is_here) for is_here in (False, True))
    other = PresenceChanged("t", 1, "sid", is_here=True)
    for note in (left, came, other, left):
        notes.dispatch(note)
    gate.opened.set()
    await notes.drain()
    assert gate.heard == [TableChanged("t", 2), other, left]


async def test_notes_of_the_same_text_but_another_kind_are_not_the_same(notes: Dispatcher) -> None:
    heard: list[tuple[str, Note]] = []
    notes.subscribe(Listener("all", heard))
    for note in (TableRedacted("1"), SessionCancelled("1"), DeadlinesMoved(), DeadlinesMoved()):
        notes.dispatch(note)
    await notes.drain()
    assert [type(note) for _, note in heard] == [TableRedacted, SessionCancelled, DeadlinesMoved]


async def test_a_change_that_concerns_nobody_gets_no_task(notes: Dispatcher) -> None:
    notes.subscribe(Listener("none", []), lambda _change: False)
    before = asyncio.all_tasks()
    notes.dispatch(TableChanged("t", 2))
    assert asyncio.all_tasks() == before
    notes.dispatch(SessionCancelled("t"))
    assert asyncio.all_tasks() > before
    await notes.drain()


async def test_draining_includes_what_listeners_publish(notes: Dispatcher) -> None:
    heard: list[Note] = []

    async def answer(note: Note) -> None:
        await asyncio.sleep(0)
        heard.append(note)
        if isinstance(note, TableChanged) and note.version < 4:
            notes.dispatch(TableChanged(f"{note.table}'", note.version + 1))

    notes.subscribe(answer)
    notes.dispatch(TableChanged("t", 2))
    await notes.drain()
    assert heard == [TableChanged("t", 2), TableChanged("t'", 3), TableChanged("t''", 4)]


async def test_a_listener_whose_work_is_cancelled_does_not_stop_its_table(
    notes: Dispatcher, caplog: pytest.LogCaptureFixture
) -> None:
    async def give_up(note: Note) -> None:
        raise asyncio.CancelledError

    heard: list[tuple[str, Note]] = []
    notes.subscribe(give_up)
    notes.subscribe(Listener("next", heard))
    for version in (2, 3):
        notes.dispatch(TableChanged("t", version))
        await notes.drain()
    assert [note for _, note in heard] == [TableChanged("t", 2), TableChanged("t", 3)]
    assert "a listener failed on TableChanged(table='t', version=2" in caplog.text


async def test_what_was_published_is_handled_before_a_stop_and_nothing_after_it(notes: Dispatcher) -> None:
    heard: list[tuple[str, Note]] = []
    notes.subscribe(Listener("slow", heard, pauses=20))
    notes.dispatch(TableChanged("t", 2))
    await notes.stop()
    notes.dispatch(TableChanged("t", 3))
    await notes.drain()
    assert heard == [("slow", TableChanged("t", 2))]
    notes.start()
    notes.dispatch(TableChanged("t", 4))
    await notes.drain()
    assert heard[1:] == [("slow", TableChanged("t", 4))]


async def test_a_listener_that_never_ends_does_not_keep_the_process_from_stopping(
    notes: Dispatcher, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(dispatcher, "STOP_SECONDS", 0.01)
    tasks = asyncio.all_tasks()
    gate = Gate("t")
    notes.subscribe(gate)
    notes.dispatch(TableChanged("t", 2))
    with caplog.at_level(logging.WARNING):
        await notes.stop()
    assert gate.heard == []
    assert "notes about 1 tables were not handled before the stop" in caplog.text
    assert asyncio.all_tasks() == tasks
