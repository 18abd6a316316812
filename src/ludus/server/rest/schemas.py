"""The JSON of requests and responses. Names are the contract's; unknown keys in requests are ignored."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self, Union

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    create_model,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from ludus.games import ABOUT, GAMES
from ludus.server.http.fields import (
    ChosenOptions,
    ChosenTimeControl,
    GameName,
    Level,
    Moment,
    RoomCode,
    ShownOptions,
    ShownTimeControl,
    TournamentName,
)
from ludus.server.rest import examples
from ludus.server.rest.errors import OWN
from ludus.service.names import HIDDEN_CHARACTER
from ludus.service.table import is_pseudonym
from ludus.service.time_control import NO_LIMIT, TimeControl
from ludus.wire import record_format

NO_CONTROLS: Final = r"^[^\x00-\x1f\x7f]*$"
MOST_THEME: Final = 2048
"""Bytes of a theme as ASCII JSON: it goes into the token."""
MOST_PLAYER: Final = 1024
"""The same for a player; only names made of rare characters come near it."""
DEEPEST: Final = 5

Mode = Literal["live", "test", "training"]
MatchType = Literal["matchmaking", "bot", "private", "agent"]
PlayerId = Annotated[str, StringConstraints(min_length=1, max_length=128, pattern=NO_CONTROLS)]
Reason = Literal["victory", "resignation", "afk_timeout", "draw", "disconnect", "cancelled"]
Status = Literal["pending", "active", "ended"]
KeyKind = Literal["live", "test"]
TournamentSystem = Literal["arena", "swiss", "round_robin", "knockout"]
TournamentState = Literal["created", "running", "finished", "cancelled"]

NEEDED: Final = "players[] required for live and test sessions"


def example(value: dict[str, Any]) -> dict[str, Any]:
    return {"examples": [value]}


def invalid(text: str) -> PydanticCustomError:
    return PydanticCustomError(OWN, "{text}", {"text": text})


def _check_theme(theme: dict[str, Any]) -> dict[str, Any]:
    if not _is_storable(theme, DEEPEST):
        raise invalid(f"theme: plain values, at most {DEEPEST} levels deep")
    if len(json.dumps(theme)) > MOST_THEME:
        raise invalid(f"theme: at most {MOST_THEME} bytes")
    return theme


def _is_storable(value: object, depth: int) -> bool:
    """Databases store no NUL, and JSON has no infinity."""
    if isinstance(value, str):
        return "\0" not in value
    if isinstance(value, Mapping):
        return depth > 0 and all("\0" not in key and _is_storable(each, depth - 1) for key, each in value.items())
    if isinstance(value, list):
        return depth > 0 and all(_is_storable(each, depth - 1) for each in value)
    return not isinstance(value, float) or isfinite(value)


Theme = Annotated[dict[str, Any], AfterValidator(_check_theme)]


def _visible(name: str) -> str:
    """Stripped, not refused: sessions stored by earlier versions may have such names."""
    if not (plain := HIDDEN_CHARACTER.sub("", name)):
        raise invalid("displayName: nothing of it can be seen")
    return plain


DisplayName = Annotated[
    str, StringConstraints(min_length=1, max_length=64, pattern=NO_CONTROLS), AfterValidator(_visible)
]


class Request(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True, alias_generator=to_camel)


class Player(Request):
    """A person, as the tenant identifies them."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, json_schema_extra=example(examples.ANN))

    id: PlayerId = Field(
        description="The tenant's own user id; it comes back as `winner`.",
    )
    display_name: DisplayName = Field(
        description="The name other players see; characters that reverse a line are removed."
    )

    @model_validator(mode="after")
    def _fits_token(self) -> Self:
        if len(json.dumps(self.to_data())) > MOST_PLAYER:
            raise invalid(f"a player has at most {MOST_PLAYER} bytes as JSON")
        return self

    def refuse_pseudonym(self) -> None:
        if is_pseudonym(self.id):
            raise invalid("id: `deleted:` stands for players who were deleted")

    def to_data(self) -> dict[str, str]:
        return {"id": self.id, "displayName": self.display_name}


class CreateTournament(ChosenOptions, Request):
    model_config = ConfigDict(json_schema_extra=example(examples.CREATE_TOURNAMENT))

    name: TournamentName
    game: GameName
    system: TournamentSystem
    time_control: ChosenTimeControl | None = Field(None, description="`5+3` if left out; not `none`.")
    rated: bool = False
    rounds: int = Field(0, ge=0, le=15, description="Swiss: at most 15. Round robin: how often all meet, at most 4.")
    minutes: int = Field(0, ge=0, le=180, description="An arena's duration, 5 to 180; an hour if left out.")
    max_entrants: int = Field(0, ge=0, le=256, description="64 if left out; in a round robin 32 at most.")
    starts_when_full: bool = False
    starts_at: Moment | None = Field(None, description="Within 30 days; you can start it before.")


class AddPlayers(Request):
    model_config = ConfigDict(json_schema_extra=example(examples.ADD_PLAYERS))

    players: list[Player] = Field([], max_length=256)
    bots: list[Level] = Field([], max_length=32, description="Levels of house bots; each can enter once.")


class CreateSession(ChosenOptions, Request):
    model_config = ConfigDict(json_schema_extra=example(examples.CREATE_SESSION))

    game: GameName
    mode: Mode = Field("live", description="A live key creates `live` and `training` sessions, a test key `test` ones.")
    match_type: MatchType = Field(
        "matchmaking", description="The opponent: someone in the queue, a bot, a friend, or an agent."
    )
    players: Annotated[list[Player], Field(max_length=2)] | None = Field(
        None,
        description="One or two. Only a `private` session is for both: any other is for the first, and the second"
        " needs a session of their own. Ignored in training, where players are anonymous.",
    )
    bot_difficulty: Level | None = Field(
        None,
        description="`easy`, `medium`, `hard`, another level or one of the operator's bots; with `bot`, or for a"
        " queued player. If left out, the client may choose when it joins; `medium` by default.",
    )
    afk_timeout_enabled: bool | None = Field(
        None,
        description="Whether a player who doesn't move in time loses. If left out they do, unless the client turns it"
        " off when it joins.",
    )
    auto_pass: bool = Field(
        True,
        description="Whether the server passes for a player who has no legal play; if false, the client sends an empty"
        " move.",
    )
    theme: Theme | None = Field(
        None,
        description=f"Colours and the like: returned, put into the token, not read. At most {MOST_THEME} bytes"
        f" and {DEEPEST} levels.",
    )
    time_control: ChosenTimeControl | None = Field(
        None,
        description="How long the players may think; queued players meet those who chose the same. With one,"
        " `afkTimeoutEnabled` means nothing. `none` is for `bot` and `private` sessions.",
    )
    player_count: int = Field(1, ge=1, le=2, description="In training only: 2 creates a private room for two.")

    @model_validator(mode="after")
    def _is_sensible(self) -> Self:
        if self.time_control == NO_LIMIT and self.match_type not in ("bot", "private") and self.player_count == 1:
            raise invalid("timeControl: only games with friends and bots can be without a limit")
        if self.mode == "training":
            if self.player_count == 2 and self.match_type == "bot":
                raise invalid("playerCount: a bot has one opponent")
            return self
        if not self.players:
            raise invalid(NEEDED)
        if len({player.id for player in self.players}) < len(self.players):
            raise invalid("players: each has an id of their own")
        for player in self.players:
            player.refuse_pseudonym()
        return self


class JoinRoom(Request):
    model_config = ConfigDict(json_schema_extra=example(examples.JOIN_ROOM))

    room_code: RoomCode = Field(description="The code that the room's creator got.")
    game: GameName
    player: Player | None = Field(None, description="Required unless it is a training room.")

    @model_validator(mode="after")
    def _is_new(self) -> Self:
        if self.player:
            self.player.refuse_pseudonym()
        return self


class RotateKey(Request):
    model_config = ConfigDict(json_schema_extra=example(examples.ROTATE_KEY))

    kind: KeyKind
    keep: bool = Field(False, description="Whether the old keys stay valid.")


class Response(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, validate_by_name=True, validate_by_alias=True)


class TournamentPlayer(Response):
    id: str = Field(description="The tenant's own user id, or a bot's.")
    name: str
    kind: Literal["person", "bot"]


class ListedTournament(Response):
    id: str
    name: str
    game: GameName
    options: dict[str, Any] | None = Field(
        None, exclude_if=lambda value: value is None, description="The game's options; left out if there are none."
    )
    system: TournamentSystem
    time_control: ShownTimeControl
    rated: bool
    entrants: int
    max_entrants: int
    starts_when_full: bool
    starts_at: str | None
    state: TournamentState
    round: int = Field(description="The last one that was paired.")
    minutes: int | None = Field(description="An arena's duration.")
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    started_at: str | None
    ends_at: str | None = Field(description="When an arena that has started ends.")
    ended_at: str | None
    winner: TournamentPlayer | None = Field(description="Null until it is over, or if nobody has scored.")


class TournamentList(Response):
    tournaments: list[ListedTournament] = Field(description="Newest first.")
    before: str | None = Field(description="For the next page; null on the last one.")


class TournamentPlace(Response):
    rank: int
    number: int = Field(description="By which pairings refer to the player.")
    player: TournamentPlayer
    rating: int
    is_in: bool = Field(description="False once they have left.")
    score: float = Field(description="Points, in an arena.")
    games: int
    wins: int
    draws: int
    losses: int


class TournamentPairing(Response):
    round: int
    board: int
    first: int = Field(description="The number of the player with the first move.")
    second: int | None = Field(description="Null for a bye.")
    state: Literal["waiting", "live", "over"]
    outcome: Literal["played", "forfeit", "double_forfeit", "bye", "halved", "void"] | None
    score: float | None = Field(description="The first player's; null if nobody scores.")
    games: list[str] = Field(description="The `roomId` of each game, the latest last.")


class Tournament(ListedTournament):
    version: int = Field(description="Grows with every change.")
    rounds: int | None = Field(description="In all, also in a round robin; null for an arena.")
    standings: list[TournamentPlace] = Field(description="Best first.")
    pairings: list[TournamentPairing] = Field(description="In an arena, the latest 200.")


class TournamentGame(Response):
    session_id: str = Field(json_schema_extra={"format": "uuid"})
    session_token: str = Field(description="A JSON Web Token for the player's client.")
    room_id: str


class Error(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.ERROR))

    error: str = Field(description="The problem, in words for people.")
    code: str = Field(description="For programs; never changes.")


def _left_out(description: str) -> Any:
    """A field that is left out if there is nothing to say."""
    return Field(None, exclude_if=lambda value: value is None, description=description)


def _time_control() -> Any:
    """A field that only those see who use time controls."""
    return _left_out("Left out if there is none.")


def _to_data(value: object) -> object:
    return value.to_data() if isinstance(value, TimeControl) else value


TimeControlOfSession = Annotated[ShownTimeControl, BeforeValidator(_to_data)]


class CreatedSession(ShownOptions, Response):
    model_config = ConfigDict(json_schema_extra=example(examples.CREATED_SESSION))

    session_id: str = Field(json_schema_extra={"format": "uuid"})
    session_token: str = Field(description="A JSON Web Token for the player's client.")
    expires_in: int = Field(description="Seconds within which the token must be used.")
    expires_at: str = Field(json_schema_extra={"format": "date-time"})
    game: GameName
    mode: Mode
    match_type: MatchType
    room_code: str | None = Field(description="For a friend; null unless the room is private.")
    players: list[Player] = Field(description="The token's own player first.")
    theme: dict[str, Any] | None
    webhooks_enabled: bool
    time_control: TimeControlOfSession | None = _time_control()


class Result(Response):
    winner: str | None = Field(description="The id of a player, or null for a draw or a cancelled game.")
    reason: Reason
    duration: int = Field(description="Seconds.")
    move_count: int


def _result_model(game: str) -> type[Result]:
    """With the record in the game's own format and, where wins have names, what the win was worth."""
    about, fields = ABOUT[game], dict[str, Any]()
    if about.wins:
        fields["points"] = int, Field(description="What the win is worth; 0 for a draw.")
        fields["result"] = Literal[about.wins] | None, Field(description="What the win is called; null for a draw.")
    if "cube" in GAMES[game].options:
        fields["stake"] = int | None, _left_out("With a cube: its value, which is part of `points`.")
        fields["match"] = dict[str, Any] | None, _left_out("In a match: its `length` and the `score`.")
    fields[record_format(game)] = str, Field(description="The record of the game.")
    return create_model(f"{game.title()}Result", __base__=Result, **fields)


RESULTS: Final = {game: _result_model(game) for game in GAMES}

if TYPE_CHECKING:
    AnyResult = Result
else:
    AnyResult = Union[tuple(RESULTS.values())]  # noqa: UP007  # `|` cannot join a tuple of types


class SessionStatus(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.SESSION_STATUS))

    status: Status
    result: AnyResult | None = Field(description="Null until the game has ended, and for a session without a game.")


class Session(ShownOptions, SessionStatus):
    model_config = ConfigDict(json_schema_extra=example(examples.SESSION))

    id: str = Field(json_schema_extra={"format": "uuid"})
    game: GameName
    mode: Mode
    match_type: MatchType
    players: list[Player]
    time_control: TimeControlOfSession | None = _time_control()


class RoomPlayer(Response):
    id: str
    username: str


class OpenRoom(Response):
    room_id: str = Field(description="The id to send with `game:spectate`.")
    players: list[RoomPlayer]
    move_count: int


class OpenRooms(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.OPEN_ROOMS))

    rooms: list[OpenRoom] = Field(description="Newest first, a hundred at most.")


class ProofOutcome(BaseModel):
    winner: str | None = Field(description="The colour, as named by the rules.")
    reason: str
    points: int
    stake: int | None = Field(
        None,
        exclude_if=lambda value: value is None,
        description="The value of the doubling cube, if it was turned; part of `points`.",
    )


class Proof(BaseModel):
    """The input of `ludus verify`."""

    model_config = ConfigDict(json_schema_extra=example(examples.PROOF))

    ludus: Literal["proof 1"]
    table: str
    game: GameName
    variant: str
    seed: str | None = Field(description="In hex; null for a game without dice.")
    commitment: str | None = Field(description="Published before the first roll.")
    moves: list[str] = Field(description="Rolls included.")
    outcome: ProofOutcome


class ApiKey(Response):
    kind: KeyKind
    hint: str = Field(description="Its first characters; the rest isn't stored.")
    origins: list[str]
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    revoked_at: str | None
    is_this: bool = Field(description="Whether this is the key of the request.")


class Usage(Response):
    pending: int
    active: int
    ended: int
    last_day: int = Field(description="Sessions created in the last 24 hours.")
    is_cut: bool = Field(description="Whether there are older ones that weren't counted.")


class Tenant(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.TENANT))

    id: str
    name: str
    kind: KeyKind = Field(description="The kind of the request's key; usage covers its modes.")
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    webhook_url: str | None
    keys: list[ApiKey]
    usage: Usage


class SessionSummary(ShownOptions, Response):
    id: str = Field(json_schema_extra={"format": "uuid"})
    game: GameName
    mode: Mode
    match_type: MatchType
    status: Status
    players: list[Player]
    room_code: str | None
    room_id: str | None = Field(description="The room, once the game has started.")
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    winner: str | None
    reason: Reason | None
    time_control: TimeControlOfSession | None = _time_control()


class SessionList(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.SESSIONS))

    sessions: list[SessionSummary] = Field(description="Newest first.")


class Delivery(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.DELIVERY))

    id: str
    session_id: str
    event: str
    url: str
    state: Literal["waiting", "delivered", "dead"]
    attempts: int
    due_at: str | None
    created_at: str = Field(json_schema_extra={"format": "date-time"})
    problem: str = Field(description="Why the last attempt failed.")
    body: str = Field(description="The exact text that is sent.")


class DeliveryList(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.DELIVERIES))

    deliveries: list[Delivery] = Field(description="Newest first.")


class NewKey(Response):
    model_config = ConfigDict(json_schema_extra=example(examples.NEW_KEY))

    kind: KeyKind
    key: str = Field(description="Shown only once.")
