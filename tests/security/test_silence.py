"""A client that goes silent, like a phone in a tunnel, doesn't hold up others at its table."""

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
    """Serves on a free port in this process; yields the URL."""
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
    """What a player receives who offers a draw to an opponent whose ping has timed out."""
    server = Server(Settings(data=str(data)))
    engine = server.sio.eio
    engine.ping_interval = 0.1
    engine.start_service_task = False  # so that a message to the silent player finds it out
    heard: list[Any] = []
    async with opened(server) as url, connect(frames.address(url), ping_interval=None, close_timeout=0.1) as silent:
        engine_id = frames.loads(str(await silent.recv())[1:])["sid"]
        await silent.send(frames.connect("/checkers"))
        await silent.send(frames.event("/checkers", "matchmaking:join", {"username": "Mute"}, id=1))
        received: set[object] = set()
        while frames.PING not in received or not any(str(frame).startswith(frames.ACK) for frame in received):
            received.add(await silent.recv())
        client = await RawClient.open(url, "checkers", None, lambda event, data: heard.append((event, data)))
        room = (await client.ask("matchmaking:join", {"username": "Ann"}))["roomId"]
        engine.sockets[engine_id].last_ping -= 2 * engine.ping_timeout  # as if the ping had come that long ago
        async with asyncio.timeout(30):
            heard.append(await client.ask("game:draw:offer", {"roomId": room}))
            while not any(item[0] == "player:disconnected" for item in heard if isinstance(item, tuple)):
                await client.changed(5)
            heard.append(await client.ask("game:resign", {"roomId": room}))
        await client.close()
    return heard


def test_a_message_to_a_silent_player_does_not_block_the_table(tmp_path: Path) -> None:
    heard = asyncio.run(meet_a_silent_player(tmp_path))
    assert [item["ok"] for item in heard if isinstance(item, dict)] == [True, True]
