"""The ports: store, bus and clock. Each has one contract suite that runs on all its adapters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple, Protocol

from ludus.core.errors import LudusError
from ludus.service.records import (
    Agent,
    Analysis,
    Delivery,
    Entry,
    Event,
    Key,
    Rating,
    Session,
    Settlement,
    TableRow,
    Tally,
    Tenant,
)


class Conflict(LudusError):
    """Somebody else was faster: read again and decide again."""

    code = "conflict"


class Append(NamedTuple):
    """One event and the table's row after it; `row.version` is the event's."""

    row: TableRow
    event: Event


class PutTenant(NamedTuple):
    tenant: Tenant


class PutKey(NamedTuple):
    key: Key


class PutSession(NamedTuple):
    session: Session


class PutEntry(NamedTuple):
    """A conflict if the player already waits in this pool for this game."""

    entry: Entry


class TakeEntry(NamedTuple):
    """A conflict if it is gone."""

    id: str


class PutRating(NamedTuple):
    """A conflict unless `games` is one more than stored."""

    rating: Rating


class PutAgent(NamedTuple):
    """A conflict if the name is taken, or unless `version` is the next one."""

    agent: Agent


class PutSettlement(NamedTuple):
    """A conflict if the player's game was settled before."""

    settlement: Settlement


class PutAnalysis(NamedTuple):
    """The only one of its table: an older one is replaced."""

    analysis: Analysis


class PutDelivery(NamedTuple):
    """New, or as it is after an attempt: a conflict unless `attempts` is 0 or one more than stored."""

    delivery: Delivery


class DropDelivery(NamedTuple):
    """A conflict if it is gone, or waits to be sent."""

    id: str


Write = (
    Append
    | PutTenant
    | PutKey
    | PutSession
    | PutEntry
    | TakeEntry
    | PutRating
    | PutAgent
    | PutSettlement
    | PutAnalysis
    | PutDelivery
    | DropDelivery
)


class Store(Protocol):
    async def open(self) -> None:
        """Connects, applies the migrations that are missing and checks that the database is sound."""
        ...

    async def close(self) -> None: ...

    async def claim(self) -> None:
        """Takes the platform for this process until it closes the store; refused while another process has it."""
        ...

    async def commit(self, *writes: Write) -> None:
        """All of them or, with a `Conflict`, none; on return they survive a power cut."""
        ...

    async def beat(self, now: int, grace: int) -> int:
        """Says that the platform is open at `now` (wall clock), and returns how long it has been closed in all.

        If the last beat is more than `grace` ago, the time since then is added to that.
        """
        ...

    async def tenant(self, id: str) -> Tenant | None: ...
    async def tenants(self) -> Sequence[Tenant]: ...
    async def key(self, hash: str) -> Key | None: ...
    async def keys(self, tenant: str) -> Sequence[Key]: ...

    async def session(self, id: str) -> Session | None: ...
    async def session_by_code(self, tenant: str, game: str, code: str) -> Session | None:
        """The pending session that opened this room."""
        ...

    async def sessions_of(self, table: str) -> Sequence[Session]: ...
    async def sessions_by(self, tenant: str, modes: tuple[str, str], most: int) -> Sequence[Session]:
        """Those that a tenant made in one of these modes, newest first."""
        ...

    async def sessions_due(self, clock: int, most: int) -> Sequence[Session]:
        """Pending sessions whose time is up."""
        ...

    async def table(self, id: str) -> TableRow | None: ...
    async def events(self, table: str, after: int = 0) -> Sequence[Event]: ...
    async def tables_due(self, clock: int, most: int) -> Sequence[str]: ...
    async def live_tables(self, game: str | None = None, most: int = 1_000_000) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def entries(self, game: str, pool: str) -> Sequence[Entry]:
        """Longest waiting first."""
        ...

    async def entry_of(self, game: str, pool: str, player: str) -> Entry | None: ...
    async def pools(self) -> Sequence[tuple[str, str]]:
        """Game and pool wherever somebody waits."""
        ...

    async def rating(self, player: str, game: str) -> Rating | None: ...
    async def ratings_of(self, player: str) -> Sequence[Rating]: ...
    async def leaders(self, game: str, prefixes: tuple[str, str], most: int) -> Sequence[Rating]:
        """The highest ratings of players whose keys begin with one of these, best first."""
        ...

    async def agent(self, id: str) -> Agent | None: ...
    async def agent_of_key(self, hash: str) -> Agent | None: ...
    async def agents(self) -> int:
        """How many there are."""
        ...

    async def settlement(self, table: str, player: str) -> Settlement | None: ...
    async def settlements_of(self, player: str, most: int = 1000) -> Sequence[Settlement]:
        """Newest first."""
        ...

    async def honours_of(self, player: str) -> Sequence[Settlement]:
        """Those that brought a badge."""
        ...

    async def tables_of(self, player: str, most: int) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def live_tables_of(self, player: str) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def ended_tables(self, game: str, most: int) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def analysis(self, table: str) -> Analysis | None: ...
    async def tally(self, game: str) -> Tally: ...
    async def opened_since(self, game: str, at: int) -> int:
        """How many tables were opened from that moment on."""
        ...

    async def waiting(self, game: str) -> int:
        """How many players wait, in all pools."""
        ...

    async def deliveries_due(self, now: int, most: int) -> Sequence[Delivery]: ...
    async def deliveries_done(self, before: int, most: int) -> Sequence[str]:
        """Ids of those that were made before that moment and have arrived or were given up, in any order."""
        ...

    async def delivery(self, id: str) -> Delivery | None: ...
    async def deliveries(self, state: str, tenant: str | None = None, most: int = 100) -> Sequence[Delivery]:
        """Newest first."""
        ...


class TableMoved(NamedTuple):
    """A table has reached this version; whoever shows it reads what is new."""

    table: str
    version: int


class Seated(NamedTuple):
    """A player who waited has a seat."""

    player: str
    table: str


Note = TableMoved | Seated


class Bus(Protocol):
    """Tells all processes of the platform what changed. A note carries no state: the store is the truth."""

    async def publish(self, note: Note) -> None: ...

    def subscribe(self, listener: Callable[[Note], Awaitable[None]]) -> None: ...


class Clock(Protocol):
    def now(self) -> int:
        """Milliseconds since 1970."""
        ...
