"""A client that falls silent, as a phone in a tunnel does, holds up nobody else at its table."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import uvicorn
from websockets.asyncio.client import connect

from ludus.server.app import Server
from ludus.server.settings import Settings
from ludus.server.websocket.protocol import HeartbeatProtocol

from ..chaos.raw_client import RawClient
from ..rooms import frames


@asynccontextmanager
async def opened(server: Server) -> AsyncIterator[str]:
    """The server on a free port of this process; its address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            server, ws=HeartbeatProtocol, log_config=None, access_log=False, timeout_graceful_shutdown=1
        )
        process = uvicorn.Server(config)
        task = asyncio.create_task(process.serve(sockets=[listener]))
        while not process.started:
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            process.should_exit = True
            await task


async def meet_a_silent_player(data: Path) -> list[Any]:
    """What a player hears who offers a draw when the opponent has not answered the engine's ping for too long."""
    server = Server(Settings(data=str(data)))
    engine = server.sio.eio
    engine.ping_interval, engine.ping_timeout = 0.1, 2.0  # time enough for who does answer, on a busy machine
    engine.start_service_task = False  # so that it is the message to the silent one that finds it out
    heard: list[Any] = []
    async with opened(server) as url, connect(frames.address(url), ping_interval=None, close_timeout=0.1) as silent:
        await silent.recv()
        await silent.send(frames.connect("/checkers"))
        await silent.recv()
        await silent.send(frames.event("/checkers", "matchmaking:join", {"username": "Mute"}, id=1))
        await silent.recv()
        client = await RawClient.open(url, "checkers", None, lambda event, data: heard.append((event, data)))
        room = (await client.ask("matchmaking:join", {"username": "Ann"}))["roomId"]
        await asyncio.sleep(3.0)
        async with asyncio.timeout(30):
            heard.append(await client.ask("game:draw:offer", {"roomId": room}))
            while not any(item[0] == "player:disconnected" for item in heard if isinstance(item, tuple)):
                await client.changed(5)
            heard.append(await client.ask("game:resign", {"roomId": room}))
        await client.close()
    return heard


def test_a_message_to_a_silent_player_does_not_stop_the_table(tmp_path: Path) -> None:
    heard = asyncio.run(meet_a_silent_player(tmp_path))
    assert [item["ok"] for item in heard if isinstance(item, dict)] == [True, True]
