"""What clients may send: every event's payload, bounded."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ludus.core.errors import LudusError

LONGEST_NAME: Final = 40
UNSEEN: Final = re.compile(
    r"[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]"
)
"""Control characters, and those that turn or break a line. What joins letters or emojis may stay."""


def seen(name: str) -> str:
    r"""The name without what would turn others' sentences round; empty if nothing can be seen of it.

    >>> seen("\u202eAnn\u2069")
    'Ann'
    """
    plain = UNSEEN.sub("", name).strip()
    return plain if any(letter.isprintable() for letter in plain) else ""


Id = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LONGEST_NAME), AfterValidator(seen)]
Level = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9-]{0,31}$")]
Version = Annotated[int, Field(ge=0, le=10**9)]


class Malformed(LudusError):
    """A payload that is not what the event takes."""

    code = "malformed"


class Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Join(Request):
    username: Name | None = None
    playerId: Id | None = None  # noqa: N815 - the contract's spelling, here and below
    sessionId: Id | None = None  # noqa: N815
    wantsBot: bool = False  # noqa: N815
    botDifficulty: Level | None = None  # noqa: N815
    afkTimeoutEnabled: bool | None = None  # noqa: N815


class Leave(Request):
    playerId: Id | None = None  # noqa: N815


class Reconnect(Request):
    """`version` and `part` name the last message that the client saw, in that room if it names one."""

    playerId: Id | None = None  # noqa: N815
    roomId: Id | None = None  # noqa: N815
    version: Version | None = None
    part: Version | None = None


class InRoom(Request):
    """`version` is the state that was decided in, `commandId` makes a repetition harmless."""

    roomId: Id  # noqa: N815
    playerId: Id | None = None  # noqa: N815
    commandId: Id | None = None  # noqa: N815
    version: Version | None = None


class GetMoves(InRoom):
    position: Any = None
    soFar: Any = None  # noqa: N815


class Move(InRoom):
    move: Any


class AfkCheck(Request):
    roomId: Id  # noqa: N815


class Spectate(Request):
    roomId: Id  # noqa: N815
    username: Name | None = None


R = TypeVar("R", bound=Request)


def read(kind: type[R], payload: object) -> R:
    """The request, or a refusal that names the first field that is wrong."""
    try:
        return kind.model_validate({} if payload is None else payload)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(step)[:40] for step in first["loc"])
        raise Malformed(f"{where}: {first['msg']}" if where else first["msg"]) from None
