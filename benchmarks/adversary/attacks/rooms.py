"""Attacks on rooms, over Socket.IO."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import orjson

from benchmarks.adversary.attack import Attack
from benchmarks.adversary.games import GAME, RoomSeat, seat_friends
from benchmarks.adversary.wire import ENGINE, HttpConnection, Refused, RoomSocket, event, frame, http
from benchmarks.rooms.games import games_of

LONG: Final = 160
"""Plays of a long game."""
BURST: Final = 100
SMALL_BUFFER: Final = 4096
"""Bytes of the receive buffer of a client that doesn't want to read."""
SEPARATOR: Final = b"\x1e"
"""Between the packets of a polling client."""


@asynccontextmanager
async def joined(attack: Attack, address: str, receive_buffer: int = 0) -> AsyncIterator[RoomSocket]:
    """A connection of the attack that is accounted for in the end."""
    socket = await RoomSocket.join(attack.port, address, GAME, receive_buffer=receive_buffer)
    try:
        yield socket
    finally:
        attack.account(socket)


async def write(socket: RoomSocket, content: bytes, pause: float) -> None:
    """At most as fast as the server reads, with a pause in seconds."""
    socket.write(content)
    await socket.drain()
    await asyncio.sleep(pause)


async def play_long_game(port: int, address: str, plays: int) -> tuple[RoomSeat, str]:
    """Plays that much of a game that ends after `LONG` plays; a player who stays in it, and the room's id."""
    first, second = await seat_friends(port, address)
    (game,) = games_of(LONG, 1)
    for ply, move in enumerate(game.moves[:plays]):
        seat = (first, second)[ply % 2]
        ack = await seat.socket.ask("game:move", seat.own(move=move))
        assert ack["ok"], ack
    second.socket.close()
    return first, first.room


class Spectators(Attack):
    """Sockets that ask for a long game again and again."""

    plays = LONG

    async def prepare(self) -> None:
        self._player, self.room = await play_long_game(self.port, self.home, self.plays)
        self.payload = {"roomId": self.room, "username": "Wim"}
        self.spectate = event(f"/{GAME}", "game:spectate", self.payload)


class SpectateLongGame(Spectators):
    name = "spectate_long_game"
    about = f"30 sockets that spectate a finished game of {LONG} plays, each again as soon as it has it"
    connections = 30

    async def connect(self, address: str) -> None:
        async with joined(self, address) as socket:
            while True:
                self.note_ack(await socket.ask("game:spectate", self.payload))


class SpectateBurst(Spectators):
    name = "spectate_burst"
    about = f"60 sockets that each ask {BURST} times at once to spectate a finished game of {LONG} plays"
    connections = 60

    async def connect(self, address: str) -> None:
        async with joined(self, address) as socket:
            socket.on_text = self.note
            socket.write(frame(self.spectate) * BURST)
            await socket.until(lambda: socket.frames > 2 * BURST)


class NeverReads(Spectators):
    name = "never_reads"
    about = "60 sockets that spectate a long live game 25 times a second each, and never read"
    connections = 60
    plays = LONG - 1
    interval = 0.04

    async def connect(self, address: str) -> None:
        async with joined(self, address, SMALL_BUFFER) as socket:
            socket.pause_reading()
            while True:
                self.more["sent"] += 1
                await write(socket, frame(self.spectate), self.interval)


class SlowPollers(Spectators):
    name = "slow_pollers"
    about = "40 clients that poll, spectate a long live game twenty times a second each, and read a few KB a second"
    connections = 40
    plays = LONG - 1

    async def connect(self, address: str) -> None:
        post = await HttpConnection.open(self.port, address)
        poll = await HttpConnection.open(self.port, address, receive_buffer=SMALL_BUFFER)
        try:
            greeting = await post.ask(http("GET", f"{ENGINE}polling"))
            if greeting.status != 200:
                raise Refused(str(greeting))
            path = f"{ENGINE}polling&sid={orjson.loads(greeting.body[1:])['sid']}"
            self.note_answer(await post.ask(http("POST", path, f"40/{GAME},".encode())))
            async with asyncio.TaskGroup() as group:
                group.create_task(self._post(post, http("POST", path, SEPARATOR.join([self.spectate] * 10))))
                group.create_task(self._poll(poll, http("GET", path)))
        except* OSError as group_of_errors:
            raise group_of_errors.exceptions[0] from None
        finally:
            self.account(post)
            self.account(poll)

    async def _post(self, connection: HttpConnection, request: bytes) -> None:
        while True:
            answer = await connection.ask(request)
            if answer.status != 200:
                raise Refused(str(answer))
            self.more["sent"] += 10
            await asyncio.sleep(0.5)

    async def _poll(self, connection: HttpConnection, request: bytes) -> None:
        while True:
            connection.write(request)
            while not connection.answers:
                connection.pause_reading()
                await asyncio.sleep(0.5)
                connection.resume_reading()
                await asyncio.sleep(0.01)
                await connection.drain()
            self.note_answer(connection.answers.pop())


class UnawaitedAcks(Spectators):
    name = "unawaited_acks"
    about = "20 sockets that ask 900 times a second each for acknowledgements, without waiting for any"
    connections = 20
    plays = LONG - 1

    async def connect(self, address: str) -> None:
        async with joined(self, address) as socket:
            self.note_ack(await socket.ask("game:spectate", self.payload))
            socket.on_text = self.note
            batch = b"".join(
                frame(event(socket.namespace, "afk:check", {"roomId": self.room}, 100 + id)) for id in range(45)
            )
            while True:
                await write(socket, batch, 0.05)


class NamespaceStorm(Attack):
    name = "namespace_storm"
    about = "20 sockets that enter and leave a namespace as fast as they can"
    connections = 20

    async def connect(self, address: str) -> None:
        storm = (frame(f"41/{GAME},".encode()) + frame(f"40/{GAME},".encode())) * 10
        async with joined(self, address) as socket:
            socket.on_text = self.note
            while True:
                await write(socket, storm, 0.01)


class Guests(Attack):
    async def play_bot(self, socket: RoomSocket, level: str) -> dict[str, Any]:
        """Starts a game against a bot; returns the guest's ids."""
        games = socket.count.get("game:started", 0)
        ack = await socket.ask("matchmaking:join", {"username": "Guest", "wantsBot": True, "botDifficulty": level})
        self.note_ack(ack)
        if not ack["ok"]:
            raise Refused(ack["error"]["code"])
        started = await socket.heard("game:started", games + 1)
        return {"roomId": started["roomId"], "playerId": started["playerId"]}


class BotsHard(Guests):
    name = "bots_hard"
    about = "60 guests who play against the hardest bot"
    connections = 60
    has_easy_bot = True

    async def connect(self, address: str) -> None:
        async with joined(self, address) as socket:
            own = await self.play_bot(socket, "hard")
            while not socket.count.get("game:over"):
                answer = await socket.ask("game:get_moves", own)
                made = socket.count.get("game:move:made", 0)
                if answer["ok"] and answer["moves"]:
                    self.note_ack(await socket.ask("game:move", {**own, "move": random.choice(answer["moves"])}))
                    made += 1
                await socket.moved(made + 1)
                self.more["answers of hard"] += 1


class GuestGames(Guests):
    name = "guest_games"
    about = "8 guests who start a game against a bot, resign, and start the next, as fast as they can"
    connections = 8

    async def connect(self, address: str) -> None:
        async with joined(self, address) as socket:
            while True:
                own = await self.play_bot(socket, "easy")
                self.more["games"] += 1
                await socket.ask("game:resign", own)


class LeaveAndReturn(Attack):
    name = "leave_and_return"
    about = "a player who leaves a finished game and returns 240 times a second, while the opponent is still there"
    connections = 1

    async def prepare(self) -> None:
        self._opponent, player = await seat_friends(self.port, self.home)
        auth = orjson.dumps({"token": player.token}).decode()
        await player.socket.ask("game:resign", player.own())
        player.socket.close()
        join = event(f"/{GAME}", "matchmaking:join", {"username": "Guest"})
        self._return = frame(f"40/{GAME},{auth}".encode()) + frame(join)
        self._leave = frame(f"41/{GAME},".encode())

    async def run(self) -> None:
        socket = self._opponent.socket
        before = socket.frames, socket.bytes_in
        try:
            await super().run()
        finally:
            self.more["messages to the opponent"] = socket.frames - before[0]
            self.more["KB to the opponent"] = (socket.bytes_in - before[1]) / 1e3

    async def connect(self, address: str) -> None:
        async with joined(self, address) as socket:
            socket.on_text = self.note
            while True:
                for half in (self._leave, self._return):
                    await write(socket, half, 1 / 480)
                self.more["times"] += 1
