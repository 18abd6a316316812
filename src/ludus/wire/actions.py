"""What the actions of all games have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ludus.core.errors import BadInput, InvalidInput

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
RESIGN_SCHEMA: Final[dict[str, Any]] = {
    "title": "Resign",
    "type": "object",
    "properties": {"type": {"const": "resign"}},
    "required": ["type"],
}
RESIGN: Final = {"type": "resign"}
PASS: Final[dict[str, Any]] = {"type": "move", "moves": []}
"""What a player without a legal move answers, in games where that does not lose. A bare `[]` says the same."""
BARE_PASS_SCHEMA: Final[dict[str, Any]] = {
    "title": "Pass",
    "description": "Only where there is no legal move.",
    "type": "array",
    "maxItems": 0,
}


class Action(NamedTuple):
    """A well-formed action; plain data."""

    key: str
    """The same for two actions that ask for the same thing, so that a retry is recognized."""
    move: Any = None
    """What its codec resolves to a legal move; None resigns."""


RESIGNATION: Final = Action("resign")


class Problems:
    """Collects everything that is wrong with an action, to report it all at once."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def add(self, place: str, wanted: str) -> None:
        self._found.append(f"{place}: must be {wanted}")

    def raise_any(self) -> None:
        if self._found:
            raise InvalidInput(*self._found[:10])


def fields_of(action: object) -> dict[str, Any] | None:
    """The fields of a move; None for a resignation."""
    if not isinstance(action, dict):
        raise InvalidInput("action: must be an object")
    kind = action.get("type")
    if kind not in ("move", "resign"):
        raise InvalidInput('action.type: must be "move" or "resign"')
    return action if kind == "move" else None


def as_integer(value: object) -> int | None:
    """A whole number, which JSON may also write as 24.0; None for anything else."""
    if type(value) is int:
        return value
    return int(value) if type(value) is float and value.is_integer() else None


def as_action(chosen: Any) -> dict[str, Any]:
    """The action that plays one of a view's `legalMoves`; a whole action stays as it is."""
    if isinstance(chosen, list | tuple):
        return {"type": "move", "moves": list(chosen)}
    if isinstance(chosen, Mapping):
        return {"type": "move", **chosen}
    raise BadInput(f"an agent returns an action or one of legalMoves, not {str(chosen)[:60]!r}")


def is_pass(view: Mapping[str, Any]) -> bool:
    """Whether the player to move has no legal move; the arena then takes only `PASS`."""
    return isinstance(view.get("legalMoves"), list) and not any(view["legalMoves"])
