"""The records in the store, one row each.

Times are in milliseconds: `…_at` since 1970, `due` and `clock` in uptime, which excludes the platform's downtime.
A record with a `version` is written as a compare-and-set: version 1 is new, version n replaces n - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from ludus.service.time_control import TimeControl

MAX_ID: Final = 64
"""No id is longer, so longer ones need not be looked up."""
MEMBER_MS: Final = 5_000
"""Uptime without a heartbeat after which a member counts as dead."""


class Tenant(NamedTuple):
    """An app whose back end creates sessions."""

    id: str
    name: str
    created_at: int
    webhook_url: str | None = None


class Key(NamedTuple):
    """An API key, stored as a hash."""

    hash: str
    tenant: str
    kind: str
    """`live` or `test`."""
    hint: str
    """Its first characters, which tell keys apart in a list."""
    origins: tuple[str, ...]
    created_at: int
    revoked_at: int | None = None


class Session(NamedTuple):
    """One player's ticket to one game."""

    id: str
    version: int
    tenant: str
    game: str
    mode: str
    match_type: str
    status: str
    """`pending`, `active` or `ended`."""
    players: tuple[Mapping[str, str], ...]
    """`{id, displayName}`, the session's own player first."""
    bot_level: str
    """Empty if the tenant chose none."""
    has_afk_limit: bool
    theme: Mapping[str, Any] | None
    room_code: str | None
    table: str | None
    due: int | None
    """When it expires, unless it has begun."""
    created_at: int
    result: Mapping[str, Any] | None = None
    is_afk_limit_optional: bool = False
    """Whether the player may turn the AFK limit off when joining, since the tenant chose nothing."""
    has_auto_pass: bool = True
    time_control: TimeControl | None = None
    """If there is none, the AFK limit applies."""
    opponent: str = ""
    """The key of the only player that the session's player wants to play; empty for anyone."""
    is_public: bool = False
    """Whether anyone may watch, though the players meet by a room's code."""
    variant: str = "standard"
    """With the options of the game."""


class TableRow(NamedTuple):
    """A table's summary, readable without its events."""

    id: str
    version: int
    game: str
    mode: str
    channel: str
    """`rooms` or `arena`."""
    status: str
    """`live` or `over`."""
    due: int | None
    """The next deadline."""
    players: tuple[Mapping[str, Any], ...]
    """`{key, id, name, kind}` by seat."""
    moves: int
    opened_at: int
    ended_at: int | None = None
    result: Mapping[str, Any] | None = None
    is_private: bool = False
    """Whether it is left out of public lists."""


class Event(NamedTuple):
    """A change to a table; the table is the fold of its events."""

    table: str
    version: int
    at: int
    clock: int
    kind: str
    seat: int | None
    data: Mapping[str, Any]
    command: str | None = None
    """The sender's id of the command, which makes it idempotent."""


class SeatCode(NamedTuple):
    """Hands one seat over to another device, once."""

    hash: str
    session: str
    player: str
    expires_at: int


class Entry(NamedTuple):
    """A player in the matchmaking queue."""

    id: str
    game: str
    pool: str
    """Players of one pool and game may be paired."""
    player: str
    """The player's key, unique within a pool and game."""
    rating: float
    since: int
    """Uptime."""
    due: int | None
    seat: Mapping[str, Any]
    """The player's seat and terms, as `Lobby` writes them."""


class Rating(NamedTuple):
    """Glicko-2; `games` counts up by one and is the version of the row."""

    player: str
    game: str
    rating: float
    deviation: float
    volatility: float
    games: int
    wins: int
    draws: int
    updated_at: int
    opponents: int = 0
    """How many different settled opponents it was earned against."""


class Encounter(NamedTuple):
    """How often a player has met an opponent, or anyone at the opponent's address, in rated games lately."""

    player: str
    game: str
    opponent: str
    """A player's key, or the mark of an address."""
    games: float
    """Halved every ten days."""
    is_counted: bool
    """Whether it is one of the different opponents of the player's rating."""
    updated_at: int


class AddressMark(NamedTuple):
    """An agent was at an address, of which only a keyed hash is stored."""

    player: str
    mark: str
    seen_at: int


class Agent(NamedTuple):
    """A program that plays in the arena."""

    id: str
    version: int
    name: str
    name_key: str
    """The unique form of the name, ignoring case and spacing."""
    model: str | None
    key_hash: str
    code_hash: str
    """Hash of the code with which the owner claims the agent."""
    owner: str | None
    """The display name of the person who claimed it."""
    created_at: int


class Person(NamedTuple):
    """A player of our own page, known by the browsers they use instead of by an account."""

    id: str
    version: int
    name: str
    color: str
    """Of the avatar."""
    preferences: Mapping[str, Any]
    created_at: int
    seen_at: int
    """On a device of theirs, to the day."""


class Device(NamedTuple):
    """A browser of a person, which proves itself by a secret that is stored as a hash."""

    hash: str
    id: str
    """Names it in lists."""
    person: str
    label: str
    created_at: int
    seen_at: int
    """To the day."""


class Passkey(NamedTuple):
    """A WebAuthn credential of a person."""

    id: str
    """The credential's own, in base64url."""
    person: str
    public_key: str
    """In base64url."""
    sign_count: int
    label: str
    created_at: int
    used_at: int


class OneTimeCode(NamedTuple):
    """A code for another device, or the challenge of a passkey; stored as a keyed hash."""

    id: str
    """By which it is found: the part of the code that need not be secret."""
    version: int
    """Counts the tries."""
    kind: str
    hash: str
    person: str | None
    """Whose it is; None for the challenge of a sign-in, which anyone may ask for."""
    expires_at: int


class RatingChange(NamedTuple):
    """The effect of a finished game on one player: rating and badges."""

    table: str
    player: str
    game: str
    before: float
    after: float
    badges: tuple[str, ...]
    at: int


class HistoryEntry(NamedTuple):
    """A finished game of a person of the page, to list their games by the time of the end."""

    player: str
    """The person's key."""
    ended_at: int
    table: str
    is_public: bool
    """Whether strangers see it in the person's list."""


class Score(NamedTuple):
    """A person's results in one game against one opponent, or against all of a kind."""

    player: str
    opponent: str
    """A person's key, or one of `history.KINDS`."""
    game: str
    wins: int
    draws: int
    losses: int


class Friendship(NamedTuple):
    """Friends have one each."""

    person: str
    friend: str
    made_at: int


class FriendLink(NamedTuple):
    """The code by which others become a person's friends; a new one replaces it."""

    person: str
    code: str
    made_at: int


class Block(NamedTuple):
    person: str
    blocked: str
    """A person they have blocked."""
    made_at: int


class Challenge(NamedTuple):
    """One person asks another for a game."""

    id: str
    version: int
    challenger: str
    opponent: str
    game: str
    time_control: Mapping[str, Any] | None
    is_rated: bool
    state: str
    """`waiting`, `accepted`, `declined` or `cancelled`."""
    session: str | None
    """The session of the game, once it is accepted."""
    made_at: int
    expires_at: int
    variant: str = "standard"


class Report(NamedTuple):
    """What a person reports of a player in a game."""

    id: str
    person: str
    player: str
    """The reported player's key."""
    table: str
    reason: str
    made_at: int


class Sighting(NamedTuple):
    """When a person's browser last asked whether there is anything new, to the minute."""

    person: str
    seen_at: int


class PairingKey(NamedTuple):
    """Where a game belongs in a tournament."""

    tournament: str
    round: int
    """From 1; in an arena, each time that those who wait are paired."""
    board: int
    """From 1, the best first."""


class Tournament(NamedTuple):
    id: str
    version: int
    """Also counts results, which change the standings."""
    tenant: str
    mode: str
    """Of its games in rooms."""
    owner: str
    """The key of the person or the agent who made it, or the tenant's id."""
    name: str
    game: str
    variant: str
    time_control: TimeControl
    is_rated: bool
    system: str
    """`arena`, `swiss`, `round_robin` or `knockout`."""
    rounds: int
    """Of the Swiss system; in a round robin, how often everyone meets everyone. 0 until the start if nobody chose."""
    minutes: int
    """Of an arena; else 0."""
    admits: tuple[str, ...]
    """The kinds of players that may enter."""
    most_entrants: int
    starts_when_full: bool
    starts_at: int | None
    """None if only the owner starts it, or a full list of entrants."""
    state: str
    """`created`, `running`, `finished` or `cancelled`."""
    entrants: int
    """Those who have entered and not withdrawn; from the start on, all who have a seed."""
    round: int
    """The last one that was paired."""
    made_at: int
    started_at: int | None = None
    ends_due: int | None = None
    """When an arena ends, in uptime."""
    ended_at: int | None = None
    due: int | None = None
    """When it must be looked at, in uptime."""


class Entrant(NamedTuple):
    tournament: str
    number: int
    """In the order of joining."""
    version: int
    player: str
    """The player's key."""
    id: str
    """Identifies the player to the others."""
    name: str
    kind: str
    level: str
    """A bot's."""
    rating: float
    """When the tournament started, or when the entrant joined."""
    seed: int
    """The strongest has 0; -1 until the start."""
    is_in: bool
    """False for those who have withdrawn."""
    since: int
    """When they joined, or came back, in uptime."""


class PairingRow(NamedTuple):
    """Two entrants who meet in a round, and what came of it."""

    tournament: str
    round: int
    board: int
    version: int
    first: int
    """The seed of the one with the first move."""
    second: int | None
    """None for a bye."""
    state: str
    """`waiting` for a table, `live` or `over`."""
    tables: tuple[str, ...] = ()
    """The games, the latest last: there are several if one was drawn in a knock-out, or broke off."""
    outcome: str = ""
    """`played`, `forfeit`, `double_forfeit`, `bye`, `halved` or `void`; empty until it is over."""
    score: float | None = None
    """Of the first; None if nobody scores."""
    over: int | None = None
    """When it ended, in uptime."""

    @property
    def key(self) -> PairingKey:
        return PairingKey(self.tournament, self.round, self.board)


class PuzzleAttempt(NamedTuple):
    """How far a player got with a puzzle. Only the first attempt is rated; its row also serves all later tries."""

    player: str
    game: str
    puzzle: str
    version: int
    state: str
    """Of the first attempt: `open`, `solved`, `failed` or `hinted`. `shown` if the player gave up, then or later."""
    found: int
    """How many of the solver's moves were found, on any try; all of them once the solution was seen."""
    at: int
    """Of the last change."""
    before: float | None = None
    """The player's rating before and after, once the attempt has been rated."""
    after: float | None = None


class PuzzleStreaks(NamedTuple):
    player: str
    game: str
    version: int
    streak: int
    """Rated puzzles solved in a row."""
    best: int
    days: int
    """Days in a row on which the daily puzzle was solved, up to `last_day`."""
    best_days: int
    last_day: int
    """The last of them, counted from 1970; -1 if there is none."""


class Erasure(NamedTuple):
    """Someone whose data are being erased; removed together with the last of them."""

    subject: str
    """The key of a player or an agent, or the id of a tenant."""
    tenant: str | None
    """The player's tenant, or the tenant itself; None for an agent."""
    at: int


class Analysis(NamedTuple):
    """An engine's analysis of a finished game; a new one replaces it."""

    table: str
    engine: str
    """A signature of the engine, its weights and its limits."""
    moves: tuple[Mapping[str, Any], ...]
    """In the order of analysis."""
    made_at: int


class AnalysisJob(NamedTuple):
    """An analysis that was asked for; it goes when the analysis is stored."""

    table: str
    owner: str
    """Who asked for it, as a mark; empty once it has failed."""
    state: str
    """`waiting`, `running` or `failed`."""
    asked_at: int
    engine: str
    """Of the moves; as in `Analysis`."""
    moves: tuple[Mapping[str, Any], ...]
    """Those analysed so far."""
    version: int


class AnalysisRequest(NamedTuple):
    """An `AnalysisJob` that has not failed, without its moves."""

    table: str
    owner: str
    state: str


class MoveCount(NamedTuple):
    """How often a move was played in a position, and how those games ended; or what a game adds to that."""

    position: int
    """A digest, in which the game is included."""
    move: str
    games: int
    wins: int
    """Of those who made the move."""
    draws: int
    rated: int
    """Games in which they had a rating."""
    ratings: int
    """The sum of those ratings."""
    last_at: int
    """When the last of the games ended."""
    rank: int
    """Of the example: the higher, the more it is worth looking at."""
    example: int | None
    """A digest of the id of a game that everyone may see; None if there was none."""


class Tally(NamedTuple):
    """Totals over all finished matches of one game."""

    matches: int
    seconds: float
    """Total duration."""
    decisive: int


class Member(NamedTuple):
    """A process that serves; it is alive while `seen` is not older than `MEMBER_MS`."""

    id: str
    role: str
    """`server` or `worker`."""
    address: str
    """`host:port` at which other processes reach it; empty if they cannot."""
    program: str
    """Its version of Ludus."""
    secret_mark: str
    """A fingerprint of the platform's secret, which all members share."""
    seen: int
    """Uptime of its last heartbeat."""
    is_leaving: bool = False


class LeaseRow(NamedTuple):
    """Which member does a share of the work; valid while that member is alive."""

    name: str
    holder: str | None
    token: int
    """Counts the changes of holder."""


class ConnectionRow(NamedTuple):
    """A member has at least one connection of the player in this seat."""

    table: str
    seat: int
    member: str


class Delivery(NamedTuple):
    """A webhook in the outbox."""

    id: str
    tenant: str
    session: str
    event: str
    url: str
    body: str
    state: str
    """`waiting`, `delivered` or `dead`."""
    attempts: int
    due: int | None
    """Wall-clock time: our downtime does not postpone retries."""
    created_at: int
    problem: str = ""
    traceparent: str = ""
    """The span of the command that it tells of, if that was traced."""
