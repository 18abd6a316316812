"""Records with every field filled, as the platform would store them."""

from __future__ import annotations

from typing import Any

from ludus.service.ports.store import Store
from ludus.service.ports.writes import Append
from ludus.service.records import (
    Agent,
    Delivery,
    Device,
    Entry,
    Event,
    Key,
    Member,
    OneTimeCode,
    Passkey,
    Person,
    Rating,
    RatingChange,
    Session,
    TableRow,
    Tenant,
)
from ludus.service.time_control import Kind, TimeControl

TENANT = Tenant("acme", "Acme Games", 1_700_000_000_000, "https://acme.example/hook")
KEY = Key("5f3a", "acme", "live", "ludus_live_ab", ("https://acme.example", "*"), 1_700_000_000_001)
SEATS: tuple[dict[str, Any], ...] = (
    {"key": "acme:ann", "id": "ann", "name": "Ann", "kind": "person"},
    {"key": "bot:hard", "id": "hard", "name": "Hard", "kind": "bot", "level": 3, "quick": True},
)
SESSION = Session(
    id="s1",
    version=1,
    tenant="acme",
    game="checkers",
    mode="live",
    match_type="private",
    status="pending",
    players=({"id": "ann", "displayName": "Ann"},),
    bot_level="medium",
    has_afk_limit=True,
    theme={"primaryColor": "#ff6b00", "deep": {"er": [1, 2.5, None, False]}},
    room_code="ABC123",
    table=None,
    due=300_000,
    created_at=1_700_000_000_002,
    time_control=TimeControl(Kind.BRONSTEIN, 120, 12),
    is_public=True,
)
ENTRY = Entry("e1", "checkers", "live:acme", "acme:ann", 1512.25, 1000, 61_000, SEATS[0])
RATING = Rating("acme:ann", "checkers", 1512.25, 200.5, 0.06, games=1, wins=1, draws=0, updated_at=1_700_000_000_003)
DELIVERY = Delivery(
    id="d1",
    tenant="acme",
    session="s1",
    event="game.ended",
    url="https://acme.example/hook",
    body='{"event":"game.ended"}',
    state="waiting",
    attempts=0,
    due=1_700_000_000_000,
    created_at=1_700_000_000_004,
    traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
)
MEMBER = Member("m1", "server", "10.0.0.1:9001", "1.2.3", "c0ffee", 1_700_000_000_005, is_leaving=True)

PERSON = Person("p1", 1, "Ann", "teal", {"sound": False, "boardTheme": "classic"}, 1_700_000_000_006, 1_700_000_000_007)
DEVICE = Device("5f3b", "v1", "p1", "Firefox on Linux", 1_700_000_000_008, 1_700_000_000_009)
PASSKEY = Passkey("cr3d", "p1", "pQEC", 7, "Firefox on Linux", 1_700_000_000_010, 1_700_000_000_011)
CODE = OneTimeCode("ABC", 1, "device", "5f3c", "p1", 1_700_000_000_012)


def row(id: str = "t1", version: int = 1, **changes: Any) -> TableRow:
    """A live checkers table after so many events."""
    due, moves = 90_000 + version, version - 1
    whole = TableRow(id, version, "checkers", "live", "rooms", "live", due, SEATS, moves, 1_700_000_000_000)
    return whole._replace(**changes)


def event(id: str = "t1", version: int = 1, **changes: Any) -> Event:
    data = {"from": 22, "to": 17, "captures": [1, 2]}
    whole = Event(id, version, 1_700_000_000_000 + version, 1000 + version, "play", version % 2, data, f"c{version}")
    return whole._replace(**changes)


def append(id: str = "t1", version: int = 1, command: str | None = None, **changes: Any) -> Append:
    return Append(row(id, version, **changes), event(id, version, command=command))


async def play(store: Store, id: str = "t1", versions: int = 1) -> None:
    for version in range(1, versions + 1):
        await store.commit(append(id, version))


def agent(id: str = "a1", version: int = 1, **changes: Any) -> Agent:
    whole = Agent(id, version, f"Agent {id}", f"agent {id}", None, f"key-{id}", f"code-{id}", None, 1_700_000_000_000)
    return whole._replace(**changes)


def rating_change(table: str = "t1", player: str = "acme:ann", **changes: Any) -> RatingChange:
    whole = RatingChange(table, player, "checkers", 1500.0, 1512.25, ("first_win",), 1_700_000_000_500)
    return whole._replace(**changes)
