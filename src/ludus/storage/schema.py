"""The database tables and their records."""

from __future__ import annotations

from typing import NamedTuple

from ludus.service.records import (
    AddressMark,
    Agent,
    Analysis,
    AnalysisJob,
    AnalysisRequest,
    Block,
    Challenge,
    ConnectionRow,
    Delivery,
    Device,
    Encounter,
    Entrant,
    Entry,
    Erasure,
    Event,
    FriendLink,
    Friendship,
    HistoryEntry,
    Key,
    LeaseRow,
    Member,
    MoveCount,
    OneTimeCode,
    PairingRow,
    Passkey,
    Person,
    PuzzleAttempt,
    PuzzleStreaks,
    Rating,
    RatingChange,
    Report,
    Score,
    SeatCode,
    Session,
    Sighting,
    TableRow,
    Tenant,
    Tournament,
)
from ludus.service.time_control import TimeControl
from ludus.storage.relation import FLAG, LIST, OBJECT, OPTIONAL_OBJECT, Codec, Relation

TIME_CONTROL = Codec(
    lambda value: None if value is None else OBJECT.encode(value.to_data()),
    lambda text: None if text is None else TimeControl.from_data(OBJECT.decode(text)),
)

TENANTS = Relation("tenants", Tenant, Tenant._fields, ("id",))

KEYS = Relation("keys", Key, Key._fields, ("hash",), codecs={"origins": LIST})

SESSIONS = Relation(
    "sessions",
    Session,
    Session._fields,
    ("id",),
    counter="version",
    codecs={
        "players": LIST,
        "has_afk_limit": FLAG,
        "theme": OPTIONAL_OBJECT,
        "result": OPTIONAL_OBJECT,
        "is_afk_limit_optional": FLAG,
        "has_auto_pass": FLAG,
        "time_control": TIME_CONTROL,
        "is_public": FLAG,
    },
)

SEAT_CODES = Relation("seat_codes", SeatCode, SeatCode._fields, ("hash",))


def _tables(*fixed: str) -> Relation[TableRow]:
    columns = ["door" if field == "channel" else field for field in TableRow._fields]
    codecs = {"players": LIST, "result": OPTIONAL_OBJECT, "is_private": FLAG}
    return Relation("tables", TableRow, columns, ("id",), counter="version", codecs=codecs, fixed=fixed)


TABLES = _tables("game", "mode", "door", "players", "opened_at", "is_private")

LIVE_TABLES = _tables("game", "mode", "door", "status", "players", "opened_at", "ended_at", "result", "is_private")
"""For live games: setting an indexed column rewrites its index even if the value stays the same."""

EVENTS = Relation("events", Event, Event._fields, ("table", "version"), codecs={"data": OBJECT})

ENTRIES = Relation("entries", Entry, Entry._fields, ("id",), codecs={"seat": OBJECT})

RATINGS = Relation("ratings", Rating, Rating._fields, ("player", "game"), counter="games")

DELIVERIES = Relation(
    "deliveries",
    Delivery,
    Delivery._fields,
    ("id",),
    counter="attempts",
    fixed=("tenant", "session", "event", "body", "created_at", "traceparent"),
)
"""An attempt does not write the body: it may have been redacted in the meantime."""

AGENTS = Relation("agents", Agent, Agent._fields, ("id",), counter="version")

PEOPLE = Relation(
    "people",
    Person,
    Person._fields,
    ("id",),
    counter="version",
    codecs={"preferences": OBJECT},
    fixed=("created_at", "seen_at"),
)
"""A change does not write when they were seen, which another device may have renewed in the meantime."""

DEVICES = Relation("devices", Device, Device._fields, ("hash",))

PASSKEYS = Relation("passkeys", Passkey, Passkey._fields, ("id",))

CODES = Relation("codes", OneTimeCode, OneTimeCode._fields, ("id",), counter="version")

RATING_CHANGES = Relation(
    "settlements", RatingChange, RatingChange._fields, ("table", "player"), codecs={"badges": LIST}
)

ENCOUNTERS = Relation(
    "encounters", Encounter, Encounter._fields, ("player", "game", "opponent"), codecs={"is_counted": FLAG}
)

ADDRESS_MARKS = Relation("address_marks", AddressMark, AddressMark._fields, ("player", "mark"))

ANALYSES = Relation("analyses", Analysis, Analysis._fields, ("table",), codecs={"moves": LIST})

ANALYSIS_JOBS = Relation(
    "analysis_jobs", AnalysisJob, AnalysisJob._fields, ("table",), counter="version", codecs={"moves": LIST}
)

ANALYSIS_REQUESTS = Relation("analysis_jobs", AnalysisRequest, AnalysisRequest._fields, ("table",))

HISTORY = Relation(
    "history", HistoryEntry, HistoryEntry._fields, ("player", "ended_at", "table"), codecs={"is_public": FLAG}
)

SCORES = Relation("scores", Score, Score._fields, ("player", "opponent", "game"))

FRIENDSHIPS = Relation("friendships", Friendship, Friendship._fields, ("person", "friend"))

FRIEND_LINKS = Relation("friend_links", FriendLink, FriendLink._fields, ("person",))

BLOCKS = Relation("blocks", Block, Block._fields, ("person", "blocked"))

CHALLENGES = Relation(
    "challenges",
    Challenge,
    Challenge._fields,
    ("id",),
    counter="version",
    codecs={"time_control": OPTIONAL_OBJECT, "is_rated": FLAG},
)

PUZZLE_ATTEMPTS = Relation(
    "puzzle_attempts", PuzzleAttempt, PuzzleAttempt._fields, ("player", "game", "puzzle"), counter="version"
)

PUZZLE_RATINGS = Relation("puzzle_ratings", Rating, Rating._fields, ("player", "game"), counter="games")

PUZZLE_STREAKS = Relation("puzzle_streaks", PuzzleStreaks, PuzzleStreaks._fields, ("player", "game"), counter="version")

REPORTS = Relation("reports", Report, Report._fields, ("id",))

TOURNAMENTS = Relation(
    "tournaments",
    Tournament,
    Tournament._fields,
    ("id",),
    counter="version",
    codecs={"time_control": TIME_CONTROL, "is_rated": FLAG, "admits": LIST, "starts_when_full": FLAG},
)

ENTRANTS = Relation(
    "entrants", Entrant, Entrant._fields, ("tournament", "number"), counter="version", codecs={"is_in": FLAG}
)

PAIRINGS = Relation(
    "pairings",
    PairingRow,
    PairingRow._fields,
    ("tournament", "round", "board"),
    counter="version",
    codecs={"tables": LIST},
)

SIGHTINGS = Relation("sightings", Sighting, Sighting._fields, ("person",))

ERASURES = Relation("erasures", Erasure, Erasure._fields, ("subject",))

MEMBERS = Relation("members", Member, Member._fields, ("id",), codecs={"is_leaving": FLAG})

LEASES = Relation("leases", LeaseRow, LeaseRow._fields, ("name",), counter="token")

CONNECTIONS = Relation("connections", ConnectionRow, ConnectionRow._fields, ConnectionRow._fields)


EXPLORER_MOVES = Relation("explorer_moves", MoveCount, MoveCount._fields, ("position", "move"))


class SeatRow(NamedTuple):
    """A player at a table; internal to the store, to find a player's games."""

    table: str
    seat: int
    player: str
    opened_at: int


SEATS = Relation("seats", SeatRow, SeatRow._fields, ("table", "seat"))
