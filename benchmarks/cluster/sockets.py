"""Rooms' sockets that only wait or watch, on a thread of their own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tests.rooms import frames
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from benchmarks.rooms.process import Server

NAMESPACE = "/checkers"
WAIT_SECONDS = 120.0


@contextmanager
def open_sockets(server: Server, number: int, rooms: Sequence[str] = ()) -> Iterator[None]:
    """As many sockets, each a spectator of one of the rooms if there are any."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    readers: list[asyncio.Task[None]] = []

    async def open_all() -> None:
        for index in range(number):
            socket = await _open(server, rooms[index % len(rooms)] if rooms else "")
            readers.append(asyncio.create_task(_read(socket)))

    async def close_all() -> None:
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)

    try:
        asyncio.run_coroutine_threadsafe(open_all(), loop).result(WAIT_SECONDS)
        yield
    finally:
        asyncio.run_coroutine_threadsafe(close_all(), loop).result(WAIT_SECONDS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _open(server: Server, room: str) -> ClientConnection:
    url = frames.address(f"http://127.0.0.1:{server.port}")
    socket = await connect(url, compression=None, ping_interval=None, max_size=None, close_timeout=1)
    await socket.recv()
    await socket.send(frames.connect(NAMESPACE))
    await socket.recv()
    if room:
        await socket.send(frames.event(NAMESPACE, "game:spectate", {"roomId": room, "username": "Wim"}, id=0))
        while not str(answer := await socket.recv()).startswith(frames.ACK):
            pass
        assert frames.parse(str(answer)).data[0]["ok"], answer
    return socket


async def _read(socket: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        async with socket:
            async for text in socket:
                if text == frames.PING:
                    await socket.send(frames.PONG)
