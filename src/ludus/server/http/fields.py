"""Types of fields that several kinds of requests share."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from ludus.games import GAMES
from ludus.service.names import strip_hidden

LONGEST_NAME: Final = 40

GuestName = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NAME), AfterValidator(strip_hidden)
]
Level = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9-]{0,31}$")]
"""A bot's difficulty."""
RoomCode = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9]{6}$")]


def _check_game(game: str) -> str:
    if game not in GAMES:
        raise PydanticCustomError("unknown_game", "Invalid game")
    return game


GameName = Annotated[str, AfterValidator(_check_game), WithJsonSchema({"type": "string", "enum": list(GAMES)})]
