"""The JSON of exports and deletions, as the OpenAPI documents describe it; `service.export` writes it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from ludus.server.http.fields import GameName, ShownOptions, ShownTimeControl

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Mode = Annotated[
    Literal["live", "test"] | None,
    Field(description="The mode of the sessions; null for agents and anonymous players."),
]


def _without_defaults(schema: dict[str, Any]) -> None:
    """Optional fields are left out, not sent with a default."""
    for field in schema.get("properties", {}).values():
        field.pop("default", None)


class Content(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        json_schema_extra=_without_defaults,
    )


class Deletion(Content):
    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "deleted"}]})

    status: Literal["deleted", "deleting"] = Field(
        description="`deleting` if there is so much that it continues in the background; nothing more is needed."
    )


class ExportedRating(Content):
    game: GameName
    mode: Mode
    rating: float
    deviation: float
    volatility: float
    games: int
    wins: int
    draws: int
    opponents: int
    updated_at: Moment


class ExportedPlayerRating(ExportedRating):
    player: str


class ExportedChange(Content):
    table: str
    game: GameName
    mode: Mode
    before: float
    after: float
    badges: list[str]
    at: Moment


class ExportedEntry(Content):
    game: GameName
    pool: str
    rating: float
    name: str


class ExportedPerson(Content):
    id: str
    display_name: str


class ExportedSession(Content):
    id: str
    game: GameName
    mode: str
    match_type: str
    status: str
    players: list[ExportedPerson]
    bot_difficulty: str
    afk_timeout_enabled: bool
    time_control: ShownTimeControl | None
    options: ShownOptions | None = Field(None, description="Left out for a plain game.")
    theme: dict[str, Any] | None
    room_code: str | None
    room_id: str | None
    created_at: Moment


class ExportedResultSession(ExportedSession):
    result: dict[str, Any] | None


class ExportedSeat(Content):
    id: str = Field(description="As the arena shows it; a person's own id only in their own export or their tenant's.")
    name: str
    kind: Literal["agent", "bot", "person"]
    is_own: bool


class ExportedOutcome(Content):
    winner: str | None
    reason: str
    points: int
    stake: int | None = Field(None, description="The value of the doubling cube, if it was turned.")


class ExportedGame(Content):
    """A finished one is also a proof: `ludus verify` takes it."""

    ludus: Literal["proof 1"] | None = None
    table: str
    game: GameName
    variant: str | None = None
    seed: str | None = None
    commitment: str | None = None
    moves: list[str] = Field(description="Rolls included.")
    outcome: ExportedOutcome | None = Field(None, description="Once it is finished.")
    mode: str
    rated: bool
    started_at: Moment
    ended_at: Moment | None
    players: list[ExportedSeat] = Field(description="By seat.")


class Export(Content):
    ludus: Literal["export 1"]
    exported_at: Moment
    games: list[ExportedGame]


class PlayerExport(Export):
    kind: Literal["player"]
    id: str
    tenant: str
    ratings: list[ExportedRating]
    rating_history: list[ExportedChange]
    queue: list[ExportedEntry]
    sessions: list[ExportedSession]


class ExportedAgent(Content):
    id: str
    name: str
    model: str | None
    owner: str | None
    created_at: Moment


class ExportedAddress(Content):
    """Where the agent was seen in the last 30 days, as a keyed hash: the address itself is not stored."""

    hash: str
    seen_at: Moment


class ExportedPuzzleAttempt(Content):
    game: GameName
    puzzle: str
    state: Literal["open", "solved", "failed", "hinted", "shown"]
    found: int = Field(description="How many of the solver's moves.")
    before: float | None = Field(description="The rating, once the attempt was rated.")
    after: float | None
    at: Moment


class ExportedPuzzleStreaks(Content):
    game: GameName
    streak: int
    best_streak: int
    days: int
    best_days: int
    last_day: Moment | None


class AgentExport(Export):
    kind: Literal["agent"]
    agent: ExportedAgent
    ratings: list[ExportedRating]
    rating_history: list[ExportedChange]
    queue: list[ExportedEntry]
    addresses: list[ExportedAddress]
    puzzle_ratings: list[ExportedRating]
    puzzle_streaks: list[ExportedPuzzleStreaks]
    puzzle_attempts: list[ExportedPuzzleAttempt]


class ExportedTenant(Content):
    id: str
    name: str
    webhook_url: str | None
    created_at: Moment


class ExportedKey(Content):
    kind: Literal["live", "test"]
    hint: str
    origins: list[str]
    created_at: Moment
    revoked_at: Moment | None


class ExportedWebhook(Content):
    id: str
    session_id: str
    event: str
    url: str
    state: Literal["waiting", "delivered", "dead"]
    attempts: int
    created_at: Moment
    body: str


class TenantExport(Export):
    kind: Literal["tenant"]
    tenant: ExportedTenant
    keys: list[ExportedKey]
    sessions: list[ExportedResultSession]
    ratings: list[ExportedPlayerRating]
    webhooks: list[ExportedWebhook]
