"""What is said on a connection arrives once and in order, by the short way or by the long one."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from starlette.types import Message
from tests.service.platforms import until

from ludus.server.connections.backlog import Backlogs, memory_of
from ludus.server.websocket.connection import Connection, refuse_messages

PLENTY = 1_000_000


def alive(deed: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Runs a test on a loop of its own."""

    @functools.wraps(deed)
    def run(*args: Any, **parameters: Any) -> None:
        asyncio.run(deed(*args, **parameters))

    return run


class Socket:
    """A server's end of a socket: the short way is open while `is_free`."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.is_free = True
        self.may_go_on = asyncio.Event()
        self.may_go_on.set()
        self._coming: asyncio.Queue[Message] = asyncio.Queue()

    def write(self, text: str) -> bool:
        if self.is_free:
            self.sent.append(text)
        return self.is_free

    async def send(self, message: Message) -> None:
        await self.may_go_on.wait()
        self.sent.append(message.get("text") or message["type"])

    async def receive(self) -> Message:
        return await self._coming.get()

    def leave(self) -> None:
        self._coming.put_nowait({"type": "websocket.disconnect"})


@alive
async def test_what_can_be_sent_at_once_is() -> None:
    socket = Socket()
    connection = Connection(socket.receive, socket.send, Backlogs(PLENTY, PLENTY), socket.write)
    connection.send("one")
    connection.send("two")
    assert socket.sent == ["one", "two"]


@alive
async def test_nothing_overtakes_what_had_to_wait() -> None:
    socket = Socket()
    connection = Connection(socket.receive, socket.send, Backlogs(PLENTY, PLENTY), socket.write)
    life = asyncio.create_task(connection.run(refuse_messages(connection)))
    socket.is_free = False
    socket.may_go_on.clear()
    connection.send("one")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    socket.is_free = True  # but the first text is still on its way
    connection.send("two")
    assert socket.sent == []
    socket.may_go_on.set()
    await until(lambda: len(socket.sent) == 2)
    connection.send("three")
    connection.close()
    await until(lambda: len(socket.sent) == 4)
    assert socket.sent == ["one", "two", "three", "websocket.close"]
    socket.leave()
    await life


@pytest.mark.parametrize("has_short_way", [True, False])
@alive
async def test_who_lets_too_much_pile_up_is_dropped(has_short_way: bool) -> None:
    socket = Socket()
    socket.is_free = False
    socket.may_go_on.clear()
    backlogs = Backlogs(memory_of("0123456789"), PLENTY)
    connection = Connection(socket.receive, socket.send, backlogs, socket.write if has_short_way else None)
    life = asyncio.create_task(connection.run(refuse_messages(connection)))
    await asyncio.sleep(0)
    connection.send("0123456789")
    connection.send("one too many")
    socket.may_go_on.set()
    await life
    assert "one too many" not in socket.sent
    assert backlogs.size == 0
