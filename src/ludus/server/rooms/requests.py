"""The payloads that clients may send, with bounds on every field."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ludus.server.http.errors import Malformed
from ludus.server.http.fields import GuestName, Level

Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Version = Annotated[int, Field(ge=0, le=10**9)]


class Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Join(Request):
    username: GuestName | None = None
    playerId: Id | None = None  # noqa: N815 - the contract's spelling, here and below
    sessionId: Id | None = None  # noqa: N815
    wantsBot: bool = False  # noqa: N815
    botDifficulty: Level | None = None  # noqa: N815
    afkTimeoutEnabled: bool | None = None  # noqa: N815


class Leave(Request):
    playerId: Id | None = None  # noqa: N815


class Reconnect(Request):
    """`version` and `part` name the last message the client received, in `roomId` if given."""

    playerId: Id | None = None  # noqa: N815
    roomId: Id | None = None  # noqa: N815
    version: Version | None = None
    part: Version | None = None


class InRoom(Request):
    """`version` is the state the player decided in; `commandId` makes the request idempotent."""

    roomId: Id  # noqa: N815
    playerId: Id | None = None  # noqa: N815
    commandId: Id | None = None  # noqa: N815
    version: Version | None = None


class GetMoves(InRoom):
    position: Any = None
    soFar: Any = None  # noqa: N815
    ackOnly: bool = False  # noqa: N815


class Move(InRoom):
    move: Any


class AfkCheck(Request):
    roomId: Id  # noqa: N815


class Spectate(Request):
    roomId: Id  # noqa: N815
    username: GuestName | None = None


R = TypeVar("R", bound=Request)


def parse(kind: type[R], payload: object) -> R:
    """Raises `Malformed`, naming the first invalid field."""
    try:
        return kind.model_validate({} if payload is None else payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(step)[:40] for step in first["loc"])
        raise Malformed(f"{where}: {first['msg']}" if where else first["msg"]) from None
