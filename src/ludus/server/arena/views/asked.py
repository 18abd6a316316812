"""An action as it was asked for, and reading the plain values it is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ludus.server.arena.errors import InvalidInput

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
RESIGN: Final[dict[str, Any]] = {
    "title": "Resign",
    "type": "object",
    "properties": {"type": {"const": "resign"}},
    "required": ["type"],
}


class Asked(NamedTuple):
    name: str
    """The same for the same action: a repetition is known by it."""
    choose: Callable[[Any], Any] | None
    """Finds the move in a position, or says why there is none; None resigns."""


RESIGNATION: Final = Asked("resign", None)


class Reading:
    """Collects all that is wrong with what an agent sent, so that it is told at once."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def wrong(self, place: str, wanted: str) -> None:
        self.problems.append(f"{place}: must be {wanted}")

    def finish(self) -> None:
        if self.problems:
            raise InvalidInput(*self.problems[:10])


def kind_of(action: object) -> tuple[str, dict[str, Any]]:
    """The type of an action, one of the two there are, and all its fields."""
    if not isinstance(action, dict):
        raise InvalidInput("action: must be an object")
    kind = action.get("type")
    if kind not in ("move", "resign"):
        raise InvalidInput('action.type: must be "move" or "resign"')
    return kind, action


def whole(value: object) -> int | None:
    """A whole number, which JSON may also write as 24.0; None for anything else."""
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None
