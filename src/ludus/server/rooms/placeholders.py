"""Marks in the models of messages for what differs by game; `schemas` fills them in."""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field, WithJsonSchema

PLACEHOLDER: Final = "x-ludus-part"
"""The key of a schema that stands for one of a game's `RoomSchemas`."""
FIELDS: Final = "x-ludus-fields"
"""The key of an object's schema that gets fields of a game's `RoomSchemas`."""
OPTIONAL_FIELDS: Final = "x-ludus-optional-fields"
"""The same for fields that may be missing."""
FEATURE: Final = "x-ludus-feature"
"""The key of a field that only games with a feature have."""


OPTIONAL: Final = "x-ludus-optional"
"""Beside a feature: the field may be missing even then."""


def fields_of_game(*names: str) -> dict[str, Any]:
    return {FIELDS: list(names)}


def optional_fields_of_game(*names: str) -> dict[str, Any]:
    return {OPTIONAL_FIELDS: list(names)}


def only_with(feature: str, description: str) -> Any:
    return Field(None, description=description, json_schema_extra={FEATURE: feature})


def optional_with(feature: str, description: str) -> Any:
    """A field that only games with a feature have, and not always."""
    return Field(None, description=description, json_schema_extra={FEATURE: feature, OPTIONAL: True})


Game = Annotated[str, WithJsonSchema({PLACEHOLDER: "game"})]
Color = Annotated[str, WithJsonSchema({PLACEHOLDER: "color"})]
Move = Annotated[Any, WithJsonSchema({PLACEHOLDER: "move"})]
MoveRequest = Annotated[Any, WithJsonSchema({PLACEHOLDER: "move_request"})]
Place = Annotated[Any, WithJsonSchema({PLACEHOLDER: "place"})]
Target = Annotated[Any, WithJsonSchema({PLACEHOLDER: "target"})]
Steps = Annotated[Any, WithJsonSchema({PLACEHOLDER: "steps"})]
LegalMove = Annotated[Any, WithJsonSchema({PLACEHOLDER: "legal_move"})]
