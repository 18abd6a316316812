"""The good players: fifty games at a human pace, each pair from an address of its own, and newcomers.

    python -m benchmarks.adversary.players PORT GAMES [easy]

Prints `ready` when all games have begun, plays until a line comes from stdin, and prints a `Report` as JSON.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, NamedTuple

import orjson
import uvloop

from benchmarks.adversary.games import GAME, Agent, Match, match_of, register, seat_friends
from benchmarks.adversary.processes import told
from benchmarks.adversary.wire import (
    Answer,
    Closed,
    Connection,
    HttpConnection,
    Refused,
    RoomSocket,
    WebSocket,
    code_in,
    http,
)
from benchmarks.arena.games import as_agents_write
from benchmarks.rooms.games import Played, games_of

THINK: Final = (0.5, 1.0)
"""Seconds before each move."""
LENGTHS: Final = (80, 81)
"""Moves of both players."""
NEWCOMER_SECONDS: Final = 10.0
"""After which a newcomer gives up."""


class Timed(NamedTuple):
    """A request: when it was sent (monotonic seconds), and how long it took; None if it was never answered."""

    at: float
    ms: float | None


class Report(NamedTuple):
    moves: list[Timed]
    newcomers: list[Timed]
    easy: list[Timed]
    """The answers of an easy bot."""
    broken: list[str]
    """Games that ended in another way than by their moves, and why."""
    unanswered: list[float]
    """When the moves were sent that nobody has answered."""
    finished: int
    cpu_s: float


class Broken(Exception):
    """A good game did not go as it should."""


class Company:
    """All good players of one run."""

    def __init__(self, port: int, games: int) -> None:
        self.port = port
        self.moves: list[Timed] = []
        self.newcomers: list[Timed] = []
        self.easy: list[Timed] = []
        self.broken: list[str] = []
        self.finished = 0
        self._waiting: set[float] = set()
        self._games = games
        self._begun = 0
        self._all_begun = asyncio.Event()
        self._queue = asyncio.Lock()
        self._played = [game for length in LENGTHS for game in games_of(length, 4)]

    async def play(self) -> None:
        kinds = (self._rooms, self._sockets, self._rooms, self._requests)
        async with asyncio.TaskGroup() as group:
            for number in range(self._games):
                kind, rng = kinds[number % len(kinds)], random.Random(number)
                group.create_task(self._keep_playing(kind, f"127.10.{number}.1", rng))
            await self._all_begun.wait()
            print("ready", flush=True)

    async def _keep_playing(self, kind: Callable[..., Awaitable[None]], address: str, rng: random.Random) -> None:
        is_new = True
        while True:
            try:
                await kind(address, rng, rng.choice(self._played), is_new)
                self.finished += 1
            except (Broken, OSError) as problem:
                self.broken.append(f"{kind.__name__.strip('_')}: {type(problem).__name__} {problem}")
                if is_new and not self._all_begun.is_set():
                    raise
                return
            is_new = False

    async def _begin(self, is_new: bool, rng: random.Random) -> None:
        """Counts a new game, and waits a part of a turn so that the games are out of step."""
        if is_new:
            self._begun += 1
            if self._begun == self._games:
                self._all_begun.set()
            await self._all_begun.wait()
        await asyncio.sleep(rng.uniform(0, THINK[1]))

    async def _timed(self, into: list[Timed], work: Awaitable[Any]) -> Any:
        at = time.monotonic()
        self._waiting.add(at)
        found = await work
        self._waiting.discard(at)
        into.append(Timed(at, (time.monotonic() - at) * 1e3))
        return found

    async def _rooms(self, address: str, rng: random.Random, game: Played, is_new: bool) -> None:
        seats = await seat_friends(self.port, address)
        async with closing(*(seat.socket for seat in seats)):
            await self._begin(is_new, rng)
            for ply, move in enumerate(game.moves):
                await asyncio.sleep(rng.uniform(*THINK))
                mover, other = seats[ply % 2], seats[1 - ply % 2]
                ack = await self._timed(self.moves, mover.socket.ask("game:move", mover.own(move=move)))
                if not ack["ok"]:
                    raise Broken(f"move {ply} was refused: {ack['error']['code']}")
                await other.socket.heard("game:move:made", ply + 1)
                if ply + 1 < len(game.moves) and other.socket.count.get("game:over"):
                    raise Broken(f"over at move {ply}: {await other.socket.heard('game:over')}")
            end = await seats[0].socket.heard("game:over")
            if (end["winner"], end["reason"]) != (seats[game.winner].player, "victory"):
                raise Broken(f"ended with {end}")

    async def _match(self, address: str) -> Match:
        web = await HttpConnection.open(self.port, address)
        async with closing(web):
            agents = await register(web), await register(web)
            async with self._queue:
                return await match_of(web, agents, "fast")

    async def _sockets(self, address: str, rng: random.Random, game: Played, is_new: bool) -> None:
        """There is no acknowledgement: the opponent's turn is timed."""
        match = await self._match(address)
        sockets = [await WebSocket.open(self.port, address) for _ in match.seats]
        latest = [0, 0]
        ends: list[str] = []

        async def seen(seat: int, sequence: int) -> None:
            await sockets[seat].until(lambda: latest[seat] > sequence or bool(ends))

        async with closing(*sockets):
            for seat, (socket, agent) in enumerate(zip(sockets, match.seats, strict=True)):
                socket.on_text = turns_of(latest, seat, ends)
                await socket.upgrade(f"/ws/game/{match.id}", agent.key)
            await self._begin(is_new, rng)
            for ply, move in enumerate(game.moves):
                await asyncio.sleep(rng.uniform(*THINK))
                action = f'{{"type":"action","sequence":{ply + 1},"payload":{as_agents_write(move)}}}'
                sockets[ply % 2].send(action.encode())
                await self._timed(self.moves, seen(1 - ply % 2, ply + 1))
                if ends and (ends[0] != "game_over" or ply + 1 < len(game.moves)):
                    raise Broken(f"{ends[0]} at move {ply}")

    async def _requests(self, address: str, rng: random.Random, game: Played, is_new: bool) -> None:
        match = await self._match(address)
        lines = [KeptAlive(self.port, address) for _ in match.seats]
        async with closing(*lines):
            await self._begin(is_new, rng)
            for ply, move in enumerate(game.moves):
                await asyncio.sleep(rng.uniform(*THINK))
                body = f'{{"sequence":{ply + 1},"action":{as_agents_write(move)}}}'.encode()
                action = http("POST", f"/api/matches/{match.id}/action", body, match.seats[ply % 2].key)
                answer = await self._timed(self.moves, lines[ply % 2].ask(action))
                if answer.status != 200:
                    raise Broken(f"move {ply} was refused: {answer}")
                news = f"/api/matches/{match.id}/state?wait=true&afterSequence={ply + 1}"
                other = 1 - ply % 2
                state = (await lines[other].ask(http("GET", news, key=match.seats[other].key))).json
                if (state.get("status") == "game_over") != (ply + 1 == len(game.moves)):
                    raise Broken(f"{state} at move {ply}")

    async def receive_newcomers(self) -> None:
        """Every second somebody from a new address opens a connection and asks for a place in the queue."""
        web = await HttpConnection.open(self.port, "127.11.0.1")
        agent = await register(web)
        web.close()
        await self._all_begun.wait()
        async with asyncio.TaskGroup() as group:
            for number in itertools.count():
                group.create_task(self._newcomer(f"127.12.{number // 200 % 200}.{number % 200 + 1}", agent))
                await asyncio.sleep(1)

    async def _newcomer(self, address: str, agent: Agent) -> None:
        at, ms = time.monotonic(), None
        with suppress(OSError):  # a timeout is one too
            async with asyncio.timeout(NEWCOMER_SECONDS):
                web = await HttpConnection.open(self.port, address)
                async with closing(web):
                    await web.must(http("GET", f"/api/matchmaking/status?gameId={GAME}", key=agent.key))
                    ms = (time.monotonic() - at) * 1e3
        self.newcomers.append(Timed(at, ms))

    async def play_easy_bot(self) -> None:
        rng = random.Random(1)
        while True:
            socket = await RoomSocket.join(self.port, "127.11.0.2", GAME)
            async with closing(socket):
                with suppress(Refused, Broken):
                    await self._play_bot(socket, rng)

    async def _play_bot(self, socket: RoomSocket, rng: random.Random) -> None:
        socket.emit("matchmaking:join", {"username": "Eve", "wantsBot": True, "botDifficulty": "easy"})
        started = await socket.heard("game:started")
        own = {"roomId": started["roomId"], "playerId": started["playerId"]}
        for move in itertools.count():
            moves = (await socket.ask("game:get_moves", own))["moves"]
            if not moves:
                return
            await asyncio.sleep(rng.uniform(*THINK))
            await socket.ask("game:move", {**own, "move": rng.choice(moves)})
            await self._timed(self.easy, socket.moved(2 * move + 2))
            if socket.count.get("game:over"):
                return

    def report(self) -> Report:
        return Report(
            self.moves,
            self.newcomers,
            self.easy,
            self.broken,
            sorted(self._waiting),
            self.finished,
            time.process_time(),
        )


def turns_of(latest: list[int], seat: int, ends: list[str]) -> Callable[[bytes], None]:
    """Notes the sequence of each turn of the seat, and what ends the match."""

    def on_text(content: bytes) -> None:
        kind = content[: content.index(b",")]
        if kind == b'{"type":"your_turn"':
            latest[seat] = orjson.loads(content)["sequence"]
        elif kind != b'{"type":"connected"':
            ends.append("game_over" if b"game_over" in kind else f"{kind.decode()} {code_in(content)}")

    return on_text


class KeptAlive:
    """HTTP as libraries speak it: a connection that the server has closed is opened again."""

    def __init__(self, port: int, address: str) -> None:
        self._port = port
        self._address = address
        self._connection: HttpConnection | None = None

    async def ask(self, request: bytes) -> Answer:
        while True:
            if self._connection is None or not self._connection.is_open:
                self._connection = await HttpConnection.open(self._port, self._address)
            with suppress(Closed):
                return await self._connection.ask(request)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


@asynccontextmanager
async def closing(*connections: Connection | KeptAlive) -> AsyncIterator[None]:
    try:
        yield
    finally:
        for connection in connections:
            connection.close()


async def main(port: int, games: int, has_easy_bot: bool) -> None:
    company = Company(port, games)
    tasks = [asyncio.create_task(company.play()), asyncio.create_task(company.receive_newcomers())]
    if has_easy_bot:
        tasks.append(asyncio.create_task(company.play_easy_bot()))
    stop = asyncio.create_task(told())
    await asyncio.wait([stop, *tasks], return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        if task.done():
            task.result()
    print(json.dumps(company.report()._asdict()), flush=True)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1]), int(sys.argv[2]), "easy" in sys.argv[3:]))
