"""Views and actions as short plain text, for language models. Every character costs tokens."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ludus.core.errors import IllegalMove, MalformedMove
from ludus.wire.actions import RESIGN, as_action

View = Mapping[str, Any]

MOST_MOVES: Final = 60
"""How many legal moves are listed; the others can still be played."""
MAX_DIGITS: Final = 9
"""The most digits of a move's number."""


class TextCodec:
    """Writes moves in the game's notation; games with moves of another shape override what differs."""

    is_case_sensitive = True

    def board(self, view: View) -> str:
        """The board or, if it is not a list of lines, the whole view."""
        board = view.get("board")
        is_drawn = isinstance(board, list) and all(isinstance(line, str) for line in board)
        return "\n".join(board) if board and is_drawn else str(dict(view))

    def side(self, view: View) -> str:
        """Which side the reader plays, and which way it moves."""
        return f"you are {view.get('yourColor', '?')}"

    def move(self, move: Any) -> str:
        """A move as `parse_action` reads it."""
        return str(move["move"]) if isinstance(move, Mapping) and "move" in move else str(move)

    def moves(self, moves: Sequence[Any]) -> list[str]:
        """Several moves, no two of them alike."""
        return [self.move(move) for move in moves]

    def parse_move(self, view: View, text: str) -> Any:
        """One of `legalMoves`, or an action, from a move in words."""
        known = {self.move(move).lower(): move for move in view.get("legalMoves") or ()}
        return known.get(text.lower(), {"move": text})

    def turn(self, view: View) -> str:
        """Everything that a model needs to know for its turn."""
        return f"{self.board(view)}\n{self.last_move(view)}{self.dice(view)}{self.legal_moves(view)}"

    def dice(self, view: View) -> str:
        return "Dice " + " ".join(map(str, view["dice"])) + ". " if view.get("dice") else ""

    def last_move(self, view: View) -> str:
        last = view.get("lastTurn", view.get("lastMove"))
        if last is None:
            return ""
        moves = last.get("moves", last) if isinstance(last, Mapping) else last
        return f"Opponent played {self.move(moves)}. " if moves else "Opponent passed. "

    def choices(self, view: View) -> Sequence[Any]:
        """What the numbers of `legal_moves` stand for."""
        return view.get("legalMoves") or []

    def legal_moves(self, view: View) -> str:
        """The legal moves, numbered."""
        texts = self.moves(self.choices(view))
        listed = "; ".join(f"{number} {text}" for number, text in enumerate(texts[:MOST_MOVES], start=1))
        more = f"; and {len(texts) - MOST_MOVES} more" if len(texts) > MOST_MOVES else ""
        return f"Legal moves: {listed}{more}."

    def parse_action(self, view: View, said: object) -> dict[str, Any]:
        """What a model says it plays: a number from the list, a move in words, or the action itself."""
        if isinstance(said, list | dict):
            return as_action(said)
        text = " ".join(str(said).split()).rstrip(".")
        if not self.is_case_sensitive:
            text = text.lower()
        if text.startswith(("{", "[")):
            return _parse_json(text)
        if not text:
            raise MalformedMove("say which move: its number in the list of legal moves, or the move itself")
        if text.lower() == "resign":
            return dict(RESIGN)
        return as_action(_numbered(self.choices(view), text) if text.isdecimal() else self.parse_move(view, text))


def _parse_json(text: str) -> dict[str, Any]:
    try:
        return as_action(json.loads(text))
    except (ValueError, RecursionError):
        raise MalformedMove("the action is not JSON") from None


def _numbered(moves: Sequence[Any], text: str) -> Any:
    if len(text) > MAX_DIGITS or not 1 <= int(text) <= len(moves):
        raise IllegalMove(f"there is no move number {text[:MAX_DIGITS]}; there are 1 to {len(moves)}")
    return moves[int(text) - 1]
