"""Every event of a namespace with the JSON Schema of its payload: the source of AsyncAPI and of generated types.

Handlers write plain JSON; tests check all they send and receive against these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema

from ludus.core.rules import Player as Seat
from ludus.games import ABOUT, GAMES
from ludus.server.rooms import requests
from ludus.server.rooms.placeholders import (
    FEATURE,
    FIELDS,
    OPTIONAL,
    OPTIONAL_FIELDS,
    PLACEHOLDER,
    Color,
    Game,
    LegalMove,
    Move,
    Place,
    fields_of_game,
    only_with,
    optional_fields_of_game,
    optional_with,
)
from ludus.wire import codec

Json = dict[str, Any]
Reason = Literal["victory", "resignation", "afk_timeout", "draw", "disconnect", "cancelled"]

REF: Final = "#/components/schemas/"


class Message(BaseModel):
    """What the server sends. More fields may come."""


class Player(Message):
    id: str
    username: str
    displayName: str = Field(description="The same as `username`.")
    color: Color
    isBot: bool


class MoveRecord(Message):
    """The fields of a move in the history, besides `move` and `playerId`."""

    model_config = ConfigDict(json_schema_extra=optional_fields_of_game("move_options"))

    timestamp: int = Field(description="In milliseconds since 1970.")
    dice: list[int] = only_with("dice", "The dice that the move was made with; none before a roll.")
    notation: str = only_with("dice", "The move in the mover's own point numbers.")


class HistoryEntry(MoveRecord):
    """A move of the game so far."""

    move: Move
    playerId: str


class TimeControl(Message):
    """How long the players may think."""

    type: Literal["move", "game", "fischer", "bronstein", "correspondence", "none"]
    seconds: int = Field(0, description="For each move or, except in `move`, for the game.")
    increment: int = Field(0, description="Seconds that each move adds, in `fischer`.")
    delay: int = Field(0, description="Seconds before the clock starts in each move, in `bronstein`.")
    days: int = Field(0, description="For each move, in `correspondence`.")


class GameClock(Message):
    """The time that the players had left when the message was sent, so clocks needn't be synchronized."""

    remainingMs: list[int] = Field(min_length=2, max_length=2, description="By player, in the order of `players`.")
    running: Literal[0, 1] | None = Field(description="Whose clock is running; null when the game is over.")
    delayMs: int = Field(0, ge=0, description="With a Bronstein delay only: how long until the clock starts to run.")


def optional(description: str) -> Any:
    """A field that may be missing, but is never null."""
    return Field(None, description=description)


CLOCK: Final = "The players' clocks, if they have any."


class Turn(Message):
    currentTurn: Literal[0, 1] = Field(description="Whose turn it is, as an index into `players`.")
    currentPlayerId: str
    currentColor: Color


class TableMessage(Message):
    """Part of a table's order of messages; together `version` and `part` identify it."""

    roomId: str
    version: int = Field(description="The event that this message is about; 1 is the start of the game.")
    part: int = Field(description="Numbers the messages of one event from 0.")


class GameOptions(Message):
    """The options chosen for this game; missing ones are off."""

    matchLength: int = optional("The points that win the match; without it, a single game is played.")
    cube: bool = optional("Whether there is a doubling cube.")
    jacoby: bool = optional("Whether gammons count only after a double.")
    beavers: bool = optional("Whether a player who is doubled may double again and keep the cube.")


class ResignOffer(Message):
    """What a player offers to concede."""

    playerId: str
    points: int = Field(ge=1, le=3, description="1 for a single game, 2 for a gammon, 3 for a backgammon.")


class State(Turn):
    model_config = ConfigDict(json_schema_extra=fields_of_game("board") | optional_fields_of_game("board_options"))

    roomId: str
    game: Game
    players: list[Player] = Field(min_length=2, max_length=2, description="The first mover or white first.")
    moveHistory: list[HistoryEntry]
    version: int = Field(description="The last event that the state includes.")
    diceCommitment: str | None = Field(description="The hash of the seed of the dice; null without dice.")
    timeControl: TimeControl = optional("The time control, if there is one.")
    clock: GameClock = optional(CLOCK)
    series: Series | None = Field(None, description="In rematches only: the results of the games before this one.")
    options: GameOptions = optional_with("cube", "The options chosen for this game, if any.")
    resignOffer: ResignOffer = optional_with("resignation offers", "The open offer to resign, if there is one.")


class Series(Message):
    """The results of games that followed each other as rematches."""

    wins: list[int] = Field(min_length=2, max_length=2, description="By the player's place in `players`.")
    draws: int


class SpectatedState(State):
    """The whole state, for spectators."""


class OwnState(State):
    """The whole state, for one of the players."""

    practice: bool = Field(description="Whether you can take moves back and ask for hints and advice.")
    playerId: str = Field(description="Your id.")
    color: Color = Field(description="Your color.")
    sessionId: str | None = Field(description="Your session's; null for guests.")
    theme: dict[str, Any] | None = Field(description="Your session's; null for guests.")
    afkTimeoutEnabled: bool
    afkTimeoutSeconds: float | None = Field(description="Null without a limit.")
    afkWarnSeconds: float | None = Field(description="Null without a limit.")
    reconnectSeconds: float | None = Field(
        description="How long you may be disconnected before you lose; null without a limit."
    )
    abandonSeconds: float | None = Field(
        description="After this long without a move the game is cancelled, and nobody loses; null if it never is."
    )
    isPrivate: bool = Field(description="Whether you met through a room code; public lists leave such games out.")
    reconnectToken: str = Field(
        "", description="For guests, and for everyone in a rematch: the token to reconnect with."
    )


class Waiting(Message):
    playerId: str
    position: int = Field(description="The place in the queue; 1 is next.")


class Left(Message):
    """You are no longer in the queue."""


class AlreadyStarted(Message):
    roomId: str


class ValidMoves(Message):
    roomId: str
    position: Place | None = Field(description="The one in the request.")
    moves: list[LegalMove] = Field(description="Empty when it isn't your turn.")
    version: int


class Moved(TableMessage, Turn):
    """A move, without the position that it leads to."""

    move: Move
    playerId: str
    clock: GameClock = optional(CLOCK)
    passed: bool = only_with("pass", "Whether the turn was passed because there was no legal play.")


class MoveMade(Moved):
    model_config = ConfigDict(
        json_schema_extra=fields_of_game("board", "move_fields")
        | optional_fields_of_game("board_options", "move_options")
    )

    moveHistory: list[HistoryEntry] = Field(description="All moves so far, including this one.")


class CompactMove(Moved):
    """`game:move:made` on a connection with `compact`. Each field of the board is sent in full or in `changes`."""

    model_config = ConfigDict(
        json_schema_extra=fields_of_game("move_fields")
        | optional_fields_of_game("board", "board_options", "move_options")
    )

    moveNumber: int = Field(description="How many moves the history has, including this one.", ge=1)
    record: MoveRecord
    changes: dict[str, dict[str, Any]] = Field(
        description="The changed entries of the board's arrays, by the array's name and their index."
    )


class TakenBack(TableMessage, Turn):
    """Shows the whole position and the history that is left."""

    model_config = ConfigDict(json_schema_extra=fields_of_game("board") | optional_fields_of_game("board_options"))

    playerId: str
    movesTakenBack: int = Field(description="How many moves were removed from the history.", ge=1)
    clock: GameClock = optional(CLOCK)
    moveHistory: list[HistoryEntry]


class BestMove(Message):
    move: Move
    notation: str


class Advice(Message):
    roomId: str
    version: int = Field(description="The version of the position that the move is for.")
    move: Move = Field(description="The move you asked about.")
    notation: str
    best: BestMove | None = Field(description="Null if there is no answer right now.")
    loss: float | None = Field(description="What the move gives away compared with the best one, in points.")
    mark: Literal["doubtful", "mistake", "blunder"] | None = Field(description="Null for a good move.")


class Hint(Message):
    roomId: str
    version: int = Field(description="The version of the position that the hint is for.")
    move: Move | None = Field(description="Null if there is no answer right now.")
    notation: str


class PhraseSaid(Message):
    roomId: str
    playerId: str
    phrase: requests.Phrase


class DiceRolled(TableMessage, Turn):
    playerId: str
    dice: list[int] = Field(description="The higher first, a double as four numbers.")
    clock: GameClock = optional(CLOCK)


class RevealedDice(Message):
    commitment: str
    seed: str


class GameOver(TableMessage):
    model_config = ConfigDict(json_schema_extra=optional_fields_of_game("result_options"))

    winner: str | None = Field(description="A player's id; null for a draw or a cancelled game.")
    reason: Reason
    points: int = only_with("named wins", "What the win is worth; 0 for a draw. In a match, the last game's.")
    result: str | None = only_with("named wins", "The name of such a win; null for a draw.")
    series: Series | None = Field(None, description="In rematches only: the results, including this game's.")
    dice: RevealedDice = only_with("dice", "The seed of the dice, with which anyone can check them.")
    clock: GameClock = optional(CLOCK)


class PlayerEvent(TableMessage):
    """An action by one of the players."""

    playerId: str


class ResignOffered(PlayerEvent):
    points: int = Field(ge=1, le=3, description="1 for a single game, 2 for a gammon, 3 for a backgammon.")


class RematchAgreed(PlayerEvent):
    nextRoomId: str


class AfkWarning(PlayerEvent):
    secondsRemaining: int


class AfkWarningCleared(TableMessage):
    """The player who was warned has moved."""


class AfkStatus(Message):
    playerId: str
    expiresAt: int = Field(description="When the player to move loses, in milliseconds since 1970.")
    secondsRemaining: float = Field(description="The time until then.", ge=0)
    isFirstMove: Literal[True] = optional("In a tournament's game: this is the limit for the player's first move.")
    clock: GameClock = optional(CLOCK)


class Presence(Message):
    """After the end it isn't an event of the table and has neither `version` nor `part`."""

    playerId: str
    roomId: str
    version: int = 0
    part: int = 0


class PlayerDisconnected(Presence):
    secondsRemaining: int | None = Field(description="How long the player has to return; null without a limit.")
    socketId: str


class PlayerReconnected(Presence):
    pass


class Problem(Message):
    code: str = Field(description="For programs; never changes.")
    message: str = Field(description="For people.")
    retryAfter: int | None = Field(None, description="Seconds to wait, with `too_many_games` and `too_fast`.")


class GameError(Problem):
    event: str = Field(description="The name of the refused event.")


class ServerStopping(Message):
    message: str


class Accepted(Message):
    ok: Literal[True]


class Refused(Message):
    ok: Literal[False]
    error: Problem


class Queued(Accepted):
    playerId: str
    position: int


class Seated(Accepted):
    roomId: str
    version: int = Field(0, description="Sent if the game had already started.")


class QueueLeft(Accepted):
    roomId: str = Field("", description="Sent if it was too late because a game has started.")


class Refusal(Message):
    reason: str = Field(description="For programs; the documentation lists each game's.")
    places: list[Any] = Field(
        description="The pieces that can move or, for `unreachable`, the places that this piece can reach."
    )


class MovesListed(Accepted):
    moves: list[LegalMove]
    refusal: Refusal | None = Field(None, description="With `explain`; null if the move is legal.")


class BoardsListed(Accepted):
    boards: list[Any] = Field(description="The starting position, then the board after each move; compact.")


class Stored(Accepted):
    version: int = Field(description="The version after the event, which has been stored.")


class Resumed(Accepted):
    roomId: str
    version: int


class AfkChecked(Accepted):
    status: AfkStatus | None


class ClientEvent(NamedTuple):
    name: str
    payload: type[requests.Request]
    acks: tuple[type[Accepted], ...]
    """Of an accepted event; a refused one gets `Refused`."""
    summary: str
    feature: str = ""
    """What a game must have for the event to make sense."""


class ServerEvent(NamedTuple):
    name: str
    """`{game}` stands for the game's."""
    payload: type[Message]
    summary: str
    feature: str = ""
    """What a game must have for the event to occur."""
    is_nullable: bool = False
    compact: type[Message] | None = None
    """What connections with `compact` get instead."""


CLIENT_EVENTS: Final = (
    ClientEvent("matchmaking:join", requests.Join, (Queued, Seated), "Request a game, or return to yours"),
    ClientEvent("matchmaking:leave", requests.Leave, (QueueLeft,), "Leave the queue"),
    ClientEvent("game:get_moves", requests.GetMoves, (MovesListed,), "List the legal moves"),
    ClientEvent("game:move", requests.MakeMove, (Stored,), "Make a move"),
    ClientEvent("game:resign", requests.InRoom, (Stored,), "Resign"),
    ClientEvent(
        "game:resign:offer",
        requests.OfferResignation,
        (Stored,),
        "Offer to concede the current game",
        "resignation offers",
    ),
    ClientEvent(
        "game:resign:accept",
        requests.InRoom,
        (Stored,),
        "Accept the other player's resignation",
        "resignation offers",
    ),
    ClientEvent(
        "game:resign:decline",
        requests.InRoom,
        (Stored,),
        "Decline the other player's resignation",
        "resignation offers",
    ),
    ClientEvent("game:roll", requests.InRoom, (Stored,), "Roll without doubling", "cube"),
    ClientEvent("game:double:offer", requests.InRoom, (Stored,), "Double", "cube"),
    ClientEvent("game:double:take", requests.InRoom, (Stored,), "Take a double or a beaver", "cube"),
    ClientEvent("game:double:drop", requests.InRoom, (Stored,), "Drop a double or a beaver", "cube"),
    ClientEvent("game:double:beaver", requests.InRoom, (Stored,), "Double again and keep the cube", "cube"),
    ClientEvent("game:draw:offer", requests.InRoom, (Stored,), "Offer a draw"),
    ClientEvent("game:draw:accept", requests.InRoom, (Stored,), "Accept the other player's draw offer"),
    ClientEvent("game:draw:decline", requests.InRoom, (Stored,), "Decline the other player's draw offer"),
    ClientEvent("game:takeback", requests.InRoom, (Stored,), "Take back your last move in a practice game"),
    ClientEvent("game:hint", requests.InRoom, (Accepted,), "Ask for a move in a practice game"),
    ClientEvent("game:tutor", requests.MakeMove, (Accepted,), "Ask whether a move would be a mistake, in practice"),
    ClientEvent("game:boards", requests.InRoom, (BoardsListed,), "Get the board after every move so far"),
    ClientEvent("game:phrase", requests.Say, (Accepted,), "Say one of the set phrases to the other player"),
    ClientEvent("game:rematch", requests.InRoom, (Stored,), "Ask for another game after this one"),
    ClientEvent("game:reconnect", requests.Reconnect, (Resumed,), "Resume your game on a new connection"),
    ClientEvent("game:spectate", requests.Spectate, (Resumed,), "Watch a room"),
    ClientEvent("afk:check", requests.AfkCheck, (AfkChecked,), "Ask how much time the player to move has"),
)
SERVER_EVENTS: Final = (
    ServerEvent("matchmaking:waiting", Waiting, "You are in the queue"),
    ServerEvent("matchmaking:left", Left, "You are no longer in the queue"),
    ServerEvent("matchmaking:already_started", AlreadyStarted, "It was too late to leave the queue"),
    ServerEvent("game:started", OwnState, "A game starts; each player gets their own copy"),
    ServerEvent("game:valid_moves", ValidMoves, "The reply to game:get_moves"),
    ServerEvent("game:move:made", MoveMade, "A move was made", compact=CompactMove),
    ServerEvent("game:dice", DiceRolled, "The dice were rolled for the player to move", "dice"),
    ServerEvent("game:takeback:made", TakenBack, "A player has taken moves back"),
    ServerEvent("game:hint:found", Hint, "The reply to game:hint, when an engine has answered"),
    ServerEvent("game:tutor:found", Advice, "The reply to game:tutor, when an engine has answered"),
    ServerEvent("game:phrase:said", PhraseSaid, "A player says something; it isn't stored"),
    ServerEvent("game:over", GameOver, "The game has ended"),
    ServerEvent("game:resign:offered", ResignOffered, "A player offers to concede the game", "resignation offers"),
    ServerEvent("game:resign:declined", PlayerEvent, "A player has declined a resignation", "resignation offers"),
    ServerEvent("game:draw:offered", PlayerEvent, "A player offers a draw"),
    ServerEvent("game:draw:declined", PlayerEvent, "A player has declined a draw"),
    ServerEvent("game:rematch:offered", PlayerEvent, "A player wants a rematch"),
    ServerEvent("game:rematch:agreed", RematchAgreed, "Both players want a rematch"),
    ServerEvent("{game}:afk_warning", AfkWarning, "The player to move has been idle and will lose soon"),
    ServerEvent("{game}:afk_warning_cleared", AfkWarningCleared, "The player who was warned has moved"),
    ServerEvent(
        "afk:status",
        AfkStatus,
        "The reply to afk:check, or a deadline that has moved; null without a limit",
        is_nullable=True,
    ),
    ServerEvent("player:disconnected", PlayerDisconnected, "A player's last connection was lost"),
    ServerEvent("player:reconnected", PlayerReconnected, "The player is back"),
    ServerEvent("game:reconnected", OwnState, "The whole state, after a reconnection"),
    ServerEvent("game:spectate:joined", SpectatedState, "The whole state for a spectator"),
    ServerEvent("game:error", GameError, "An event was refused"),
    ServerEvent("server:stopping", ServerStopping, "The server is about to stop"),
)


class EventSchema(NamedTuple):
    name: str
    summary: str
    payload: Json
    ack: Json | None = None
    """Of an event from a client."""
    compact: Json | None = None
    """Of an event from the server that looks different on connections with `compact`."""


class NamespaceSchemas(NamedTuple):
    """The events of one game's namespace; their schemas refer to `definitions` as AsyncAPI does."""

    game: str
    from_clients: tuple[EventSchema, ...]
    from_server: tuple[EventSchema, ...]
    definitions: Mapping[str, Json]
    """Those that differ by game have its name in front."""


@cache
def namespace_schemas(game: str) -> NamespaceSchemas:
    """Cached; do not mutate."""
    writer = _SchemaWriter(game)
    from_clients = (
        EventSchema(event.name, event.summary, writer.ref(event.payload), writer.any_of(*event.acks, Refused))
        for event in CLIENT_EVENTS
        if not event.feature or event.feature in writer.features
    )
    from_server = (
        EventSchema(
            event.name.format(game=game),
            event.summary,
            writer.ref(event.payload, event.is_nullable),
            compact=None if event.compact is None else writer.ref(event.compact),
        )
        for event in SERVER_EVENTS
        if not event.feature or event.feature in writer.features
    )
    return NamespaceSchemas(game, tuple(from_clients), tuple(from_server), writer.definitions)


def type_name(game: str) -> str:
    """What the names of a game's own types start with."""
    return "".join(word.capitalize() for word in re.split("[-_]", game))


class _Generator(GenerateJsonSchema):
    def field_title_should_be_set(self, schema: Any) -> bool:
        """A title names a type; fields have descriptions."""
        return False


@cache
def _templates() -> dict[str, Json]:
    """The schemas of all models by name, with placeholders."""
    found = [event.payload for event in (*CLIENT_EVENTS, *SERVER_EVENTS)]
    compact = [event.compact for event in SERVER_EVENTS if event.compact is not None]
    acks = [ack for event in CLIENT_EVENTS for ack in event.acks]
    models: dict[type[BaseModel], None] = dict.fromkeys([*found, *compact, *acks, Refused])
    inputs: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in models]
    _, schemas = models_json_schema(inputs, ref_template=REF + "{model}", schema_generator=_Generator)
    return dict(schemas["$defs"])


@cache
def _differing() -> frozenset[str]:
    """The models that differ by game: those with a placeholder, and those that refer to one of them."""
    marks = [f'"{mark}"' for mark in (PLACEHOLDER, FIELDS, OPTIONAL_FIELDS, FEATURE)]
    texts = {name: json.dumps(schema) for name, schema in _templates().items()}
    found = {name for name, text in texts.items() if any(mark in text for mark in marks)}
    while more := {
        name for name, text in texts.items() if name not in found and any(f'"{REF}{each}"' in text for each in found)
    }:
        found |= more
    return frozenset(found)


class _SchemaWriter:
    """Fills the placeholders for one game."""

    def __init__(self, game: str) -> None:
        rules, rooms = GAMES[game], codec(game).rooms
        self._prefix = type_name(game)
        self._parts: Json = {
            **rooms.schemas._asdict(),
            "target": rooms.schemas.target or rooms.schemas.place,
            "game": {"const": game},
            "color": {"type": "string", "enum": list(rooms.colors)},
        }
        has = {
            "dice": rules.chances(rules.variants["standard"]),
            "pass": rules.pass_move is not None,
            "named wins": ABOUT[game].wins,
            "cube": "cube" in rules.options,
            "resignation offers": rules.resignation(Seat.FIRST, 1) is not None,
        }
        self.features = {feature for feature, is_there in has.items() if is_there}
        self.definitions: dict[str, Json] = {}

    def ref(self, model: type[BaseModel], is_nullable: bool = False) -> Json:
        ref = self._define(model.__name__)
        return {"anyOf": [ref, {"type": "null"}]} if is_nullable else ref

    def any_of(self, *models: type[BaseModel]) -> Json:
        return {"anyOf": [self.ref(model) for model in models]}

    def _define(self, model: str) -> Json:
        name = self._prefix + model if model in _differing() else model
        if name not in self.definitions:
            self.definitions[name] = {}  # of a model that refers to itself
            self.definitions[name] = self._fill({**_templates()[model], "title": name})
        return {"$ref": REF + name}

    def _fill(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self._fill(each) for each in schema]
        if not isinstance(schema, dict):
            return schema
        if PLACEHOLDER in schema:
            rest = {key: value for key, value in schema.items() if key != PLACEHOLDER}
            return {**self._lift(self._parts[schema[PLACEHOLDER]]), **rest}
        if "$ref" in schema:
            return {**schema, **self._define(schema["$ref"].removeprefix(REF))}
        if "properties" in schema:
            schema = self._fill_object(schema)
        return {key: self._fill(value) for key, value in schema.items()}

    def _fill_object(self, schema: Json) -> Json:
        """With the game's own fields, and without those of features that it lacks."""
        required, properties = list(schema.get("required", ())), dict[str, Json]()
        for name, field in schema["properties"].items():
            plain = {key: value for key, value in field.items() if key not in (FEATURE, OPTIONAL, "default")}
            if field.get("default") is False:
                plain["default"] = False
            if field.get(FEATURE, "") in ("", *self.features):
                properties[name] = plain
                required += [name] if FEATURE in field and OPTIONAL not in field else []
        for part in schema.get(FIELDS, ()):
            properties |= {name: self._lift(field) for name, field in self._parts[part].items()}
            required += self._parts[part]
        for part in schema.get(OPTIONAL_FIELDS, ()):
            properties |= {name: self._lift(field) for name, field in self._parts[part].items()}
        rest = {key: value for key, value in schema.items() if key not in (FIELDS, OPTIONAL_FIELDS)}
        return {**rest, "properties": properties, **({"required": required} if required else {})}

    def _lift(self, schema: Any) -> Any:
        """Moves the parts of a game's schema that have a title to the definitions."""
        if isinstance(schema, list):
            return [self._lift(each) for each in schema]
        if not isinstance(schema, Mapping):
            return schema
        found = {key: self._lift(value) for key, value in schema.items()}
        if not isinstance(title := schema.get("title"), str):
            return found
        name = self._prefix + title
        assert self.definitions.setdefault(name, {**found, "title": name}) == {**found, "title": name}, name
        return {"$ref": REF + name}
