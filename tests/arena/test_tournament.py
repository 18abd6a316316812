"""A tournament of eight: people with sockets, agents with the client, and bots; its server is killed in the middle."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
import socketio
from socketio.exceptions import SocketIOError

from ludus.client import Arena, play_tournament, resigned
from ludus.client.keys import Keyring
from ludus.client.run import join

from ..restartable_server import RestartableServer
from ..tournament_recount import assert_recounted
from .conftest import UNHURRIED

pytestmark = pytest.mark.slow

MOVES = 2
"""That everyone makes in a game before they resign."""
BOTS = ("beginner", "novice")
LOST = (OSError, SocketIOError, httpx2.HTTPError, aiohttp.ClientError, AssertionError)
"""What happens to a client whose server is killed."""
GAME = "/checkers"
SOCKET_SECONDS = 5
"""After which a socket without an answer is taken to be lost: the person connects again."""
PATIENCE = 240.0
"""Seconds for all of it, on a busy machine."""


class Person:
    """Somebody at the page: requests with a cookie, and a socket for each game."""

    def __init__(self, http: httpx2.AsyncClient, path: str) -> None:
        self._http, self._path = http, path

    async def ask(self, method: str, path: str, **json: Any) -> Any:
        response = await self._http.request(method, path, json=json or {} if method == "POST" else None)
        assert response.status_code in (200, 201), response.text
        return response.json()

    async def take_part(self) -> None:
        while (seen := await again(lambda: self.ask("GET", self._path)))["state"] != "finished":
            if seen["me"]["game"] is not None:
                await again(lambda: self.play(seen["me"]["game"]))
            else:
                await asyncio.sleep(0.2)

    async def play(self, game: str) -> None:
        """A few moves, and then no more; from where the game was, if the connection breaks."""
        seat = await self.ask("GET", f"/web/play/{game}")
        async with aiohttp.ClientSession() as session:
            socket = socketio.AsyncClient(reconnection=False, http_session=session)
            try:
                url, auth = str(self._http.base_url), {"token": seat["sessionToken"]}
                await socket.connect(
                    url, auth=auth, transports=["websocket"], namespaces=[GAME], wait_timeout=SOCKET_SECONDS
                )
                await self._move_and_resign(socket, {"roomId": game, "playerId": seat["playerId"]})
            finally:
                with suppress(TimeoutError):  # of a server that is gone
                    await asyncio.wait_for(socket.disconnect(), SOCKET_SECONDS)

    async def _move_and_resign(self, socket: Any, place: dict[str, str]) -> None:
        made, over = 0, asyncio.Event()
        socket.on("game:over", lambda _result: over.set(), namespace=GAME)
        assert (await self._say(socket, "matchmaking:join"))["ok"]
        while not over.is_set():
            moves = await self._say(socket, "game:get_moves", **place, ackOnly=True)
            if not moves.get("moves"):
                await asyncio.sleep(0.05)
            elif made < MOVES:
                made += (await self._say(socket, "game:move", **place, move=moves["moves"][0]))["ok"]
            else:
                await self._say(socket, "game:resign", **place)

    async def _say(self, socket: Any, event: str, **payload: Any) -> Any:
        return await socket.call(event, payload, namespace=GAME, timeout=SOCKET_SECONDS)


async def again(do: Callable[[], Awaitable[Any]]) -> Any:
    """Until it works: the server may be on its way back."""
    while True:
        try:
            return await do()
        except LOST:
            await asyncio.sleep(0.1)


async def agent(url: str, keys: Keyring, name: str, tournament: str) -> int:
    """Returns the number of matches."""
    turns = count(1)

    def choose(view: Any) -> Any:
        return view["legalMoves"][0] if next(turns) % (MOVES + 1) else resigned()

    async with Arena(url) as arena:
        await join(arena, name, None, keys)
        return len([over async for over in play_tournament(arena, tournament, choose)])


async def held(folder: Path) -> Any:
    """The whole tournament, with a kill while its second round is played."""
    settings = {**UNHURRIED, "guests": "true", "guest_games": 10_000}
    server = RestartableServer(folder, settings)
    await server.start()
    try:
        clients = [httpx2.AsyncClient(base_url=server.url, timeout=60) for _ in range(3)]
        owner = clients[0]
        terms = {"name": "Eight", "game": "checkers", "system": "swiss", "rounds": 3, "timeControl": "10+5"}
        made = (await owner.post("/web/tournaments", json=terms)).json()
        path = f"/web/tournaments/{made['id']}"
        people = [Person(client, path) for client in clients]
        for number, person in enumerate(people):
            await person.ask("POST", f"{path}/join", name=f"Person {number}")
        for level in BOTS:
            await people[0].ask("POST", f"{path}/bots", level=level)
        keys = Keyring(folder / "keys")
        agents = [asyncio.create_task(agent(server.url, keys, f"Agent {n}", made["id"])) for n in range(3)]
        while (await people[0].ask("GET", path))["entrants"] < 8:
            await asyncio.sleep(0.1)
        await people[0].ask("POST", f"{path}/start")
        playing = [asyncio.create_task(person.take_part()) for person in people]
        while (await again(lambda: people[0].ask("GET", path)))["round"] < 2:
            await asyncio.sleep(0.05)
        await server.kill()
        await server.start()
        await asyncio.gather(*playing, *agents)
        over = await people[0].ask("GET", path)
        games = [row["games"][-1] for row in over["pairings"]]
        over["records"] = {game: await people[0].ask("GET", f"/web/tables/{game}") for game in games}
        for client in clients:
            await client.aclose()
        return over
    finally:
        server.kill_all()


def test_a_tournament_of_eight_goes_on_after_a_kill(tmp_path: Path) -> None:
    async def whole() -> Any:
        async with asyncio.timeout(PATIENCE):
            return await held(tmp_path)

    over = asyncio.run(whole())
    assert_recounted(over, over["records"])
