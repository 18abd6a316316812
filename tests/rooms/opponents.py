"""Two guests who play each other, on one server or on two."""

from __future__ import annotations

from typing import NamedTuple

from tests.rooms.raw_client import RawClient


class Opponents(NamedTuple):
    mover: RawClient
    other: RawClient
    room: dict[str, object]

    @classmethod
    def seat(cls, one: RawClient, two: RawClient) -> Opponents:
        for player in (one, two):
            player.must("matchmaking:join", {"username": "Gus"})
        started = one.wait("game:started")
        two.wait("game:started")
        is_first = started["playerId"] == started["currentPlayerId"]
        return cls(one if is_first else two, two if is_first else one, {"roomId": started["roomId"]})

    def move(self) -> Opponents:
        """Plays any move, which the other player sees; then it is the other's turn."""
        moves = self.mover.must("game:get_moves", {**self.room, "ackOnly": True})["moves"]
        self.mover.must("game:move", {**self.room, "move": moves[0]})
        self.other.wait("game:move:made")
        return Opponents(self.other, self.mover, self.room)
