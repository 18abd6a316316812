"""What back ends are told."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from ludus.server.rest import examples
from ludus.server.rest.examples import shown
from ludus.server.rest.requests import GameName, MatchType, Mode, Player

Reason = Literal["victory", "resignation", "afk_timeout", "draw", "disconnect"]
Status = Literal["pending", "active", "ended"]


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)


class Refusal(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.REFUSAL))

    error: str = Field(description="For people; what is wrong.")
    code: str = Field(description="For programs; it never changes.")


class CreatedSession(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.CREATED_SESSION))

    session_id: str = Field(json_schema_extra={"format": "uuid"})
    session_token: str = Field(description="A JSON Web Token for the player's client.")
    expires_in: int = Field(description="Seconds within which the token must be used.")
    expires_at: str = Field(json_schema_extra={"format": "date-time"})
    game: GameName
    mode: Mode
    match_type: MatchType
    room_code: str | None = Field(description="For the friend; null unless the room is private.")
    players: list[Player] = Field(description="The token's own player first.")
    theme: dict[str, Any] | None
    webhooks_enabled: bool


class Result(Answer):
    winner: str | None = Field(description="The id of a player, or null for a draw.")
    reason: Reason
    duration: int = Field(description="Seconds.")
    move_count: int


class CheckersResult(Result):
    pdn: str = Field(description="The record of the game.")


class BackgammonResult(Result):
    points: int = Field(description="What the win is worth.")
    result: Literal["single", "gammon", "backgammon"]
    mat: str = Field(description="The record of the game, its dice checkable with `ludus verify`.")


AnyResult = BackgammonResult | CheckersResult


class Standing(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.STANDING))

    status: Status
    result: AnyResult | None = Field(description="Null until the game has ended, and after a session without one.")


class ShownSession(Standing):
    model_config = ConfigDict(json_schema_extra=shown(examples.SHOWN_SESSION))

    id: str = Field(json_schema_extra={"format": "uuid"})
    game: GameName
    mode: Mode
    match_type: MatchType
    players: list[Player]


class RoomPlayer(Answer):
    id: str
    username: str


class OpenRoom(Answer):
    room_id: str = Field(description="What `game:spectate` takes.")
    players: list[RoomPlayer]
    move_count: int


class OpenRooms(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.OPEN_ROOMS))

    rooms: list[OpenRoom] = Field(description="The newest first, a hundred at most.")


class ProofOutcome(BaseModel):
    winner: str | None = Field(description="The colour, as the rules call it.")
    reason: str
    points: int


class Proof(BaseModel):
    """What `ludus verify` reads."""

    model_config = ConfigDict(json_schema_extra=shown(examples.PROOF))

    ludus: Literal["proof 1"]
    table: str
    game: GameName
    variant: str
    seed: str | None = Field(description="In hex; null for a game without dice.")
    commitment: str | None = Field(description="What was published before the first roll.")
    moves: list[str] = Field(description="Rolls included.")
    outcome: ProofOutcome
