"""What every bus does; there is one so far."""

from __future__ import annotations

import logging

import pytest
from tests.bus.listeners import Listener

from ludus.bus.memory import MemoryBus
from ludus.service.ports import Bus, Note, PlayerSeated, TableChanged

pytestmark = pytest.mark.anyio

MOVED = TableChanged("t1", 2)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=[MemoryBus])
def bus(request: pytest.FixtureRequest) -> Bus:
    made: Bus = request.param()
    return made


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
    assert "TableChanged(table='t1', version=2, traceparent='')" in caplog.text and "deaf" in caplog.text


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
