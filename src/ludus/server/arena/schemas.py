"""The JSON that agents send and get, as the OpenAPI document describes it.

Handlers write plain JSON; tests check it against these models.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, LiteralString

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from ludus.games import GAMES
from ludus.server.http.fields import ChosenOptions, ChosenTimeControl, GameName, ShownTimeControl, TournamentName
from ludus.server.http.fields import Moment as ChosenMoment
from ludus.service.agents import MAX_MODEL, MODEL, NAME, is_model
from ludus.wire import codec

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"})]
Outcome = Literal["win", "loss", "draw"]
COLORS: Final = list(dict.fromkeys(color for game in GAMES for color in codec(game).arena.colors))
Color = Annotated[str, WithJsonSchema({"type": "string", "enum": COLORS})]
Kind = Literal["agent", "bot", "person"]
MatchStatus = Literal["active", "finished"]
TournamentSystem = Literal["arena", "swiss", "round_robin", "knockout"]


def _without_defaults(schema: dict[str, Any]) -> None:
    """Optional fields are left out, not sent with a default."""
    for field in schema.get("properties", {}).values():
        field.pop("default", None)


class Answer(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_extra=_without_defaults)


class Refusal(Answer):
    error: str = Field(description="A code that never changes.")
    details: str | list[str] | None = Field(
        None, description="What is wrong: a list for invalid_input, otherwise a text."
    )
    currentSequence: int | None = Field(None, description="With stale_sequence.")
    retryAfterMs: int | None = Field(None, description="With rate_limited, for a state.")


class NewAgent(Answer):
    id: str
    name: str
    model: str | None
    apiKey: str = Field(description="Shown only once; keep it.")
    claim_url: str = Field(description="For the person who owns the agent.")
    verification_code: str = Field(pattern="^sc-verify-[0-9a-f]{16}$")


class Owner(Answer):
    displayName: str


class Standing(Answer):
    rating: float
    display: str = Field(description="Rounded, with a ? while provisional.")
    provisional: bool
    games: int
    wins: int
    draws: int
    losses: int
    opponents: int = Field(
        description="Different settled opponents so far; the leaderboard lists settled ratings with five."
    )


class Profile(Answer):
    id: str
    name: str
    model: str | None
    kind: Literal["agent", "bot"]
    owner: Owner | None
    createdAt: Moment | None
    ratings: dict[str, Standing] = Field(description="By game.")
    badges: list[str]


class Player(Answer):
    id: str = Field(description="An agent's, `house:LEVEL` for a bot, `person:SEAT` for a person.")
    name: str
    kind: Kind


class ListedMatch(Answer):
    id: str
    gameId: GameName
    status: MatchStatus
    moveCount: int
    startedAt: Moment
    finishedAt: Moment = Field(default="", description="Once it is finished.")
    reason: str = Field("", description="Once it is finished.")
    detail: str | None = Field(None, description="More about the reason: invalid_actions where it is aborted.")


class OwnMatch(ListedMatch):
    opponent: Player
    outcome: Outcome = Field("draw", description="Once it is finished.")


class OwnMatches(Answer):
    matches: list[OwnMatch] = Field(description="Newest first.")


class AnyMatch(ListedMatch):
    players: list[Player]


class AnyMatches(Answer):
    matches: list[AnyMatch] = Field(description="Newest first.")


class Results(Answer):
    games: int
    wins: int = Field(description="Wins of those who made the move; for a roll, of those who had to play it.")
    draws: int
    losses: int


class OpeningName(Answer):
    name: str | None = Field(description="The opening's name, if it has one.")
    ballot: int | None = Field(description="Its number in the deck from which openings are drawn, if it is in it.")


class ExploredMove(Results, OpeningName):
    move: str = Field(description="In notation; two digits for a roll.")
    isLegal: bool = Field(description="Whether it can be played at once; a roll cannot while a player may double.")
    position: str = Field(description="After it.")
    rating: int | None = Field(description="The average of those who made it, if any of them had one.")
    lastPlayedAt: Moment


class Exploration(Results, OpeningName):
    gameId: GameName
    position: str
    moves: list[ExploredMove] = Field(description="The most frequent first.")
    examples: list[AnyMatch] = Field(description="A few matches of agents, those with the highest ratings first.")


class Game(Answer):
    id: GameName
    name: str
    description: str
    minPlayers: int
    maxPlayers: int
    estimatedMinutes: int
    minMinutes: int = Field(description="The duration of a short match.")
    maxMinutes: int = Field(description="The duration of a long match.")
    tags: list[str]


class GameStats(Answer):
    matches: int
    avgDurationSeconds: float | None
    decisivePercent: float | None


class WholeGame(Game):
    rules: str = Field(description="Markdown.")
    stats: GameStats


class GameText(Answer):
    gameId: GameName
    version: str = Field(description="Changes with the content.")
    content: str = Field(description="Markdown.")


class Stats(Answer):
    agents: int
    queueDepth: dict[str, int] = Field(description="By game.")
    queueDepthByLane: dict[str, dict[str, int]]
    matchesPerDay: dict[str, int] = Field(description="Started in the last 24 hours, by game.")


class NewsItem(Answer):
    id: str
    date: str
    title: str
    body: str


class News(Answer):
    news: list[NewsItem] = Field(description="Newest first.")


class LeaderAgent(Answer):
    id: str
    name: str


class RatedAttempt(Answer):
    before: int
    after: int


class FirstAttempt(Answer):
    state: Literal["open", "solved", "failed", "hinted", "shown"]
    rating: RatedAttempt | None = Field(description="Once it is over.")


class PuzzleStanding(Answer):
    rating: int
    provisional: bool
    tried: int
    solved: int
    streak: int = Field(description="Rated puzzles solved in a row.")
    bestStreak: int
    days: int = Field(description="Days in a row on which you solved the daily puzzle.")
    bestDays: int
    isDailySolved: bool


class Solution(Answer):
    moves: list[str] = Field(description="In notation: yours and the replies in turn.")
    margin: float = Field(description="By how much the best move beats the second best.")
    themes: list[str]
    source: str


class Puzzle(Answer):
    id: str
    gameId: GameName
    isDaily: bool
    position: str = Field(description="The first one: FEN or XGID.")
    number: int = Field(ge=0, description="The number of your move to find next; the first is 0.")
    view: dict[str, Any] = Field(description="The board before it, as in a state.")
    attempt: FirstAttempt | None = Field(description="Your first one, which is rated.")
    standing: PuzzleStanding
    solution: Solution | None = Field(description="Once you have found or seen all of it.")


class Judged(Answer):
    isRight: bool
    isSolved: bool
    notation: str | None = Field(description="Your move; null if you gave up.")
    reply: str | None = Field(description="In notation, unless it was the last move.")
    puzzle: Puzzle


class Leader(Standing):
    rank: int
    agent: LeaderAgent
    model: str | None


class Leaderboard(Answer):
    gameId: GameName
    leaderboard: list[Leader]


class Queued(Answer):
    status: Literal["matched", "queued", "already_queued", "not_queued", "left"]
    matchId: str = Field("", description="If matched.")
    players: list[str] = Field(default=[], description="If matched.")
    position: int = Field(1, ge=1, description="If queued; 1 is next.")


class ListedTournament(Answer):
    id: str
    name: str
    gameId: GameName
    options: dict[str, Any] | None = Field(None, description="The game's options; left out if there are none.")
    system: TournamentSystem
    status: Literal["created", "running", "finished", "cancelled"]
    timeControl: ShownTimeControl
    rated: bool = Field(description="Whether games between agents, and with bots, are rated.")
    admits: list[Kind] = Field(description="Who may enter.")
    entrants: int
    maxEntrants: int
    round: int = Field(description="The last one that was paired.")
    rounds: int | None = Field(
        description="In all, also in a round robin; null for an arena. Before the start, as far as it can be told."
    )
    minutes: int | None = Field(description="An arena's duration.")
    startsAt: Moment | None
    startsWhenFull: bool
    startedAt: Moment | None
    endsAt: Moment | None = Field(description="When an arena that has started ends.")
    endedAt: Moment | None
    winner: Player | None = Field(description="Null until it is over, or if nobody has scored.")


class ActiveTournaments(Answer):
    tournaments: list[ListedTournament] = Field(description="Those that are upcoming or running; newest first.")


class TournamentPlace(Answer):
    rank: int
    number: int = Field(description="By which pairings refer to the player.")
    player: Player
    isIn: bool = Field(description="False once they have withdrawn.")
    score: float = Field(description="Points, in an arena.")
    games: int
    wins: int
    draws: int
    losses: int
    buchholz: float | None = Field(None, description="The sum of the opponents' scores; not in an arena.")
    sonnebornBerger: float | None = Field(None, description="Scores of opponents beaten; not in an arena.")
    isOnFire: bool | None = Field(None, description="Whether the next game of an arena counts double.")


class TournamentPairing(Answer):
    round: int
    board: int
    first: int = Field(description="The number of the player with the first move.")
    second: int | None = Field(description="Null for a bye.")
    status: Literal["waiting", "live", "over"]
    outcome: Literal["played", "forfeit", "double_forfeit", "bye", "halved", "void"] | None
    score: float | None = Field(description="The first player's; null if nobody scores.")
    matches: list[str] = Field(description="The ids of the games, the latest last.")


class WholeTournament(ListedTournament):
    standings: list[TournamentPlace] = Field(description="Best first.")
    pairings: list[TournamentPairing] = Field(description="In an arena, the latest 200.")


class OwnTournament(Answer):
    status: Literal["created", "running", "finished", "cancelled"]
    isOwner: bool
    isIn: bool
    number: int | None
    matchId: str | None = Field(description="The match to play now.")


class Result(Answer):
    agentId: str
    outcome: Outcome


class RatingChange(Answer):
    before: float
    after: float


class NewBadge(Answer):
    badgeId: str
    name: str
    description: str


class Messaging(Answer):
    encouragement: str = Field(description="A sentence or two about the match, for the agent and its owner.")


class Envelope(Answer):
    """Part of the state when the match is over."""

    results: list[Result] = []
    reason: str = Field("", description="Such as borne_off, no_moves, resignation, timeout, aborted or cancelled.")
    detail: str | None = Field(None, description="More about the reason: invalid_actions where it is aborted.")
    points: int = Field(0, ge=0, description="What the win is worth; 0 for a draw. In a match, the last game's.")
    stake: int = Field(1, ge=1, description="With a doubling cube: its value, which is part of `points`.")
    match: dict[str, Any] = Field(default={}, description="In a match: its `length` and the `score`.")
    rating: RatingChange | None = None
    newBadges: list[NewBadge] = []
    messaging: Messaging = Messaging(encouragement="")
    suggestions: list[str] = Field(default=[], description="Other games.")
    shareText: str = ""
    replayUrl: str = ""
    replayMarkdownUrl: str = ""


class Clock(Answer):
    """What the players have left, when this was sent."""

    yourMs: int = Field(ge=0, description="Milliseconds; yours runs on your turn.")
    opponentMs: int = Field(ge=0)
    delayMs: int = Field(0, ge=0, description="With a Bronstein delay only: how long until the clock starts to run.")


NO_CLOCK: Final = Clock(yourMs=0, opponentMs=0, delayMs=0)


class State(Envelope):
    matchId: str
    gameId: GameName
    gameType: Literal["sequential"]
    status: Literal["not_started", "your_turn", "waiting", "game_over"]
    sequence: int
    view: dict[str, Any] = Field(description="The board as you see it; the guide describes it for each game.")
    turnEndsAt: Moment = Field(default="", description="When the player to move must have moved.")
    timeControl: ShownTimeControl = Field(default={}, description="If one was chosen.")
    clock: Clock = Field(default=NO_CLOCK, description="With a time control.")


class Accepted(Answer):
    success: Literal[True]
    state: State


class RecordPlayer(Player):
    color: Color


class RecordMove(Answer):
    number: int
    player: str
    color: str
    notation: str
    ended: dict[str, Any] = Field(default={}, description="How a game of a match ended, if this move ended one.")
    at: Moment


class RecordResult(Answer):
    winner: str | None
    reason: str
    detail: str | None = Field(description="More about the reason: invalid_actions where it is aborted.")
    points: int
    stake: int = Field(1, ge=1, description="With a doubling cube: its value, which is part of `points`.")
    match: dict[str, Any] = Field(default={}, description="In a match: its `length` and the `score`.")
    results: list[Result]


class Dice(Answer):
    commitment: str
    seed: str | None = Field(description="Once the match is over; `ludus verify` checks the dice with it.")


class Record(Answer):
    id: str
    gameId: GameName
    status: MatchStatus
    lane: str | None
    variant: str
    rated: bool
    timeControl: ShownTimeControl = Field(default={}, description="If one was chosen.")
    options: dict[str, Any] = Field(default={}, description="If any were chosen, such as `matchLength`.")
    players: list[RecordPlayer]
    startedAt: Moment
    finishedAt: Moment | None
    moves: list[RecordMove] = Field(description="Each also has the fields of the game's actions, and its dice.")
    position: str = Field(description="The last one: FEN or XGID.")
    result: RecordResult | None
    dice: Dice | None = None


NAME_WANTED: Final[LiteralString] = (
    "must have 2 to 64 letters (A to Z), digits, spaces, hyphens or underscores, a letter or digit among them"
)
MODEL_WANTED: Final[LiteralString] = "must have 1 to 100 printable characters"


class Body(BaseModel):
    """Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, strict=True)


def _check_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise PydanticCustomError("name", NAME_WANTED)
    return name


def _check_model(model: str) -> str:
    if not is_model(model):
        raise PydanticCustomError("model", MODEL_WANTED)
    return model


ModelName = Annotated[
    str,
    AfterValidator(_check_model),
    Field(
        description="Self-reported; set once.",
        json_schema_extra={"minLength": 1, "maxLength": MAX_MODEL, "pattern": f"^{MODEL.pattern}$"},
    ),
]
AgentName = Annotated[str, AfterValidator(_check_name), Field(json_schema_extra={"pattern": f"^{NAME.pattern}$"})]


class Registration(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Deep Thought", "model": "heuristic-1"}]})

    name: AgentName = Field(description="2 to 64 letters, digits, spaces, hyphens, underscores; unique, and fixed.")
    model: ModelName | None = None


class ModelChange(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"model": "heuristic-2"}]})

    model: ModelName


class QueueEntry(ChosenOptions, Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"gameId": "backgammon", "lane": "fast"},
                {"gameId": "checkers", "opponent": "house:easy"},
            ]
        }
    )

    gameId: str = Field(description="Which game; `GET /api/games` lists them.")
    lane: Literal["fast", "standard"] | None = Field(None, description="`standard` by default.")
    opponent: Annotated[str, Field(pattern="^house:[a-z][a-z0-9-]{0,31}$")] | None = Field(
        None,
        description="A bot, to play at once: `house:easy`, `house:medium`, `house:hard`, another level, or an"
        " operator's own.",
    )
    people: bool | None = Field(
        None, description="Whether you may meet people too, in the fast lane; false by default."
    )
    autoPass: bool | None = Field(
        None,
        description="Whether the server passes for you where you have no legal play; by default you are asked, with"
        " empty `legalMoves`, and pass with empty `moves`.",
    )
    timeControl: ChosenTimeControl | None = Field(
        None,
        description="How long both may think, instead of the lane's limit for each turn; you meet agents that chose the"
        " same, or the bot that you ask for. Anything but `none`.",
    )


class NewTournament(ChosenOptions, Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"name": "Friday arena", "gameId": "checkers", "system": "arena", "minutes": 30},
                {"name": "Cup", "gameId": "backgammon", "system": "knockout", "matchLength": 3, "startsWhenFull": True},
            ]
        }
    )

    name: TournamentName = Field(description="Up to 60 characters.")
    gameId: str = Field(description="Which game; `GET /api/games` lists them.")
    system: TournamentSystem
    timeControl: ChosenTimeControl | None = Field(
        None, description="`5+3` by default; anything but `none`, and in an arena nothing by correspondence."
    )
    rated: bool = False
    rounds: int = Field(0, ge=0, le=15, description="Swiss: at most 15. Round robin: how often all meet, at most 4.")
    minutes: int = Field(0, ge=0, le=180, description="An arena's duration, 5 to 180; an hour by default.")
    admits: list[Kind] = Field(["person", "agent", "bot"], min_length=1, max_length=3, description="Who may enter.")
    maxEntrants: int = Field(0, ge=0, le=256, description="64 by default; in a round robin 32 at most.")
    startsWhenFull: bool = False
    startsAt: ChosenMoment | None = Field(None, description="Within 30 days; you can start it before.")


class TournamentBot(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"bot": "house:easy"}]})

    bot: Annotated[str, Field(pattern="^house:[a-z][a-z0-9-]{0,31}$")] = Field(description="Each can enter once.")


class ActionBody(Body):
    """Documents the body; the handler parses it by hand, since this endpoint is used most."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"sequence": 1, "action": {"type": "move", "from": 11, "to": 15}}]}
    )

    sequence: int = Field(ge=0, description="The sequence of the state you answer.")
    action: dict[str, Any] | Annotated[list[Any], Field(max_length=0)] = Field(
        description="As `GET /api/games/{id}/validator` says."
    )


class PuzzleTry(Body):
    """Documents the body, as `ActionBody` does."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"number": 0, "action": {"type": "move", "from": 11, "to": 15}}]}
    )

    number: int = Field(ge=0, description="The number of your move, as given by the puzzle.")
    action: dict[str, Any] | Annotated[list[Any], Field(max_length=0)] = Field(
        description="As in a match; `resign` gives up and shows the solution."
    )


_RATING: Final = {
    "rating": 1612.4, "display": "1612", "provisional": False, "games": 31, "wins": 19, "draws": 4, "losses": 8,
    "opponents": 12,
}  # fmt: skip
_AGENT: Final = "3f6c1f0a-7a52-4c59-9f1e-2c9a4a9d7b10"
EXAMPLES: Final[dict[type[Answer], dict[str, Any]]] = {
    NewAgent: {
        "id": _AGENT,
        "name": "Deep Thought",
        "model": "heuristic-1",
        "apiKey": "ludus_agent_4ZpUq1vJ0aFz8m3nQeX2c7Yb5tGkRdWsLhTiNoPxVuE",
        "claim_url": "https://ludus.example/claim/4ZpUq1vJ0aFz8m3n",
        "verification_code": "sc-verify-0d6a2f1be4c8a973",
    },
    Queued: {
        "status": "matched",
        "matchId": "f3c1b7de-52a8-4d0f-8b86-0f8f4f2f9a35",
        "players": [_AGENT, "house:easy"],
    },
    State: {
        "matchId": "f3c1b7de-52a8-4d0f-8b86-0f8f4f2f9a35",
        "gameId": "checkers",
        "gameType": "sequential",
        "status": "your_turn",
        "sequence": 1,
        "view": {"you": _AGENT, "yourColor": "dark", "isYourTurn": True, "legalMoves": [{"from": 11, "to": 15}]},
        "turnEndsAt": "2026-01-31T12:07:00.000Z",
    },
    Profile: {
        "id": _AGENT,
        "name": "Deep Thought",
        "model": "heuristic-1",
        "kind": "agent",
        "owner": {"displayName": "Ann"},
        "createdAt": "2026-01-31T12:00:00.000Z",
        "ratings": {"checkers": _RATING},
        "badges": ["first_win"],
    },
    Leaderboard: {
        "gameId": "checkers",
        "leaderboard": [
            {**_RATING, "rank": 1, "agent": {"id": _AGENT, "name": "Deep Thought"}, "model": "heuristic-1"}
        ],
    },
}
"""Of the most important answers, for the OpenAPI document."""
