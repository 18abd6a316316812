"""Errors about input from outside. Each has a `code` that never changes; its text may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar


class LudusError(ValueError):
    code: ClassVar[str] = "error"


class BadMove(LudusError):
    """A move that cannot be played: one of the three below."""


class MalformedMove(BadMove):
    """Not written as a move of this game."""

    code = "malformed_move"


class IllegalMove(BadMove):
    """Well-formed, but not allowed by the rules in this position."""

    code = "illegal_move"


class AmbiguousMove(BadMove):
    """Could be any of several legal moves."""

    code = "ambiguous_move"


class InvalidInput(LudusError):
    """JSON of the wrong shape; each of the details names a place and says what belongs there."""

    code = "invalid_input"

    def __init__(self, *details: str) -> None:
        super().__init__("; ".join(details))
        self.details: Sequence[str] = details

    def about(self, place: str, name: str) -> InvalidInput:
        """The same error, with another name for the place that all details begin with."""
        return InvalidInput(*(name + text.removeprefix(place) for text in self.details))


class GameIsOver(LudusError):
    """The game has ended."""

    code = "game_over"


class UnknownVariant(LudusError):
    code = "unknown_variant"


class UnknownOption(LudusError):
    """An option that does not exist, or a value it cannot have."""

    code = "unknown_option"


class MalformedAction(LudusError):
    """A learner's action of the wrong kind, shape or range."""

    code = "malformed_action"


class IllegalAction(LudusError):
    """A learner's action that the mask does not allow."""

    code = "illegal_action"


class NoDevice(LudusError):
    """The requested device is not on this machine."""

    code = "no_device"


class NotCapturable(LudusError):
    """Work that can't be part of a CUDA graph, on a stream that is being captured."""

    code = "not_capturable"


class MalformedPosition(LudusError):
    code = "malformed_position"


class MalformedRecord(LudusError):
    """A game file that cannot be read; `line` counts from 1."""

    code = "malformed_record"

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


class MalformedPolicy(LudusError):
    """A policy file that cannot be read, or layers that do not fit together or the game."""

    code = "malformed_policy"


class MalformedObservation(LudusError):
    """An observation, mask or logits of the wrong kind or shape, or a row in which no action can be drawn."""

    code = "malformed_observation"


class MalformedState(LudusError):
    """A saved state of another environment or format, or an array that isn't a saved state."""

    code = "malformed_state"


class BrokenGame(LudusError):
    """An entry point names a game that cannot be loaded."""

    code = "broken_game"


class BadInput(LudusError):
    """Any other bad input: an option, a file name, a cell of a file."""

    code = "bad_input"
