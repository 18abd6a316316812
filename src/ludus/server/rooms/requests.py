"""The payloads that clients may send, with bounds on every field."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, WithJsonSchema

from ludus.server.http.errors import Malformed
from ludus.server.http.fields import ChosenOptions, GuestName, Level
from ludus.server.rooms.placeholders import MoveRequest, Place, Steps, Target

Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Phrase = Literal["hello", "good_luck", "nice_move", "oops", "sorry", "well_played", "thanks", "bye"]
"""What players can say to each other, each in their own language."""
Version = Annotated[int, Field(ge=0, le=10**9)]
Concession = Annotated[int, Field(ge=1, le=3), WithJsonSchema({"enum": [1, 2, 3], "type": "integer"})]
"""Not a literal, which would take `true` for 1."""
OWN_ID: Any = Field(None, description="If given, must be your own.")


class Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Join(ChosenOptions, Request):
    username: GuestName | None = Field(None, description="A guest's name; with a session, the session's name is used.")
    playerId: Id | None = OWN_ID
    sessionId: Id | None = Field(None, description="If given, must match the token.")
    wantsBot: bool = Field(
        False, description="Play against a bot: for guests, and for sessions of the type `matchmaking`."
    )
    botDifficulty: Level | None = Field(None, description="`easy`, `medium`, `hard`, another level or bot.")
    afkTimeoutEnabled: bool | None = Field(None, description="For guests; with a session, the session's value is used.")


class Leave(Request):
    playerId: Id | None = OWN_ID


class Reconnect(Request):
    """`version` and `part` name the last message the client received, in `roomId` if given."""

    playerId: Id | None = OWN_ID
    roomId: Id | None = Field(None, description="The room that the last message came from.")
    version: Version | None = Field(
        None, description="The version of the last message; later messages are sent again first."
    )
    part: Version | None = Field(None, description="The part of the last message; without it, all parts were received.")


class InRoom(Request):
    """`version` is the state that the player's decision is based on; `commandId` makes the request idempotent."""

    roomId: Id
    playerId: Id | None = OWN_ID
    commandId: Id | None = Field(None, description="Makes it safe to send the event again.")
    version: Version | None = Field(None, description="If the table has moved on, the event is refused.")


class GetMoves(InRoom):
    position: Place | None = None
    soFar: Steps | None = None
    ackOnly: bool = Field(False, description="Reply in the acknowledgement only.")
    explain: bool = Field(
        False, description="Say, in the acknowledgement, why the piece on `position` can't move, or not to `target`."
    )
    target: Target | None = Field(None, description="With `explain`, where the piece is to go.")


class MakeMove(InRoom):
    move: MoveRequest


class OfferResignation(InRoom):
    points: Concession = Field(description="1 for a single game, 2 for a gammon, 3 for a backgammon.")


class Say(InRoom):
    phrase: Phrase


class AfkCheck(Request):
    roomId: Id


class Spectate(Request):
    roomId: Id
    username: GuestName | None = Field(None, description="Not shown to anyone.")


R = TypeVar("R", bound=Request)


def parse(kind: type[R], payload: object) -> R:
    """Raises `Malformed`, naming the first invalid field."""
    try:
        return kind.model_validate({} if payload is None else payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(step)[:40] for step in first["loc"])
        raise Malformed(f"{where}: {first['msg']}" if where else first["msg"]) from None
