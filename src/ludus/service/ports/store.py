"""The port of the store: what is kept, and how it is read and written."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from ludus.core.errors import LudusError
from ludus.service.ports.writes import Write
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
    Key,
    LeaseRow,
    Member,
    MoveCount,
    OneTimeCode,
    PairingKey,
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
    Tally,
    Tenant,
    Tournament,
)


class Conflict(LudusError):
    """A concurrent write won: read and decide again."""

    code = "conflict"


class Unavailable(LudusError):
    """The store cannot be used now: a full disk, an absent database, a lost lease. Trying again later may help.

    Whether a failed commit was stored is not known, so only what is idempotent may be repeated.
    """

    code = "unavailable"


class Unreadable(LudusError):
    """What is stored cannot be read, now or later: the database is damaged, or something else has written to it."""

    code = "unreadable"


class Cursor(NamedTuple):
    """The last record of a page: where the next page starts. Pages are in the order of time, then of ids."""

    at: int = -1
    id: str = ""


FIRST_PAGE: Final = Cursor()


NEWEST: Final = Cursor(2**62)
"""Where a list that goes back in time starts."""


def upcoming_cursor(tournament: Tournament) -> Cursor:
    """Where a list of tournaments ordered by their start continues; those without one come last."""
    return Cursor(NEWEST.at if tournament.starts_at is None else tournament.starts_at, tournament.id)


class Beat(NamedTuple):
    """What the store says to a heartbeat."""

    clock: int
    """Uptime."""
    at: int
    """The wall clock that all processes share, in milliseconds: the database's own, or the caller's for a file."""
    is_member: bool
    """Whether the member was there, and alive until now."""


MAX_VERSIONS: Final = 1000
"""Tables whose versions may be read at once."""


class Store(Protocol):
    @property
    def is_storing(self) -> bool:
        """False from a write that failed with `Unavailable` until the next heartbeat that is stored."""
        ...

    async def open(self) -> None:
        """Connects, applies missing migrations and checks the database's integrity."""
        ...

    async def close(self) -> None: ...

    async def claim(self, sole: bool = True) -> None:
        """Takes the platform's lease until the store is closed: alone, or together with other members of a cluster.

        Refused while another process has it alone and, if `sole`, while any other process has it. All members and
        connections that are stored are then of processes that no longer run, and are removed.
        """
        ...

    async def keep_lease(self) -> bool:
        """Whether this process still has the lease; one that was lost is taken again unless `claim` would refuse."""
        ...

    async def ping(self) -> None:
        """Returns if the database can be read; raises anything if it cannot."""
        ...

    async def commit(self, *writes: Write) -> None:
        """Writes all or, with a `Conflict`, none; on return they are durable."""
        ...

    async def heartbeat(self, at: int, clock: int | None = None, member: str = "") -> Beat:
        """Records that the platform works at `at` (wall clock), which is `clock` in uptime, and the member with it.

        Uptime never goes back: the recorded value is kept if it is later, or if `clock` is None. A new platform
        starts with the wall clock.
        """
        ...

    async def members(self) -> Sequence[Member]:
        """Also dead ones, in the order of their ids."""
        ...

    async def leases(self) -> Sequence[LeaseRow]:
        """In the order of their names."""
        ...

    async def connections_at(self, table: str) -> Sequence[ConnectionRow]: ...
    async def connections_of(self, members: Sequence[str], most: int) -> Sequence[ConnectionRow]: ...
    async def connections_except(self, members: Sequence[str], most: int) -> Sequence[ConnectionRow]:
        """Those of all other members, also of members that are not stored."""
        ...

    async def tenant(self, id: str) -> Tenant | None: ...
    async def tenants(self) -> Sequence[Tenant]: ...
    async def key(self, hash: str) -> Key | None: ...
    async def keys(self, tenant: str) -> Sequence[Key]: ...

    async def session(self, id: str) -> Session | None: ...
    async def session_by_code(self, tenant: str, game: str, code: str) -> Session | None:
        """The pending session of this room."""
        ...

    async def sessions_of(self, table: str) -> Sequence[Session]: ...
    async def sessions_by(self, tenant: str, modes: tuple[str, str], most: int) -> Sequence[Session]:
        """A tenant's sessions in these modes, newest first."""
        ...

    async def rooms_pending(self, tenant: str, player: str, most: int) -> Sequence[Session]:
        """A player's private rooms that wait for a game, oldest first: at most so many in each of the two places."""
        ...

    async def seat_code(self, hash: str) -> SeatCode | None: ...
    async def sessions_due(self, clock: int, most: int, shards: Collection[str] | None = None) -> Sequence[Session]:
        """Pending sessions that are past their deadline, in these shards only."""
        ...

    async def sessions_page(self, tenant: str, after: Cursor, most: int) -> Sequence[Session]:
        """A tenant's sessions, oldest first."""
        ...

    async def sessions_with(self, tenant: str, player: str, after: str, most: int) -> Sequence[Session]:
        """A tenant's sessions for a player with this id, in the order of their own ids, which come after `after`."""
        ...

    async def sessions_ended(self, before: int, most: int) -> Sequence[str]:
        """Ids of ended ones that were created before then, oldest first."""
        ...

    async def table(self, id: str) -> TableRow | None: ...
    async def events(self, table: str, after: int = 0) -> Sequence[Event]: ...
    async def versions(self, tables: Sequence[str]) -> Mapping[str, int]:
        """Of those that exist; at most `MAX_VERSIONS` may be asked for."""
        ...

    async def tables_due(self, clock: int, most: int, shards: Collection[str] | None = None) -> Sequence[str]: ...
    async def live_tables(
        self, game: str | None = None, most: int = 1_000_000, shards: Collection[str] | None = None
    ) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def entries(self, game: str, pool: str) -> Sequence[Entry]:
        """Longest waiting first."""
        ...

    async def count_entries(self, game: str, pool: str) -> int: ...
    async def place_in_queue(self, entry: Entry) -> int:
        """1 for the one that has waited longest; 0 if the queue is empty."""
        ...

    async def entry_of(self, game: str, pool: str, player: str) -> Entry | None: ...
    async def entries_of(self, player: str) -> Sequence[Entry]:
        """In all games and pools."""
        ...

    async def pools(self) -> Sequence[tuple[str, str]]:
        """Game and pool of every non-empty queue."""
        ...

    async def rating(self, player: str, game: str) -> Rating | None: ...
    async def ratings_of(self, player: str) -> Sequence[Rating]: ...
    async def ratings(self, game: str, players: Sequence[str]) -> Sequence[Rating]:
        """In the order of players; those who have none are left out."""
        ...

    async def ratings_page(self, tenant: str, after: tuple[str, str], most: int) -> Sequence[Rating]:
        """Of a tenant's players, in the order of player and game."""
        ...

    async def leaders(self, game: str, now: int, most: int) -> Sequence[Rating]:
        """The highest ratings of agents and bots, best first, if settled at this time and with enough opponents."""
        ...

    async def people_leaders(self, game: str, now: int, most: int) -> Sequence[Rating]:
        """The same of the page's people."""
        ...

    async def agent(self, id: str) -> Agent | None: ...
    async def agent_of_key(self, hash: str) -> Agent | None: ...
    async def agent_named(self, name_key: str) -> Agent | None: ...
    async def count_agents(self) -> int: ...

    async def person(self, id: str) -> Person | None: ...
    async def people(self, ids: Sequence[str]) -> Sequence[Person]:
        """Of those that exist, in the order of their ids."""
        ...

    async def people_unseen(self, before: int, most: int) -> Sequence[Person]:
        """Those who were not there since then, oldest first."""
        ...

    async def device(self, hash: str) -> Device | None: ...
    async def devices_of(self, person: str) -> Sequence[Device]:
        """Oldest first."""
        ...

    async def passkey(self, id: str) -> Passkey | None: ...
    async def passkeys_of(self, person: str) -> Sequence[Passkey]:
        """Oldest first."""
        ...

    async def code(self, id: str) -> OneTimeCode | None:
        """Also an expired one."""
        ...

    async def codes_expired(self, before: int, most: int) -> Sequence[OneTimeCode]:
        """Oldest first."""
        ...

    async def encounters(self, player: str, game: str, opponents: Sequence[str]) -> Sequence[Encounter]:
        """Those with these opponents, a few at most."""
        ...

    async def encounters_before(self, at: int, most: int) -> Sequence[Encounter]:
        """Those without a game since then, oldest first."""
        ...

    async def address_marks(self, player: str, most: int) -> Sequence[AddressMark]:
        """Newest first."""
        ...

    async def address_marks_before(self, at: int, most: int) -> Sequence[AddressMark]:
        """Those not seen since then, oldest first."""
        ...

    async def rating_change(self, table: str, player: str) -> RatingChange | None: ...
    async def rating_changes_page(self, player: str, after: Cursor, most: int) -> Sequence[RatingChange]:
        """Oldest first; the cursor's id is that of the table."""
        ...

    async def latest_rating_changes(self, player: str, most: int) -> Sequence[RatingChange]:
        """Newest first."""
        ...

    async def rating_changes_with_badges(self, player: str) -> Sequence[RatingChange]: ...

    async def tables_of(self, player: str, most: int) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def live_tables_of(self, player: str) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def history(self, player: str, before: Cursor, most: int) -> Sequence[TableRow]:
        """A person's finished games, the last to end first; the cursor's time is that of the end."""
        ...

    async def public_history(self, player: str, before: Cursor, most: int) -> Sequence[TableRow]:
        """The same, without those that strangers don't see."""
        ...

    async def scores_of(self, player: str) -> Sequence[Score]:
        """Against all opponents of a kind."""
        ...

    async def scores_between(self, player: str, opponent: str) -> Sequence[Score]: ...

    async def friends_of(self, person: str, most: int) -> Sequence[Friendship]:
        """Oldest friends first."""
        ...

    async def friendship(self, person: str, friend: str) -> Friendship | None: ...
    async def friend_link(self, code: str) -> FriendLink | None: ...
    async def friend_link_of(self, person: str) -> FriendLink | None: ...
    async def blocks_of(self, person: str, most: int) -> Sequence[Block]:
        """Newest first."""
        ...

    async def blocks_between(self, person: str, others: Sequence[str]) -> Sequence[Block]:
        """Blocks of the person against the others, and of the others against the person."""
        ...

    async def puzzle_attempt(self, player: str, game: str, puzzle: str) -> PuzzleAttempt | None: ...
    async def puzzle_attempts(self, player: str, game: str, puzzles: Sequence[str]) -> Sequence[PuzzleAttempt]:
        """Those at these puzzles, in the order of the puzzles' ids."""
        ...

    async def puzzle_attempts_page(self, player: str, before: Cursor, most: int) -> Sequence[PuzzleAttempt]:
        """In all games, newest first; the cursor's id is that of the puzzle."""
        ...

    async def puzzle_ratings(self, game: str, players: Sequence[str]) -> Sequence[Rating]:
        """Those of players and puzzles with these keys, in the order of the keys."""
        ...

    async def puzzle_ratings_of(self, player: str) -> Sequence[Rating]:
        """In the order of the games."""
        ...

    async def puzzle_leaders(self, game: str, now: int, most: int) -> Sequence[Rating]:
        """The highest puzzle ratings of the page's people, best first, if settled at this time."""
        ...

    async def puzzle_streaks_of(self, player: str) -> Sequence[PuzzleStreaks]:
        """In the order of the games."""
        ...

    async def challenge(self, id: str) -> Challenge | None: ...
    async def challenges_to(self, person: str, at: int, most: int) -> Sequence[Challenge]:
        """Those that wait and have not expired by then, newest first."""
        ...

    async def challenges_from(self, person: str, since: int, most: int) -> Sequence[Challenge]:
        """Those made since then, in any state, newest first."""
        ...

    async def challenges_before(self, at: int, most: int) -> Sequence[str]:
        """Ids of those made before then, oldest first."""
        ...

    async def sightings(self, people: Sequence[str]) -> Sequence[Sighting]: ...
    async def reports_by(self, person: str, since: int, most: int) -> Sequence[Report]:
        """Those made since then, newest first."""
        ...

    async def reports(self, before: Cursor, most: int) -> Sequence[Report]:
        """Newest first."""
        ...

    async def tournament(self, id: str) -> Tournament | None: ...
    async def tournaments(
        self, tenant: str, states: Sequence[str], before: Cursor, most: int, mode: str | None = None
    ) -> Sequence[Tournament]:
        """A tenant's in these states, and in this mode, the last made first; the cursor's time is `made_at`."""
        ...

    async def upcoming_tournaments(self, tenant: str, after: Cursor, most: int) -> Sequence[Tournament]:
        """Those that have not begun, by their start; then those without a start, the last made first.

        The cursor is `upcoming_cursor` of the last one.
        """
        ...

    async def open_tournaments_of(self, owner: str) -> int:
        """The number of those created and running."""
        ...

    async def open_tournaments(self, tenant: str) -> int: ...
    async def tournaments_due(
        self, clock: int, at: int, most: int, shards: Collection[str] | None = None
    ) -> Sequence[str]:
        """Ids of those to look at by uptime, or that begin by the wall clock; in these shards only."""
        ...

    async def tournaments_with(self, player: str, after: str, most: int) -> Sequence[Entrant]:
        """Where a player has entered, in the order of the tournaments' ids, which come after `after`."""
        ...

    async def tournaments_owned(self, owner: str, after: str, most: int) -> Sequence[Tournament]:
        """In the order of their ids, which come after `after`."""
        ...

    async def tournaments_ended(self, before: int, most: int) -> Sequence[str]:
        """Ids of those that ended before then, oldest first."""
        ...

    async def entrants(self, tournament: str) -> Sequence[Entrant]:
        """In the order of joining, also those who have withdrawn."""
        ...

    async def entrant(self, tournament: str, player: str) -> Entrant | None: ...
    async def pairings(self, tournament: str) -> Sequence[PairingRow]:
        """By round and board."""
        ...

    async def pairing(self, key: PairingKey) -> PairingRow | None: ...

    async def ended_tables(self, game: str, most: int) -> Sequence[TableRow]:
        """Newest first."""
        ...

    async def tables_page(self, player: str, after: Cursor, most: int) -> Sequence[TableRow]:
        """A player's tables, oldest first."""
        ...

    async def tables_under(self, tenant: str, most: int) -> Sequence[str]:
        """Ids of tables with a player of this tenant, in any order; those of anonymous players are left out."""
        ...

    async def tables_ended(self, before: int, most: int, after: Cursor = FIRST_PAGE) -> Sequence[TableRow]:
        """Those that ended before then, oldest first; the cursor's time is that of the end."""
        ...

    async def analysis(self, table: str) -> Analysis | None: ...
    async def analysis_job(self, table: str) -> AnalysisJob | None: ...
    async def analysis_requests(self, shards: Collection[str] | None = None) -> Sequence[AnalysisRequest]:
        """Those asked for first come first."""
        ...

    async def tables_to_count(self, most: int) -> Sequence[str]:
        """Ids of finished games that the opening explorer has not counted, oldest first."""
        ...

    async def recount_games(self) -> int:
        """Forgets all counts of the opening explorer and queues every finished game, in one transaction.

        Returns the number of games in the queue.
        """
        ...

    async def move_counts(self, position: int, most: int) -> Sequence[MoveCount]:
        """Those of a position, the most frequent first."""
        ...

    async def example_games(self, numbers: Sequence[int]) -> Sequence[TableRow]:
        """The games with these digests, a few at most, that are still stored, in the order of their ids."""
        ...

    async def tally(self, game: str) -> Tally:
        """Finished games, also those no longer stored; cancelled ones do not count."""
        ...

    async def opened_since(self, game: str, at: int) -> int:
        """The number of stored tables opened since then."""
        ...

    async def deliveries_due(self, now: int, most: int, shards: Collection[str] | None = None) -> Sequence[Delivery]:
        """Those of sessions in these shards only."""
        ...

    async def deliveries_done(self, before: int, most: int) -> Sequence[str]:
        """Ids of delivered and dead ones created before then, in any order."""
        ...

    async def delivery(self, id: str) -> Delivery | None: ...
    async def deliveries_about(self, session: str, after: str, most: int) -> Sequence[Delivery]:
        """Those of a session, oldest first: in the order of their ids, which come after `after`."""
        ...

    async def deliveries_page(self, tenant: str, after: str, most: int) -> Sequence[Delivery]:
        """Those of a tenant in any state, in the same order."""
        ...

    async def erasures(self, most: int) -> Sequence[Erasure]:
        """Oldest first."""
        ...

    async def deliveries(self, state: str, tenant: str | None = None, most: int = 100) -> Sequence[Delivery]:
        """Newest first."""
        ...
