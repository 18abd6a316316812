"""Where a game stands as one of its players knows it."""

from __future__ import annotations

from typing import Any, NamedTuple

from .message_log import MessageLog

Payload = dict[str, Any]


class Command(NamedTuple):
    """What a player wants done; sent again as it is when nobody knows whether it arrived."""

    event: str
    command: str
    payload: Payload


class Seat:
    def __init__(self, game: str, state: Payload, role: str, patience: int) -> None:
        """`patience` is the number of moves after which an idler or a leaver stops playing."""
        self.game = game
        self.room: str = state["roomId"]
        self.player: str = state["playerId"]
        self.color: str = state["color"]
        self.is_against_bot = any(other["isBot"] for other in state["players"])
        self.role = role
        self.patience = patience
        self.moves = 0
        self.pending: Command | None = None
        self.is_sent = False
        """Whether the pending command went out on a connection that is gone."""
        self.tired_at: float | None = None
        """In seconds of the house's clock."""
        self.is_over = False
        self.log = MessageLog(self.room, self.player, state["version"])
        self._known: Payload = {}
        self.learn(state)

    def learn(self, data: Payload) -> None:
        """Takes the board, the dice and the turn from a message, as far as it has them."""
        self._known |= {key: data[key] for key in ("board", "dice", "currentPlayerId") if key in data}

    @property
    def is_to_move(self) -> bool:
        has_rolled = self.game == "checkers" or bool(self._known["dice"])
        return not self.is_over and has_rolled and self._known["currentPlayerId"] == self.player

    @property
    def is_tired(self) -> bool:
        """Whether it is time to stop playing: idlers do so when they have to move, leavers when they do not."""
        if self.role == "plays" or self.moves < self.patience or self.pending is not None:
            return False
        return self.is_to_move if self.role == "idles" else not self.is_to_move

    def questions(self) -> list[Payload]:
        """What to ask for moves: in checkers each piece, in backgammon once."""
        own: Payload = {"roomId": self.room, "playerId": self.player}
        if self.game == "backgammon":
            return [own]
        pieces = [index for index, piece in enumerate(self._known["board"]) if piece and piece["player"] == self.color]
        return [own | {"position": index} for index in pieces]

    def command(self, event: str, command: str, **more: Any) -> Command:
        own = {"roomId": self.room, "playerId": self.player, "commandId": command}
        return Command(event, command, own | more)
