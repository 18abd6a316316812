"""Attacks on rooms, over Socket.IO."""

from __future__ import annotations

import asyncio
from typing import Final

from benchmarks.adversary.attack import Attack
from benchmarks.adversary.games import GAME, seat_friends
from benchmarks.adversary.wire import RoomSocket, event, frame
from benchmarks.rooms.games import games_of

LONG: Final = 158
"""Plays of a long game."""
BURST: Final = 100
SMALL_BUFFER: Final = 4096


async def play_long_game(port: int, address: str, plays: int) -> tuple[RoomSocket, str]:
    """Plays that much of a game that ends after `LONG` plays; a socket that stays in it, and the room's id."""
    first, second = await seat_friends(port, address)
    (game,) = games_of(LONG, 1)
    for ply, move in enumerate(game.moves[:plays]):
        seat = (first, second)[ply % 2]
        ack = await seat.socket.ask("game:move", seat.own(move=move))
        assert ack["ok"], ack
    second.socket.close()
    return first.socket, first.room


class Spectators(Attack):
    """Sockets that ask for a long game again and again."""

    plays = LONG

    async def prepare(self) -> None:
        self._player, room = await play_long_game(self.port, self.addresses[0], self.plays)
        self.payload = {"roomId": room, "username": "Wim"}


class SpectateLongGame(Spectators):
    name = "spectate_long_game"
    about = f"30 sockets that spectate a finished game of {LONG} plays, each again as soon as it has it"
    connections = 30

    async def connect(self, address: str) -> None:
        socket = await RoomSocket.join(self.port, address, GAME)
        try:
            while True:
                ack = await socket.ask("game:spectate", self.payload)
                if ack["ok"]:
                    self.served += 1
                else:
                    self.refused[ack["error"]["code"]] += 1
        finally:
            self.account(socket)


class SpectateBurst(Spectators):
    name = "spectate_burst"
    about = f"60 sockets that each ask {BURST} times at once to spectate a finished game of {LONG} plays"
    connections = 60

    async def connect(self, address: str) -> None:
        socket = await RoomSocket.join(self.port, address, GAME)
        socket.on_text = self.note
        try:
            socket.write(frame(event(socket.namespace, "game:spectate", self.payload)) * BURST)
            await socket.until(lambda: socket.frames > 2 * BURST)
        finally:
            self.account(socket)


class NeverReads(Spectators):
    name = "never_reads"
    about = "60 sockets that spectate a long live game 25 times a second each, and never read"
    connections = 60
    plays = LONG - 1

    async def connect(self, address: str) -> None:
        socket = await RoomSocket.join(self.port, address, GAME, receive_buffer=SMALL_BUFFER)
        ask = frame(event(socket.namespace, "game:spectate", self.payload))
        try:
            socket.pause_reading()
            while True:
                socket.write(ask)
                self.more["sent"] = self.more.get("sent", 0) + 1
                await socket.drain()
                await asyncio.sleep(0.04)
        finally:
            self.account(socket)
