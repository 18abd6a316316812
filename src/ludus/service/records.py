"""What the platform remembers: each value is one row of the store.

Times are milliseconds: `…_at` since 1970, `due` and `clock` in platform time, which stands still while the platform is
closed. A record with a `version` is written as a compare-and-set: version 1 is new, version n replaces n - 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Tenant(NamedTuple):
    """An app whose back end creates sessions."""

    id: str
    name: str
    created_at: int
    webhook_url: str | None = None


class Key(NamedTuple):
    """An API key: only its hash is kept."""

    hash: str
    tenant: str
    kind: str
    """`live` or `test`."""
    hint: str
    """Its first characters, to tell keys apart in a list."""
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
    has_afk_limit: bool
    theme: Mapping[str, Any] | None
    room_code: str | None
    table: str | None
    due: int | None
    """When it expires, unless it has begun."""
    created_at: int
    result: Mapping[str, Any] | None = None


class TableRow(NamedTuple):
    """What must be known of a table without reading its events."""

    id: str
    version: int
    game: str
    mode: str
    door: str
    """`rooms` or `arena`."""
    status: str
    """`live` or `over`."""
    due: int | None
    """When somebody has to look at it again."""
    players: tuple[Mapping[str, Any], ...]
    """`{key, id, name, kind}` by seat."""
    moves: int
    opened_at: int
    ended_at: int | None = None
    result: Mapping[str, Any] | None = None


class Event(NamedTuple):
    """Something that happened at a table; the table is what its events say."""

    table: str
    version: int
    at: int
    clock: int
    kind: str
    seat: int | None
    data: Mapping[str, Any]
    command: str | None = None
    """The id that the sender gave the command, so that a repetition is known as one."""


class Entry(NamedTuple):
    """Somebody who waits for an opponent."""

    id: str
    game: str
    pool: str
    """Who may meet: entries of one pool and game."""
    player: str
    """The player's key; nobody waits twice in one pool for one game."""
    rating: float
    since: int
    """Platform time."""
    due: int | None
    seat: Mapping[str, Any]
    """The player as a seat, as `Seat.to_data` has it."""


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


class Agent(NamedTuple):
    """A program that plays in the arena."""

    id: str
    version: int
    name: str
    name_key: str
    """The name as it must be unique: without regard to case and spacing."""
    model: str | None
    key_hash: str
    code_hash: str
    """Of the code that the owner claims it with."""
    owner: str | None
    """The display name of the person who claimed it."""
    created_at: int


class Settlement(NamedTuple):
    """What a finished game was worth to one player."""

    table: str
    player: str
    game: str
    before: float
    after: float
    badges: tuple[str, ...]
    at: int


class Analysis(NamedTuple):
    """What an engine thought of a finished game; the last one counts."""

    table: str
    engine: str
    """Names the engine, its weights and its limits: another one would think otherwise."""
    moves: tuple[Mapping[str, Any], ...]
    """In the order in which they were looked at."""
    made_at: int


class Tally(NamedTuple):
    """What is known of all finished games of one kind."""

    matches: int
    seconds: float
    """All of them together."""
    decisive: int


class Delivery(NamedTuple):
    """A webhook on its way."""

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
    """Wall clock: a receiver's troubles do not wait for ours."""
    created_at: int
    problem: str = ""
