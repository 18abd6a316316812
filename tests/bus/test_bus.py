"""What every bus does for the process it is in."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator

import pytest
from tests.bus.listeners import Listener
from tests.redis_server import RedisServer

from ludus.bus import bus_for
from ludus.service.ports.bus import Bus, DeadlinesMoved, Note, PlayerSeated, SessionCancelled, TableChanged

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

MOVED = TableChanged("t1", 2)


@pytest.fixture(params=["memory", "redis"])
async def bus(request: pytest.FixtureRequest, redis: RedisServer) -> AsyncIterator[Bus]:
    bus = bus_for(redis.url if request.param == "redis" else "", "p1", name=str(uuid.uuid4()))
    await bus.start()
    yield bus
    await bus.stop()


async def test_publishing_without_listeners_is_fine(bus: Bus) -> None:
    await bus.publish(MOVED)


async def test_all_hear_every_note_in_the_order_in_which_they_subscribed(bus: Bus) -> None:
    heard: list[tuple[str, Note]] = []
    bus.subscribe(Listener("slow", heard, pauses=5))
    bus.subscribe(Listener("quick", heard))
    await bus.publish(MOVED)
    await bus.publish(PlayerSeated("ann", "t1"))
    assert not heard
    await bus.drain()
    seated = PlayerSeated("ann", "t1")
    assert heard == [("slow", MOVED), ("quick", MOVED), ("slow", seated), ("quick", seated)]


async def test_a_listener_hears_the_changes_of_tables_that_concern_it_and_all_other_notes(bus: Bus) -> None:
    heard: list[tuple[str, Note]] = []
    bus.subscribe(Listener("first table's", heard), lambda change: change.table == "t1")
    bus.subscribe(Listener("later versions'", heard), lambda change: change.version > 2)
    for note in (MOVED, TableChanged("t2", 2), TableChanged("t3", 3), SessionCancelled("t2")):
        await bus.publish(note)
    await bus.drain()
    assert sorted(heard) == [
        ("first table's", MOVED),
        ("first table's", SessionCancelled("t2")),
        ("later versions'", SessionCancelled("t2")),
        ("later versions'", TableChanged("t3", 3)),
    ]


async def test_a_note_published_before_is_not_heard(bus: Bus) -> None:
    heard: list[tuple[str, Note]] = []
    await bus.publish(MOVED)
    await bus.drain()
    bus.subscribe(Listener("late", heard))
    await bus.drain()
    assert heard == []


async def test_a_listener_that_fails_is_logged_and_the_others_hear_the_note(
    bus: Bus, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(note: Note) -> None:
        raise RuntimeError("deaf")

    heard: list[tuple[str, Note]] = []
    bus.subscribe(fail)
    bus.subscribe(Listener("next", heard))
    with caplog.at_level(logging.ERROR):
        await bus.publish(MOVED)
        await bus.drain()
    assert heard == [("next", MOVED)]
    assert "TableChanged(table='t1', version=2, traceparent='', event=None)" in caplog.text and "deaf" in caplog.text


async def test_a_listener_may_subscribe_another_and_publish(bus: Bus) -> None:
    heard: list[tuple[str, Note]] = []

    async def answer(note: Note) -> None:
        if isinstance(note, TableChanged):
            bus.subscribe(Listener("new", heard))
            await bus.publish(PlayerSeated("ann", note.table))

    bus.subscribe(answer)
    await bus.publish(MOVED)
    await bus.drain()
    assert heard == [("new", PlayerSeated("ann", "t1"))]


async def test_notes_of_this_process_only_are_heard_too(bus: Bus) -> None:
    heard: list[tuple[str, Note]] = []
    bus.subscribe(Listener("all", heard))
    await bus.publish(DeadlinesMoved())
    await bus.drain()
    assert heard == [("all", DeadlinesMoved())]


async def test_nothing_is_heard_after_a_stop(bus: Bus) -> None:
    heard: list[tuple[str, Note]] = []
    bus.subscribe(Listener("slow", heard, pauses=20))
    await bus.publish(MOVED)
    await bus.stop()
    await bus.publish(TableChanged("t1", 3))
    await bus.drain()
    assert heard == [("slow", MOVED)]


async def test_listeners_of_this_process_can_be_notified_alone(bus: Bus) -> None:
    heard: list[tuple[str, Note]] = []
    bus.subscribe(Listener("all", heard))
    bus.notify(MOVED)
    await bus.drain()
    assert heard == [("all", MOVED)]
