"""The payloads that clients may send, with bounds on every field."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ludus.server.http.errors import Malformed
from ludus.server.http.fields import GuestName, Level
from ludus.server.rooms.placeholders import MoveRequest, Place, Steps

Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Version = Annotated[int, Field(ge=0, le=10**9)]
OWN_ID: Any = Field(None, description="If given, must be your own.")


class Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Join(Request):
    username: GuestName | None = Field(None, description="A guest's name; with a session, the session's is used.")
    playerId: Id | None = OWN_ID  # noqa: N815 - the contract's spelling, here and below
    sessionId: Id | None = Field(None, description="If given, must match the token.")  # noqa: N815
    wantsBot: bool = Field(  # noqa: N815
        False, description="Play against a bot: for guests, and for sessions of the type `matchmaking`."
    )
    botDifficulty: Level | None = Field(None, description="`easy`, `medium`, `hard` or another bot's name.")  # noqa: N815
    afkTimeoutEnabled: bool | None = Field(  # noqa: N815
        None, description="For guests; with a session, the session's value is used."
    )


class Leave(Request):
    playerId: Id | None = OWN_ID  # noqa: N815


class Reconnect(Request):
    """`version` and `part` name the last message the client received, in `roomId` if given."""

    playerId: Id | None = OWN_ID  # noqa: N815
    roomId: Id | None = Field(None, description="The room that the last message came from.")  # noqa: N815
    version: Version | None = Field(None, description="Of the last message; later ones are sent again first.")
    part: Version | None = Field(None, description="Of the last message; without it, all parts were received.")


class InRoom(Request):
    """`version` is the state the player decided in; `commandId` makes the request idempotent."""

    roomId: Id  # noqa: N815
    playerId: Id | None = OWN_ID  # noqa: N815
    commandId: Id | None = Field(None, description="Makes it safe to send the event again.")  # noqa: N815
    version: Version | None = Field(None, description="If the table has moved on, the event is refused.")


class GetMoves(InRoom):
    position: Place | None = None
    soFar: Steps | None = None  # noqa: N815
    ackOnly: bool = Field(False, description="Reply in the acknowledgement only.")  # noqa: N815


class MakeMove(InRoom):
    move: MoveRequest


class AfkCheck(Request):
    roomId: Id  # noqa: N815


class Spectate(Request):
    roomId: Id  # noqa: N815
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
