"""Games of good players, who move while others attack."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.adversary.games import Match, RoomSeat, match_of, register, seat_friends
from benchmarks.adversary.wire import HttpConnection, WebSocket, http
from benchmarks.arena.games import as_agents_write
from benchmarks.rooms.games import Played


class RoomGame(NamedTuple):
    seats: tuple[RoomSeat, RoomSeat]

    @classmethod
    async def begin(cls, port: int, address: str) -> RoomGame:
        return cls(await seat_friends(port, address))

    async def play(self, ply: int, move: dict[str, object]) -> None:
        mover, other = self.seats[ply % 2], self.seats[1 - ply % 2]
        ack = await mover.socket.ask("game:move", mover.own(move=move))
        assert ack["ok"], ack
        await other.socket.heard("game:move:made", ply + 1)
        assert not other.socket.count.get("game:over")


class SocketGame(NamedTuple):
    match: Match
    sockets: tuple[WebSocket, WebSocket]
    frames: list[bytes]

    @classmethod
    async def begin(cls, port: int, address: str) -> SocketGame:
        match, frames = await new_match(port, address), list[bytes]()
        one, other = await WebSocket.open(port, address), await WebSocket.open(port, address)
        for socket, agent in zip((one, other), match.seats, strict=True):
            socket.on_text = frames.append
            await socket.upgrade(f"/ws/game/{match.id}", agent.key)
        return cls(match, (one, other), frames)

    async def play(self, ply: int, move: dict[str, object]) -> None:
        """Until it is the opponent's turn."""
        action = f'{{"type":"action","sequence":{ply + 1},"payload":{as_agents_write(move)}}}'
        self.frames.clear()
        self.sockets[ply % 2].send(action.encode())
        await self.sockets[1 - ply % 2].until(lambda: bool(self.frames))
        assert b'"type":"your_turn"' in self.frames[0], self.frames[0]


class RequestGame(NamedTuple):
    port: int
    address: str
    match: Match

    @classmethod
    async def begin(cls, port: int, address: str) -> RequestGame:
        return cls(port, address, await new_match(port, address))

    async def play(self, ply: int, move: dict[str, object]) -> None:
        body = f'{{"sequence":{ply + 1},"action":{as_agents_write(move)}}}'.encode()
        web = await HttpConnection.open(self.port, self.address)
        await web.must(http("POST", f"/api/matches/{self.match.id}/action", body, self.match.seats[ply % 2].key))
        web.close()


Game = RoomGame | SocketGame | RequestGame


async def new_match(port: int, address: str) -> Match:
    web = await HttpConnection.open(port, address)
    match = await match_of(web, (await register(web), await register(web)), "fast")
    web.close()
    return match


class GoodGames:
    def __init__(self, games: tuple[Game, ...], played: Played) -> None:
        self._games = games
        self._played = played
        self._ply = 0

    @classmethod
    async def begin(cls, port: int, played: Played) -> GoodGames:
        room = await RoomGame.begin(port, "127.10.0.1")
        match = await SocketGame.begin(port, "127.10.0.2")
        return cls((room, match, await RequestGame.begin(port, "127.10.0.3")), played)

    async def play(self) -> None:
        """A move in each game; it must be accepted, and the opponent must see it."""
        for game in self._games:
            await game.play(self._ply, self._played.moves[self._ply])
        self._ply += 1
