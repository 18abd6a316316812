"""What back ends may send, bounded. Names are the contract's; keys that it does not know are ignored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from ludus.server.http.fields import Level
from ludus.server.rest import examples
from ludus.server.rest.errors import OWN
from ludus.server.rest.examples import shown
from ludus.service.names import HIDDEN_CHARACTER

NO_CONTROLS: Final = r"^[^\x00-\x1f\x7f]*$"
MOST_THEME: Final = 2048
"""Bytes of a theme, which goes into the token, written as JSON in ASCII."""
MOST_PLAYER: Final = 1024
"""The same of a player; only names in which nearly all characters are rare ones reach it."""
DEEPEST: Final = 5

GameName = Literal["checkers", "backgammon"]
Mode = Literal["live", "test", "training"]
MatchType = Literal["matchmaking", "bot", "private", "agent"]
PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=NO_CONTROLS)]
Code = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9]{6}$")]

NEEDED: Final = "players[] required for live and test sessions"


def refusal(text: str) -> PydanticCustomError:
    return PydanticCustomError(OWN, "{text}", {"text": text})


def _bounded(theme: dict[str, Any]) -> dict[str, Any]:
    if not _can_be_kept(theme, DEEPEST):
        raise refusal(f"theme: plain values, at most {DEEPEST} levels deep")
    if len(json.dumps(theme)) > MOST_THEME:
        raise refusal(f"theme: at most {MOST_THEME} bytes")
    return theme


def _can_be_kept(value: object, depth: int) -> bool:
    """Databases keep no NUL, and JSON has no infinity."""
    if isinstance(value, str):
        return "\0" not in value
    if isinstance(value, Mapping):
        return depth > 0 and all("\0" not in key and _can_be_kept(each, depth - 1) for key, each in value.items())
    if isinstance(value, list):
        return depth > 0 and all(_can_be_kept(each, depth - 1) for each in value)
    return not isinstance(value, float) or isfinite(value)


Theme = Annotated[dict[str, Any], AfterValidator(_bounded)]


def _shown(name: str) -> str:
    """As the others see it; sessions from before, whose names may turn lines round, can be told still."""
    if not (plain := HIDDEN_CHARACTER.sub("", name)):
        raise refusal("displayName: nothing of it can be seen")
    return plain


DisplayName = Annotated[
    str, StringConstraints(min_length=1, max_length=64, pattern=NO_CONTROLS), AfterValidator(_shown)
]


class Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, alias_generator=to_camel)


class Player(Request):
    """A person as the tenant knows them."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, json_schema_extra=shown(examples.ANN))

    id: PlayerId = Field(
        description="The tenant's own id of the user; it comes back as `winner`.",
    )
    display_name: DisplayName = Field(
        description="What the others at the table see; characters that turn a line are left out."
    )

    @model_validator(mode="after")
    def _fits_token(self) -> Self:
        if len(json.dumps(self.to_data())) > MOST_PLAYER:
            raise refusal(f"a player has at most {MOST_PLAYER} bytes as JSON")
        return self

    def to_data(self) -> dict[str, str]:
        return {"id": self.id, "displayName": self.display_name}


class CreateSession(Request):
    model_config = ConfigDict(json_schema_extra=shown(examples.CREATE_SESSION))

    game: GameName
    mode: Mode = Field("live", description="A live key makes `live` and `training`, a test key `test`.")
    match_type: MatchType = Field(
        "matchmaking", description="Who to meet: somebody in line, a bot, a friend, an agent."
    )
    players: Annotated[list[Player], Field(max_length=2)] | None = Field(
        None, description="One, or with `private` one or two. Ignored in training, where players are anonymous."
    )
    bot_difficulty: Level = Field(
        "medium",
        description="`easy`, `medium`, `hard` or a bot of the operator's own; with `bot`, or for a player in line.",
    )
    afk_timeout_enabled: bool = Field(True, description="Whether who does not move in time loses.")
    theme: Theme | None = Field(
        None,
        description=f"Colours and the like: returned, put into the token, and not looked at. At most {MOST_THEME} bytes"
        f" and {DEEPEST} levels.",
    )
    player_count: int = Field(1, ge=1, le=2, description="In training only: 2 makes a private room for two.")

    @model_validator(mode="after")
    def _is_sensible(self) -> Self:
        if self.mode == "training":
            if self.player_count == 2 and self.match_type == "bot":
                raise refusal("playerCount: a bot has one opponent")
            return self
        if not self.players:
            raise refusal(NEEDED)
        if len(self.players) > 1 and self.match_type != "private":
            raise refusal(f"players: {self.match_type} takes one player")
        if len({player.id for player in self.players}) < len(self.players):
            raise refusal("players: each has an id of their own")
        return self


class JoinRoom(Request):
    model_config = ConfigDict(json_schema_extra=shown(examples.JOIN_ROOM))

    room_code: Code = Field(description="What the friend who made the room was given.")
    game: GameName
    player: Player | None = Field(None, description="Needed unless the room is a training one.")
