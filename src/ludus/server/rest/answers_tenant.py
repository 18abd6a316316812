"""What a tenant is told about itself."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from ludus.server.rest import examples_tenant as examples
from ludus.server.rest.answers import Answer, Reason, Status
from ludus.server.rest.examples import shown
from ludus.server.rest.requests import GameName, MatchType, Mode, Player

Kind = Literal["live", "test"]


class KeyShown(Answer):
    kind: Kind
    hint: str = Field(description="Its first characters; more is not known here.")
    origins: list[str]
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    revoked_at: str | None
    is_this: bool = Field(description="Whether the request came with this one.")


class Usage(Answer):
    pending: int
    active: int
    ended: int
    last_day: int = Field(description="Sessions made in the last 24 hours.")
    is_cut: bool = Field(description="Whether there are more, older ones, that were not counted.")


class TenantShown(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.TENANT))

    id: str
    name: str
    kind: Kind = Field(description="Of the key that the request came with; usage is that of its modes.")
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    webhook_url: str | None
    keys: list[KeyShown]
    usage: Usage


class SessionLine(Answer):
    id: str = Field(json_schema_extra={"format": "uuid"})
    game: GameName
    mode: Mode
    match_type: MatchType
    status: Status
    players: list[Player]
    room_code: str | None
    room_id: str | None = Field(description="Where it is played, once it is.")
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    winner: str | None
    reason: Reason | None


class SessionList(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.SESSIONS))

    sessions: list[SessionLine] = Field(description="The newest first.")


class LetterShown(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.LETTER))

    id: str
    session_id: str
    event: str
    url: str
    state: Literal["waiting", "delivered", "dead"]
    attempts: int
    due_at: str | None
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    problem: str = Field(description="What the last attempt failed of.")
    body: str = Field(description="The very text that is sent.")


class Letters(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.LETTERS))

    deliveries: list[LetterShown] = Field(description="The newest first.")


class NewKey(Answer):
    model_config = ConfigDict(json_schema_extra=shown(examples.NEW_KEY))

    kind: Kind
    key: str = Field(description="Shown only now.")
