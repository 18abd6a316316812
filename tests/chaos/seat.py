"""A game as one of its players knows it."""

from __future__ import annotations

from typing import Any, NamedTuple

from .message_log import MessageLog

Payload = dict[str, Any]


class Command(NamedTuple):
    """Sent again unchanged if the connection was lost before it was acknowledged."""

    event: str
    command: str
    payload: Payload


class Seat:
    def __init__(self, game: str, state: Payload, role: str, patience: int) -> None:
        """`patience` is the number of moves after which an idler or a leaver stops playing."""
        self.game = game
        self.room: str = state["roomId"]
        self.player: str = state["playerId"]
        self.role = role
        self.patience = patience
        self.moves = 0
        self.pending: Command | None = None
        self.is_sent = False
        """Whether the pending command was sent on a connection that was lost."""
        self.sent_at = 0.0
        """When it was first sent, by the monotonic clock."""
        self.stopped_at: float | None = None
        """In seconds of the server's clock."""
        self.is_over = False
        self.log = MessageLog(self.room, self.player, state["version"])
        self._known: Payload = {}
        self.learn(state)

    def learn(self, data: Payload) -> None:
        """Takes the dice and the turn from a message, if it has them."""
        self._known |= {key: data[key] for key in ("dice", "currentPlayerId") if key in data}

    @property
    def is_to_move(self) -> bool:
        has_rolled = self.game == "checkers" or bool(self._known["dice"])
        return not self.is_over and has_rolled and self._known["currentPlayerId"] == self.player

    @property
    def has_stopped(self) -> bool:
        """Idlers stop playing when they have to move, leavers when they don't."""
        if self.role == "plays" or self.moves < self.patience or self.pending is not None:
            return False
        return self.is_to_move if self.role == "idles" else not self.is_to_move

    def command(self, event: str, command: str, **more: Any) -> Command:
        own = {"roomId": self.room, "playerId": self.player, "commandId": command}
        return Command(event, command, own | more)
