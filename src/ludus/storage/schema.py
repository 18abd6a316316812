"""Which record is kept where."""

from __future__ import annotations

from typing import NamedTuple

from ludus.service.records import Agent, Delivery, Entry, Event, Key, Rating, Session, Settlement, TableRow, Tenant
from ludus.storage.relation import FLAG, LIST, OBJECT, OPTIONAL_OBJECT, Relation

TENANTS = Relation("tenants", Tenant, Tenant._fields, ("id",))

KEYS = Relation("keys", Key, Key._fields, ("hash",), codecs={"origins": LIST})

SESSIONS = Relation(
    "sessions",
    Session,
    Session._fields,
    ("id",),
    counter="version",
    codecs={"players": LIST, "has_afk_limit": FLAG, "theme": OPTIONAL_OBJECT, "result": OPTIONAL_OBJECT},
)

TABLES = Relation(
    "tables",
    TableRow,
    TableRow._fields,
    ("id",),
    counter="version",
    codecs={"players": LIST, "result": OPTIONAL_OBJECT},
    fixed=("game", "mode", "door", "players", "opened_at"),
)

EVENTS = Relation("events", Event, Event._fields, ("table", "version"), codecs={"data": OBJECT})

ENTRIES = Relation("entries", Entry, Entry._fields, ("id",), codecs={"seat": OBJECT})

RATINGS = Relation("ratings", Rating, Rating._fields, ("player", "game"), counter="games")

DELIVERIES = Relation("deliveries", Delivery, Delivery._fields, ("id",), counter="attempts")

AGENTS = Relation("agents", Agent, Agent._fields, ("id",), counter="version")

SETTLEMENTS = Relation("settlements", Settlement, Settlement._fields, ("table", "player"), codecs={"badges": LIST})


class SeatRow(NamedTuple):
    """Who sat at a table; the store's own, for finding a player's games."""

    table: str
    seat: int
    player: str
    opened_at: int


SEATS = Relation("seats", SeatRow, SeatRow._fields, ("table", "seat"))
