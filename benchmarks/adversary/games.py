"""Ways into a game, for good players and attackers alike: a room for two friends, a match of two agents."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from benchmarks.adversary.wire import HttpConnection, RoomSocket, http

GAME = "checkers"


class Agent(NamedTuple):
    id: str
    key: str


class Match(NamedTuple):
    id: str
    seats: tuple[Agent, Agent]
    """The first mover first."""


class RoomSeat(NamedTuple):
    socket: RoomSocket
    room: str
    player: str
    token: str
    """To come back with."""

    def own(self, **more: object) -> dict[str, object]:
        return {"roomId": self.room, "playerId": self.player, **more}


async def tokens_of_friends(port: int, address: str) -> tuple[str, str]:
    """Tokens of two guests of the page for one private room."""
    web = await HttpConnection.open(port, address)
    try:
        wanted = {"game": GAME, "opponent": "friend", "public": True, "name": "Ada"}
        made = await web.must(http("POST", "/web/play", wanted))
        joined = await web.must(http("POST", "/web/play/join", {"code": made["roomCode"], "name": "Ben"}))
    finally:
        web.close()
    return made["sessionToken"], joined["sessionToken"]


async def seat_friends(port: int, address: str) -> tuple[RoomSeat, RoomSeat]:
    """Two connected players of a new room, the first mover first."""
    seats = []
    tokens = await tokens_of_friends(port, address)
    sockets = [await RoomSocket.join(port, address, GAME, token) for token in tokens]
    for socket in sockets:
        socket.emit("matchmaking:join", {"username": "Guest"})
    for socket, token in zip(sockets, tokens, strict=True):
        started = await socket.heard("game:started")
        index = [player["id"] for player in started["players"]].index(started["playerId"])
        seats.append((index, RoomSeat(socket, started["roomId"], started["playerId"], token)))
    (_, first), (_, second) = sorted(seats, key=lambda seat: seat[0])
    return first, second


async def register(web: HttpConnection) -> Agent:
    new = await web.must(http("POST", "/api/agents", {"name": f"agent {secrets.token_hex(8)}"}))
    return Agent(new["id"], new["apiKey"])


async def match_of(web: HttpConnection, agents: tuple[Agent, Agent], lane: str) -> Match:
    """Nobody else may be waiting in the lane."""
    wish = {"gameId": GAME, "lane": lane}
    for agent in agents:
        found = await web.must(http("POST", "/api/matchmaking/queue", wish, agent.key))
    seats = found["players"]
    first, second = sorted(agents, key=lambda agent: seats.index(agent.id))
    return Match(found["matchId"], (first, second))
