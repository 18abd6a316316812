"""Types of fields that several kinds of requests share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, Field, PlainValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from ludus.core.errors import InvalidInput
from ludus.games import GAMES
from ludus.service import time_control
from ludus.service.names import strip_hidden
from ludus.service.options import variant_with
from ludus.service.time_control import MOST_TEXT, TimeControl
from ludus.service.tournaments.terms import MAX_NAME

LONGEST_NAME: Final = 40
MOST_MOMENT: Final = 35
"""Characters of a time."""
MOST_POINTS: Final = 25
"""Of a match."""

GuestName = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NAME), AfterValidator(strip_hidden)
]
Level = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9-]{0,31}$")]
"""A bot's difficulty."""
RoomCode = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9]{6}$")]


class ChosenOptions(BaseModel):
    """Part of a request for a game. People who ask for different options are not paired."""

    match_length: int | None = Field(
        None,
        ge=1,
        le=MOST_POINTS,
        alias="matchLength",
        description="Play a match to this many points, with a doubling cube, where the game has matches.",
    )
    cube: bool | None = Field(
        None, description="Play with a doubling cube, where the game has one; false leaves it out of a match."
    )
    jacoby: bool | None = Field(None, description="With a cube, outside matches: gammons count only after a double.")
    beavers: bool | None = Field(
        None,
        description="With a cube, outside matches: a player who is doubled may double again and keep the cube.",
    )

    def variant(self, game: str) -> str:
        """Raises `UnknownOption` if the game has no such options, or not together."""
        chosen = {name: getattr(self, name) for name in ChosenOptions.model_fields}
        return variant_with(game, chosen)


class ShownOptions(BaseModel):
    """The options of a game; those that are off are left out."""

    match_length: int | None = Field(
        None, alias="matchLength", exclude_if=lambda value: value is None, description="The points that win the match."
    )
    cube: bool | None = Field(
        None, exclude_if=lambda value: value is None, description="Whether there is a doubling cube."
    )
    jacoby: bool | None = Field(
        None, exclude_if=lambda value: value is None, description="Whether gammons count only after a double."
    )
    beavers: bool | None = Field(
        None,
        exclude_if=lambda value: value is None,
        description="Whether a player who is doubled may double again and keep the cube.",
    )


def _check_visible(text: str) -> str:
    if not text:
        raise PydanticCustomError("visible", "must have a visible character")
    return text


TournamentName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_NAME),
    AfterValidator(strip_hidden),
    AfterValidator(_check_visible),
]


def _check_game(game: str) -> str:
    if game not in GAMES:
        raise PydanticCustomError("unknown_game", "Invalid game")
    return game


def _read_time_control(value: object) -> TimeControl:
    try:
        if isinstance(value, str):
            return TimeControl.read_text(value)
        if isinstance(value, Mapping):
            return TimeControl.from_data(value)
    except InvalidInput as error:
        raise PydanticCustomError("time_control", "{text}", {"text": str(error)}) from None
    raise PydanticCustomError("time_control", "a time control is an object, or text such as 5+3")


def _object_schema(kind: time_control.Kind) -> dict[str, Any]:
    fields = {
        name: {"type": "integer", "minimum": bounds.least, "maximum": bounds.most}
        for name, bounds in time_control.FIELDS[kind].items()
    }
    properties = {"type": {"const": str(kind)}, **fields}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


TIME_CONTROL_SCHEMA: Final = {"oneOf": [_object_schema(kind) for kind in time_control.Kind]}
"""Of what we send."""
TIME_CONTROL_TEXT: Final = {
    "type": "string",
    "maxLength": MOST_TEXT,
    "examples": ["5+3", "2 d12", "15s/move", "2d/move"],
}

ChosenTimeControl = Annotated[
    TimeControl,
    PlainValidator(_read_time_control),
    WithJsonSchema({"oneOf": [*TIME_CONTROL_SCHEMA["oneOf"], TIME_CONTROL_TEXT]}),
]
"""An object as we send it, or its text."""
ShownTimeControl = Annotated[dict[str, Any], WithJsonSchema(TIME_CONTROL_SCHEMA)]


def _read_moment(value: object) -> int:
    """Milliseconds since 1970."""
    try:
        if isinstance(value, str) and len(value) <= MOST_MOMENT:
            moment = datetime.fromisoformat(value)
            if moment.tzinfo is not None:
                return round(moment.timestamp() * 1000)
    except (ValueError, OverflowError):
        pass
    raise PydanticCustomError("moment", "a time is written as 2026-11-18T19:30:00Z")


Moment = Annotated[
    int,
    PlainValidator(_read_moment),
    WithJsonSchema({"type": "string", "format": "date-time", "maxLength": MOST_MOMENT}),
]
"""A time in ISO 8601, with its offset from UTC."""

GameName = Annotated[str, AfterValidator(_check_game), WithJsonSchema({"type": "string", "enum": list(GAMES)})]
