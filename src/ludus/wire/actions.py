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
"""The answer of a player without a legal move, in games where that does not lose. A bare `[]` means the same."""
BARE_PASS_SCHEMA: Final[dict[str, Any]] = {
    "title": "Pass",
    "description": "Only where there is no legal move.",
    "type": "array",
    "maxItems": 0,
}


OFFER_RESIGNATION: Final = "offer_resignation"
ACCEPT_RESIGNATION: Final = "accept_resignation"
DECLINE_RESIGNATION: Final = "decline_resignation"
RESIGNATION_SCHEMAS: Final[list[dict[str, Any]]] = [
    {
        "title": "Offer to resign",
        "description": "Offers to concede the current game as a single (1), gammon (2) or backgammon (3); you then"
        " go on with your turn. The other side accepts, declines, or declines by playing on.",
        "type": "object",
        "properties": {
            "type": {"const": OFFER_RESIGNATION},
            "points": {"type": "integer", "minimum": 1, "maximum": 3},
        },
        "required": ["type", "points"],
    },
    {
        "title": "Answer a resignation",
        "type": "object",
        "properties": {"type": {"enum": [ACCEPT_RESIGNATION, DECLINE_RESIGNATION]}},
        "required": ["type"],
    },
]


class Action(NamedTuple):
    """A well-formed action; plain data."""

    key: str
    """A key that is the same for two actions with the same meaning, so that a retry is recognized."""
    move: Any = None
    """What its codec resolves to a legal move; None for an action that isn't a move."""
    kind: str = "resign"
    """Which action it is, if it isn't a move."""
    points: int = 1
    """The points of a resignation that is offered."""


RESIGNATION: Final = Action("resign")


def parse_resignation(action: object) -> Action | None:
    """The offer of a resignation, or the answer to one; None for any other action."""
    kind = action.get("type") if isinstance(action, dict) else None
    if kind in (ACCEPT_RESIGNATION, DECLINE_RESIGNATION):
        return Action(kind, kind=kind)
    if not isinstance(action, dict) or kind != OFFER_RESIGNATION:
        return None
    points = as_integer(action.get("points"))
    if points is None or not 1 <= points <= 3:
        raise InvalidInput("action.points: must be a whole number from 1 to 3")
    return Action(f"{kind} {points}", kind=kind, points=points)


def is_resignation_offer(action: object) -> bool:
    """Whether it offers a resignation, well-formed or not; apart from `resign`, the only action that needs no turn."""
    return isinstance(action, dict) and action.get("type") == OFFER_RESIGNATION


class Problems:
    """Collects everything that is wrong with an action, to report it all at once."""

    def __init__(self) -> None:
        self._found: list[str] = []

    def add(self, place: str, wanted: str) -> None:
        self._found.append(f"{place}: must be {wanted}")

    def raise_any(self) -> None:
        if self._found:
            raise InvalidInput(*self._found[:10])


def fields_of(action: object, *others: str) -> dict[str, Any] | None:
    """The fields of a move; None for a resignation. `others` are the types of more actions that the game has."""
    if not isinstance(action, dict):
        raise InvalidInput("action: must be an object")
    kind, known = action.get("type"), ("move", "resign", *others)
    if not isinstance(kind, str) or kind not in known:
        *names, last = (f'"{name}"' for name in known)
        raise InvalidInput(f"action.type: must be {', '.join(names)} or {last}")
    return None if kind == "resign" else action


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
    if any(action != PASS for action in view.get("legalActions") or ()):
        return False  # there is something else to decide
    return isinstance(view.get("legalMoves"), list) and not any(view["legalMoves"])
