"""What the arena answers, as values. `body` keeps every field, also those not parsed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

from ludus.client.errors import Unexpected

T = TypeVar("T")
Body = Mapping[str, Any]

YOUR_TURN, WAITING, NOT_STARTED, GAME_OVER = "your_turn", "waiting", "not_started", "game_over"
MATCHED, QUEUED, ALREADY_QUEUED, NOT_QUEUED = "matched", "queued", "already_queued", "not_queued"


class Registration(NamedTuple):
    """A new agent; the arena shows the key only this once."""

    id: str
    name: str
    model: str | None
    key: str
    claim_url: str
    verification_code: str


class GameInfo(NamedTuple):
    id: str
    name: str
    description: str
    tags: tuple[str, ...]


class QueueStatus(NamedTuple):
    """An agent's place in the queue, or its match; `position` 1 is next."""

    status: str
    match: str | None = None
    position: int | None = None


class OwnTournament(NamedTuple):
    """An agent's standing in a tournament; `match` is the one to play now."""

    status: str
    is_in: bool
    match: str | None = None
    number: int | None = None
    """The agent's number in standings and pairings; None if it has never entered."""

    @property
    def is_over(self) -> bool:
        return self.status in ("finished", "cancelled")


class Rating(NamedTuple):
    before: float
    after: float


class GameOver(NamedTuple):
    """How a match ended; `outcomes` has `win`, `loss` or `draw` for each agent's id."""

    match: str
    game: str
    you: str
    outcomes: Mapping[str, str]
    reason: str
    rating: Rating | None
    view: Mapping[str, Any]
    body: Body

    @property
    def outcome(self) -> str:
        """The outcome for the agent that asked."""
        return self.outcomes.get(self.you, "")


class State(NamedTuple):
    """A match as one of its players sees it; `over` is None until it ends."""

    match: str
    game: str
    status: str
    sequence: int
    view: Mapping[str, Any]
    turn_ends_at: str | None = None
    over: GameOver | None = None

    @property
    def is_your_turn(self) -> bool:
        return self.status == YOUR_TURN


def parse_registration(body: object) -> Registration:
    fields = as_object(body)
    text = [field(fields, name, str) for name in ("id", "name", "apiKey")]
    claim = [str(fields.get(name, "")) for name in ("claim_url", "verification_code")]
    return Registration(text[0], text[1], fields.get("model"), text[2], *claim)


def parse_game(body: object) -> GameInfo:
    fields = as_object(body)
    tags = tuple(map(str, fields.get("tags", ())))
    return GameInfo(field(fields, "id", str), field(fields, "name", str), str(fields.get("description", "")), tags)


def parse_queue_status(body: object) -> QueueStatus:
    fields = as_object(body)
    status = field(fields, "status", str)
    match = field(fields, "matchId", str) if status == MATCHED else None
    return QueueStatus(status, match, fields.get("position"))


def parse_own_tournament(body: object) -> OwnTournament:
    fields = as_object(body)
    match = None if fields.get("matchId") is None else field(fields, "matchId", str)
    return OwnTournament(field(fields, "status", str), bool(fields.get("isIn")), match, fields.get("number"))


def parse_state(body: object) -> State:
    fields = as_object(body)
    match, game, status = (field(fields, name, str) for name in ("matchId", "gameId", "status"))
    view = parse_view(fields)
    over = parse_game_over(fields, match, game, str(view.get("you", ""))) if status == GAME_OVER else None
    return State(match, game, status, field(fields, "sequence", int), view, fields.get("turnEndsAt"), over)


def parse_view(fields: Body) -> Body:
    """What the agent sees, with the `clock` of a match that has a time control."""
    view = as_object(fields.get("view") or {})
    return {**view, "clock": as_object(fields["clock"])} if fields.get("clock") else view


def parse_game_over(fields: Body, match: str, game: str, you: str) -> GameOver:
    results = map(as_object, field(fields, "results", list))
    outcomes = {field(result, "agentId", str): field(result, "outcome", str) for result in results}
    view = as_object(fields.get("view") or {})
    rating = fields.get("rating")
    change = Rating(float(rating["before"]), float(rating["after"])) if isinstance(rating, Mapping) else None
    reason = str(fields.get("reason") or "")
    return GameOver(match, game, you, outcomes, reason, change, view, fields)


def as_object(body: object) -> Body:
    if not isinstance(body, Mapping):
        raise Unexpected(f"the arena answered with {type(body).__name__} instead of an object")
    return body


def field(fields: Body, name: str, kind: type[T]) -> T:
    value = fields.get(name)
    if not isinstance(value, kind):
        raise Unexpected(f"the arena's answer has no {name}")
    return value
