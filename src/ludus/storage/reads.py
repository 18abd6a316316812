"""The port's reads, shared by all databases. Each is served by an index, and none grows with the games stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, TypeVar

import structlog

from ludus.service.glicko import SCALE
from ludus.service.history import KINDS
from ludus.service.ports.store import FIRST_PAGE, MAX_VERSIONS, NEWEST, Cursor, Unreadable
from ludus.service.ratings import IDLE_PERIOD, LISTED_OPPONENTS, SETTLED
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
from ludus.service.shards import SHARDS, shard_of
from ludus.storage.relation import R, Relation, is_storable, to_json
from ludus.storage.schema import (
    ADDRESS_MARKS,
    AGENTS,
    ANALYSES,
    ANALYSIS_JOBS,
    ANALYSIS_REQUESTS,
    BLOCKS,
    CHALLENGES,
    CODES,
    CONNECTIONS,
    DELIVERIES,
    DEVICES,
    ENCOUNTERS,
    ENTRANTS,
    ENTRIES,
    ERASURES,
    EVENTS,
    EXPLORER_MOVES,
    FRIEND_LINKS,
    FRIENDSHIPS,
    KEYS,
    LEASES,
    MEMBERS,
    PAIRINGS,
    PASSKEYS,
    PEOPLE,
    PUZZLE_ATTEMPTS,
    PUZZLE_RATINGS,
    PUZZLE_STREAKS,
    RATING_CHANGES,
    RATINGS,
    REPORTS,
    SCORES,
    SEAT_CODES,
    SESSIONS,
    SIGHTINGS,
    TABLES,
    TENANTS,
    TOURNAMENTS,
)

V = TypeVar("V")

log = structlog.get_logger(__name__)

HOUR: Final = 3_600_000
"""In milliseconds."""
FEW: Final = 50
"""Rows that may be read where players wait."""


class Reader(Enum):
    """Who runs a query: what players wait for never waits behind lists."""

    ROW = "row"
    """At once: a row or two, or one table's events."""
    PLAY = "play"
    """Queues, and what pairing players needs."""
    LIST = "list"
    """Lists, exports and old data: there may be very many rows."""


class Reads(ABC):
    is_storing = True
    """False from a write that the database could not take until the next heartbeat that it does take."""

    @abstractmethod
    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], reader: Reader
    ) -> list[V]:
        """Each row passed through `read`."""

    async def _all(self, relation: Relation[R], which: str, *values: Any, reader: Reader = Reader.ROW) -> list[R]:
        if not is_storable(values):  # nothing stored can match
            return []
        return await self._fetch(f"{relation.select} {which}", values, relation.record, reader)

    async def _table_rows(self, which: str, *values: Any, reader: Reader) -> list[TableRow]:
        """Leaves out rows that are damaged, so that all others can be listed and played."""
        if not is_storable(values):
            return []
        rows = await self._fetch(f"{TABLES.select} {which}", values, _row_unless_damaged, reader)
        return [row for row in rows if row is not None]

    async def _one(self, relation: Relation[R], which: str, *values: Any) -> R | None:
        found = await self._all(relation, which, *values)
        return found[0] if found else None

    async def ping(self) -> None:
        await self._fetch("SELECT closed FROM house", (), tuple, Reader.ROW)

    async def members(self) -> Sequence[Member]:
        return await self._all(MEMBERS, "ORDER BY id")

    async def leases(self) -> Sequence[LeaseRow]:
        return await self._all(LEASES, "ORDER BY name")

    async def connections_at(self, table: str) -> Sequence[ConnectionRow]:
        return await self._all(CONNECTIONS, 'WHERE "table" = ?1 ORDER BY seat, member', table)

    async def connections_of(self, members: Sequence[str], most: int) -> Sequence[ConnectionRow]:
        which = f"WHERE member IN ({_LIST.format(1)}) LIMIT ?2"
        return await self._all(CONNECTIONS, which, _list(members), most, reader=Reader.PLAY)

    async def connections_except(self, members: Sequence[str], most: int) -> Sequence[ConnectionRow]:
        """Goes from one member to the next in the index, so that it does not read the connections of the others."""
        first = "SELECT min(member) FROM connections"
        known = f"{first} UNION ALL SELECT ({first} WHERE member > known.member) FROM known WHERE member IS NOT NULL"
        others = f"SELECT member FROM known WHERE member NOT IN ({_LIST.format(1)})"
        text = f"WITH RECURSIVE known (member) AS ({known}) {CONNECTIONS.select} WHERE member IN ({others}) LIMIT ?2"
        return await self._fetch(text, (_list(members), most), CONNECTIONS.record, Reader.PLAY)

    async def tenant(self, id: str) -> Tenant | None:
        return await self._one(TENANTS, "WHERE id = ?1", id)

    async def tenants(self) -> Sequence[Tenant]:
        return await self._all(TENANTS, "ORDER BY created_at, id", reader=Reader.LIST)

    async def key(self, hash: str) -> Key | None:
        return await self._one(KEYS, "WHERE hash = ?1", hash)

    async def keys(self, tenant: str) -> Sequence[Key]:
        return await self._all(KEYS, "WHERE tenant = ?1 ORDER BY created_at, kind, hash", tenant)

    async def session(self, id: str) -> Session | None:
        return await self._one(SESSIONS, "WHERE id = ?1", id)

    async def session_by_code(self, tenant: str, game: str, code: str) -> Session | None:
        which = "WHERE tenant = ?1 AND room_code = ?3 AND game = ?2 AND status = 'pending'"
        return await self._one(SESSIONS, which, tenant, game, code)

    async def sessions_of(self, table: str) -> Sequence[Session]:
        return await self._all(SESSIONS, 'WHERE "table" = ?1 ORDER BY created_at, id', table)

    async def sessions_by(self, tenant: str, modes: tuple[str, str], most: int) -> Sequence[Session]:
        which = "WHERE tenant = ?1 AND mode IN (?2, ?3) ORDER BY created_at DESC, id LIMIT ?4"
        return await self._all(SESSIONS, which, tenant, *modes, most, reader=Reader.LIST)

    async def rooms_pending(self, tenant: str, player: str, most: int) -> Sequence[Session]:
        rooms = "status = 'pending' AND match_type = 'private'"
        which = f"WHERE tenant = ?1 AND {{}} = ?2 AND {rooms} ORDER BY created_at, id LIMIT ?3"
        both = [
            await self._all(SESSIONS, which.format(column), tenant, player, most, reader=Reader.LIST)
            for column in ("first_player", "second_player")
        ]
        return sorted([*both[0], *both[1]], key=lambda session: session.created_at)

    async def seat_code(self, hash: str) -> SeatCode | None:
        return await self._one(SEAT_CODES, "WHERE hash = ?1", hash)

    async def sessions_due(self, clock: int, most: int, shards: Collection[str] | None = None) -> Sequence[Session]:
        if _is_none(shards):
            return []
        which = f"WHERE status = 'pending' AND due <= ?1 AND {_in_shards(3)} ORDER BY due, id LIMIT ?2"
        due = await self._all(SESSIONS, which, clock, most, _other(shards))
        return [session for session in due if _is_in(session.id, shards)]

    async def sessions_page(self, tenant: str, after: Cursor, most: int) -> Sequence[Session]:
        which = "WHERE tenant = ?1 AND (created_at, id) > (?2, ?3) ORDER BY created_at, id LIMIT ?4"
        return await self._all(SESSIONS, which, tenant, *after, most, reader=Reader.LIST)

    async def sessions_with(self, tenant: str, player: str, after: str, most: int) -> Sequence[Session]:
        is_theirs = "tenant = ?1 AND {} = ?2 AND id > ?3"
        first, second = (is_theirs.format(column) for column in ("first_player", "second_player"))
        which = f"WHERE {first} OR {second} ORDER BY id LIMIT ?4"
        return await self._all(SESSIONS, which, tenant, player, after, most, reader=Reader.LIST)

    async def sessions_ended(self, before: int, most: int) -> Sequence[str]:
        text = "SELECT id FROM sessions WHERE status = 'ended' AND created_at < ?1 ORDER BY created_at, id LIMIT ?2"
        return await self._fetch(text, (before, most), _first_text, Reader.LIST)

    async def table(self, id: str) -> TableRow | None:
        return await self._one(TABLES, "WHERE id = ?1", id)

    async def events(self, table: str, after: int = 0) -> Sequence[Event]:
        return await self._all(EVENTS, 'WHERE "table" = ?1 AND version > ?2 ORDER BY version', table, after)

    async def versions(self, tables: Sequence[str]) -> Mapping[str, int]:
        if len(tables) > MAX_VERSIONS:
            raise ValueError(f"the versions of more than {MAX_VERSIONS} tables at once")
        text = f"SELECT id, version FROM tables WHERE id IN ({_LIST.format(1)})"
        return dict(await self._fetch(text, (_list(tables),), _text_and_number, Reader.PLAY))

    async def tables_due(self, clock: int, most: int, shards: Collection[str] | None = None) -> Sequence[str]:
        if _is_none(shards):
            return []
        text = f"SELECT id FROM tables WHERE due <= ?1 AND {_in_shards(3)} ORDER BY due, id LIMIT ?2"
        due = await self._fetch(text, (clock, most, _other(shards)), _first_text, Reader.ROW)
        return [id for id in due if _is_in(id, shards)]

    async def live_tables(
        self, game: str | None = None, most: int = 1_000_000, shards: Collection[str] | None = None
    ) -> Sequence[TableRow]:
        if _is_none(shards):
            return []
        which = f"WHERE status = 'live' AND {_in_shards(2)}"
        order = "ORDER BY opened_at DESC, id LIMIT ?1"
        if game is None:
            live = await self._table_rows(f"{which} {order}", most, _other(shards), reader=Reader.LIST)
        else:
            which = f"{which} AND game = ?3 {order}"
            live = await self._table_rows(which, most, _other(shards), game, reader=Reader.LIST)
        return [row for row in live if _is_in(row.id, shards)]

    async def entries(self, game: str, pool: str) -> Sequence[Entry]:
        which = "WHERE game = ?1 AND pool = ?2 ORDER BY since, id"
        return await self._all(ENTRIES, which, game, pool, reader=Reader.PLAY)

    async def count_entries(self, game: str, pool: str) -> int:
        text = "SELECT count(*) FROM entries WHERE game = ?1 AND pool = ?2"
        return await self._count(text, game, pool, reader=Reader.PLAY)

    async def place_in_queue(self, entry: Entry) -> int:
        ahead = "(since < ?3 OR (since = ?3 AND id <= ?4))"
        text = f"SELECT count(*) FROM entries WHERE game = ?1 AND pool = ?2 AND {ahead}"
        return await self._count(text, entry.game, entry.pool, entry.since, entry.id, reader=Reader.PLAY)

    async def entry_of(self, game: str, pool: str, player: str) -> Entry | None:
        return await self._one(ENTRIES, "WHERE game = ?1 AND pool = ?2 AND player = ?3", game, pool, player)

    async def entries_of(self, player: str) -> Sequence[Entry]:
        return await self._all(ENTRIES, "WHERE player = ?1 ORDER BY since, id", player, reader=Reader.PLAY)

    async def pools(self) -> Sequence[tuple[str, str]]:
        text = "SELECT DISTINCT game, pool FROM entries ORDER BY game, pool"
        return await self._fetch(text, (), _two_texts, Reader.PLAY)

    async def rating(self, player: str, game: str) -> Rating | None:
        return await self._one(RATINGS, "WHERE player = ?1 AND game = ?2", player, game)

    async def ratings_of(self, player: str) -> Sequence[Rating]:
        return await self._all(RATINGS, "WHERE player = ?1 ORDER BY game", player)

    async def ratings(self, game: str, players: Sequence[str]) -> Sequence[Rating]:
        which = f"WHERE player IN ({_LIST.format(2)}) AND game = ?1 ORDER BY player"
        reader = Reader.PLAY if len(players) <= FEW else Reader.LIST
        return await self._all(RATINGS, which, game, _list(players), reader=reader)

    async def ratings_page(self, tenant: str, after: tuple[str, str], most: int) -> Sequence[Rating]:
        which = f"WHERE {_UNDER} AND (player, game) > (?3, ?4) ORDER BY player, game LIMIT ?5"
        return await self._all(RATINGS, which, *_keys_under(tenant), *after, most, reader=Reader.LIST)

    async def leaders(self, game: str, now: int, most: int) -> Sequence[Rating]:
        order = "ORDER BY rating DESC, player LIMIT ?3"
        which = f"WHERE game = ?1 AND ({_IS_PUBLIC}) AND {_IS_SETTLED} AND {_IS_STILL_SETTLED} {order}"
        return await self._all(RATINGS, which, game, now, most, reader=Reader.LIST)

    async def people_leaders(self, game: str, now: int, most: int) -> Sequence[Rating]:
        order = "ORDER BY rating DESC, player LIMIT ?3"
        which = f"WHERE game = ?1 AND {_IS_PERSON} AND {_IS_SETTLED} AND {_IS_STILL_SETTLED} {order}"
        return await self._all(RATINGS, which, game, now, most, reader=Reader.LIST)

    async def encounters(self, player: str, game: str, opponents: Sequence[str]) -> Sequence[Encounter]:
        which = f"WHERE player = ?1 AND game = ?2 AND opponent IN ({_places(len(opponents), 3)}) ORDER BY opponent"
        return await self._all(ENCOUNTERS, which, player, game, *opponents)

    async def encounters_before(self, at: int, most: int) -> Sequence[Encounter]:
        which = "WHERE updated_at < ?1 ORDER BY updated_at, player, game, opponent LIMIT ?2"
        return await self._all(ENCOUNTERS, which, at, most, reader=Reader.LIST)

    async def address_marks(self, player: str, most: int) -> Sequence[AddressMark]:
        which = "WHERE player = ?1 ORDER BY seen_at DESC, mark LIMIT ?2"
        return await self._all(ADDRESS_MARKS, which, player, most)

    async def address_marks_before(self, at: int, most: int) -> Sequence[AddressMark]:
        which = "WHERE seen_at < ?1 ORDER BY seen_at, player, mark LIMIT ?2"
        return await self._all(ADDRESS_MARKS, which, at, most, reader=Reader.LIST)

    async def agent(self, id: str) -> Agent | None:
        return await self._one(AGENTS, "WHERE id = ?1", id)

    async def agent_of_key(self, hash: str) -> Agent | None:
        return await self._one(AGENTS, "WHERE key_hash = ?1", hash)

    async def agent_named(self, name_key: str) -> Agent | None:
        return await self._one(AGENTS, "WHERE name_key = ?1", name_key)

    async def count_agents(self) -> int:
        return await self._count("SELECT number FROM counters WHERE name = 'agents'")

    async def person(self, id: str) -> Person | None:
        return await self._one(PEOPLE, "WHERE id = ?1", id)

    async def people(self, ids: Sequence[str]) -> Sequence[Person]:
        return await self._all(PEOPLE, f"WHERE id IN ({_LIST.format(1)}) ORDER BY id", _list(ids), reader=Reader.LIST)

    async def people_unseen(self, before: int, most: int) -> Sequence[Person]:
        which = "WHERE seen_at < ?1 ORDER BY seen_at, id LIMIT ?2"
        return await self._all(PEOPLE, which, before, most, reader=Reader.LIST)

    async def device(self, hash: str) -> Device | None:
        return await self._one(DEVICES, "WHERE hash = ?1", hash)

    async def devices_of(self, person: str) -> Sequence[Device]:
        return await self._all(DEVICES, "WHERE person = ?1 ORDER BY created_at, id", person)

    async def passkey(self, id: str) -> Passkey | None:
        return await self._one(PASSKEYS, "WHERE id = ?1", id)

    async def passkeys_of(self, person: str) -> Sequence[Passkey]:
        return await self._all(PASSKEYS, "WHERE person = ?1 ORDER BY created_at, id", person)

    async def code(self, id: str) -> OneTimeCode | None:
        return await self._one(CODES, "WHERE id = ?1", id)

    async def codes_expired(self, before: int, most: int) -> Sequence[OneTimeCode]:
        which = "WHERE expires_at < ?1 ORDER BY expires_at, id LIMIT ?2"
        return await self._all(CODES, which, before, most, reader=Reader.LIST)

    async def rating_change(self, table: str, player: str) -> RatingChange | None:
        return await self._one(RATING_CHANGES, 'WHERE "table" = ?1 AND player = ?2', table, player)

    async def tables_of(self, player: str, most: int) -> Sequence[TableRow]:
        seated = 'SELECT "table" FROM seats WHERE player = ?1 ORDER BY opened_at DESC, "table" LIMIT ?2'
        which = f"WHERE id IN ({seated}) ORDER BY opened_at DESC, id"
        return await self._table_rows(which, player, most, reader=Reader.PLAY if most <= FEW else Reader.LIST)

    async def rating_changes_page(self, player: str, after: Cursor, most: int) -> Sequence[RatingChange]:
        which = 'WHERE player = ?1 AND (at, "table") > (?2, ?3) ORDER BY at, "table" LIMIT ?4'
        return await self._all(RATING_CHANGES, which, player, *after, most, reader=Reader.LIST)

    async def latest_rating_changes(self, player: str, most: int) -> Sequence[RatingChange]:
        which = 'WHERE player = ?1 ORDER BY at DESC, "table" LIMIT ?2'
        return await self._all(RATING_CHANGES, which, player, most, reader=Reader.LIST)

    async def rating_changes_with_badges(self, player: str) -> Sequence[RatingChange]:
        which = "WHERE player = ?1 AND badges <> '[]' ORDER BY at"
        return await self._all(RATING_CHANGES, which, player, reader=Reader.LIST)

    async def live_tables_of(self, player: str) -> Sequence[TableRow]:
        seated = 'SELECT "table" FROM seats WHERE player = ?1 AND is_over = 0'
        which = f"WHERE id IN ({seated}) ORDER BY opened_at DESC, id"
        return await self._table_rows(which, player, reader=Reader.PLAY)

    async def history(self, player: str, before: Cursor, most: int) -> Sequence[TableRow]:
        return await self._history("player = ?1", player, before, most)

    async def public_history(self, player: str, before: Cursor, most: int) -> Sequence[TableRow]:
        return await self._history("player = ?1 AND is_public = 1", player, before, most)

    async def _history(self, own: str, player: str, before: Cursor, most: int) -> Sequence[TableRow]:
        order = 'ORDER BY ended_at DESC, "table" DESC LIMIT ?4'
        page = f'SELECT "table" FROM history WHERE {own} AND (ended_at, "table") < (?2, ?3) {order}'
        which = f"WHERE id IN ({page}) ORDER BY ended_at DESC, id DESC"
        return await self._table_rows(which, player, *before, most, reader=Reader.LIST)

    async def scores_of(self, player: str) -> Sequence[Score]:
        which = f"WHERE player = ?1 AND opponent IN ({_KINDS}) ORDER BY game, opponent"
        return await self._all(SCORES, which, player)

    async def scores_between(self, player: str, opponent: str) -> Sequence[Score]:
        return await self._all(SCORES, "WHERE player = ?1 AND opponent = ?2 ORDER BY game", player, opponent)

    async def friends_of(self, person: str, most: int) -> Sequence[Friendship]:
        which = "WHERE person = ?1 ORDER BY made_at, friend LIMIT ?2"
        return await self._all(FRIENDSHIPS, which, person, most, reader=Reader.LIST)

    async def friendship(self, person: str, friend: str) -> Friendship | None:
        return await self._one(FRIENDSHIPS, "WHERE person = ?1 AND friend = ?2", person, friend)

    async def friend_link(self, code: str) -> FriendLink | None:
        return await self._one(FRIEND_LINKS, "WHERE code = ?1", code)

    async def friend_link_of(self, person: str) -> FriendLink | None:
        return await self._one(FRIEND_LINKS, "WHERE person = ?1", person)

    async def blocks_of(self, person: str, most: int) -> Sequence[Block]:
        which = "WHERE person = ?1 ORDER BY made_at DESC, blocked LIMIT ?2"
        return await self._all(BLOCKS, which, person, most, reader=Reader.LIST)

    async def blocks_between(self, person: str, others: Sequence[str]) -> Sequence[Block]:
        listed = _LIST.format(2)
        own, theirs = f"person = ?1 AND blocked IN ({listed})", f"blocked = ?1 AND person IN ({listed})"
        which = f"WHERE ({own}) OR ({theirs}) ORDER BY person, blocked"
        return await self._all(BLOCKS, which, person, _list(others), reader=Reader.PLAY)

    async def puzzle_attempt(self, player: str, game: str, puzzle: str) -> PuzzleAttempt | None:
        return await self._one(PUZZLE_ATTEMPTS, "WHERE player = ?1 AND game = ?2 AND puzzle = ?3", player, game, puzzle)

    async def puzzle_attempts(self, player: str, game: str, puzzles: Sequence[str]) -> Sequence[PuzzleAttempt]:
        which = f"WHERE player = ?1 AND game = ?2 AND puzzle IN ({_LIST.format(3)}) ORDER BY puzzle"
        return await self._all(PUZZLE_ATTEMPTS, which, player, game, _list(puzzles), reader=Reader.LIST)

    async def puzzle_attempts_page(self, player: str, before: Cursor, most: int) -> Sequence[PuzzleAttempt]:
        which = "WHERE player = ?1 AND (at, puzzle) < (?2, ?3) ORDER BY at DESC, puzzle DESC LIMIT ?4"
        return await self._all(PUZZLE_ATTEMPTS, which, player, *before, most, reader=Reader.LIST)

    async def puzzle_ratings(self, game: str, players: Sequence[str]) -> Sequence[Rating]:
        which = f"WHERE player IN ({_LIST.format(2)}) AND game = ?1 ORDER BY player"
        reader = Reader.PLAY if len(players) <= FEW else Reader.LIST
        return await self._all(PUZZLE_RATINGS, which, game, _list(players), reader=reader)

    async def puzzle_ratings_of(self, player: str) -> Sequence[Rating]:
        return await self._all(PUZZLE_RATINGS, "WHERE player = ?1 ORDER BY game", player)

    async def puzzle_leaders(self, game: str, now: int, most: int) -> Sequence[Rating]:
        order = "ORDER BY rating DESC, player LIMIT ?3"
        which = f"WHERE game = ?1 AND {_IS_PERSON} AND {_IS_SETTLED} AND {_IS_STILL_SETTLED} {order}"
        return await self._all(PUZZLE_RATINGS, which, game, now, most, reader=Reader.LIST)

    async def puzzle_streaks_of(self, player: str) -> Sequence[PuzzleStreaks]:
        return await self._all(PUZZLE_STREAKS, "WHERE player = ?1 ORDER BY game", player)

    async def challenge(self, id: str) -> Challenge | None:
        return await self._one(CHALLENGES, "WHERE id = ?1", id)

    async def challenges_to(self, person: str, at: int, most: int) -> Sequence[Challenge]:
        which = "WHERE opponent = ?1 AND state = 'waiting' AND expires_at > ?2 ORDER BY expires_at DESC, id LIMIT ?3"
        return await self._all(CHALLENGES, which, person, at, most)

    async def challenges_from(self, person: str, since: int, most: int) -> Sequence[Challenge]:
        which = "WHERE challenger = ?1 AND made_at >= ?2 ORDER BY made_at DESC, id LIMIT ?3"
        return await self._all(CHALLENGES, which, person, since, most)

    async def challenges_before(self, at: int, most: int) -> Sequence[str]:
        text = "SELECT id FROM challenges WHERE made_at < ?1 ORDER BY made_at, id LIMIT ?2"
        return await self._fetch(text, (at, most), _first_text, Reader.LIST)

    async def tournament(self, id: str) -> Tournament | None:
        return await self._one(TOURNAMENTS, "WHERE id = ?1", id)

    async def tournaments(
        self, tenant: str, states: Sequence[str], before: Cursor, most: int, mode: str | None = None
    ) -> Sequence[Tournament]:
        """One list for each state, so that each is in the order of an index."""
        page = "(made_at, id) < (?3, ?4) ORDER BY made_at DESC, id DESC LIMIT ?5"
        which = f"WHERE tenant = ?1 AND state = ?2 AND {'' if mode is None else 'mode = ?6 AND '}{page}"
        modes = () if mode is None else (mode,)
        lists = [
            await self._all(TOURNAMENTS, which, tenant, state, *before, most, *modes, reader=Reader.LIST)
            for state in states
        ]
        found = sorted([each for rows in lists for each in rows], key=lambda row: (row.made_at, row.id), reverse=True)
        return found[:most]

    async def upcoming_tournaments(self, tenant: str, after: Cursor, most: int) -> Sequence[Tournament]:
        is_open = "WHERE tenant = ?1 AND state = 'created'"
        planned = f"{is_open} AND (starts_at, id) > (?2, ?3) ORDER BY starts_at, id LIMIT ?4"
        others = f"{is_open} AND starts_at IS NULL AND id < ?2 ORDER BY id DESC LIMIT ?3"
        has_planned = after.at < NEWEST.at
        found = await self._all(TOURNAMENTS, planned, tenant, *after, most, reader=Reader.LIST) if has_planned else []
        before = _LAST if has_planned else after.id
        rest = await self._all(TOURNAMENTS, others, tenant, before, most - len(found), reader=Reader.LIST)
        return [*found, *rest]

    async def open_tournaments_of(self, owner: str) -> int:
        text = f"SELECT count(*) FROM tournaments WHERE owner = ?1 AND {_IS_OPEN}"
        return await self._count(text, owner, reader=Reader.PLAY)

    async def open_tournaments(self, tenant: str) -> int:
        text = f"SELECT count(*) FROM tournaments WHERE tenant = ?1 AND {_IS_OPEN}"
        return await self._count(text, tenant, reader=Reader.PLAY)

    async def tournaments_due(
        self, clock: int, at: int, most: int, shards: Collection[str] | None = None
    ) -> Sequence[str]:
        if _is_none(shards):
            return []
        ours = f"{_in_shards(3)} ORDER BY"
        begun = f"SELECT id FROM tournaments WHERE due <= ?1 AND {ours} due, id LIMIT ?2"
        is_ready = "state = 'created' AND starts_at <= ?1"
        ready = f"SELECT id FROM tournaments WHERE {is_ready} AND {ours} starts_at, id LIMIT ?2"
        found = [
            id
            for text, time in ((begun, clock), (ready, at))
            for id in await self._fetch(text, (time, most, _other(shards)), _first_text, Reader.ROW)
        ]
        return [id for id in dict.fromkeys(found) if _is_in(id, shards)]

    async def tournaments_with(self, player: str, after: str, most: int) -> Sequence[Entrant]:
        which = "WHERE player = ?1 AND tournament > ?2 ORDER BY tournament LIMIT ?3"
        return await self._all(ENTRANTS, which, player, after, most, reader=Reader.LIST)

    async def tournaments_owned(self, owner: str, after: str, most: int) -> Sequence[Tournament]:
        which = "WHERE owner = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
        return await self._all(TOURNAMENTS, which, owner, after, most, reader=Reader.LIST)

    async def tournaments_ended(self, before: int, most: int) -> Sequence[str]:
        text = "SELECT id FROM tournaments WHERE ended_at < ?1 ORDER BY ended_at, id LIMIT ?2"
        return await self._fetch(text, (before, most), _first_text, Reader.LIST)

    async def entrants(self, tournament: str) -> Sequence[Entrant]:
        return await self._all(ENTRANTS, "WHERE tournament = ?1 ORDER BY number", tournament, reader=Reader.PLAY)

    async def entrant(self, tournament: str, player: str) -> Entrant | None:
        return await self._one(ENTRANTS, "WHERE player = ?2 AND tournament = ?1", tournament, player)

    async def pairings(self, tournament: str) -> Sequence[PairingRow]:
        which = "WHERE tournament = ?1 ORDER BY round, board"
        return await self._all(PAIRINGS, which, tournament, reader=Reader.PLAY)

    async def pairing(self, key: PairingKey) -> PairingRow | None:
        return await self._one(PAIRINGS, "WHERE tournament = ?1 AND round = ?2 AND board = ?3", *key)

    async def sightings(self, people: Sequence[str]) -> Sequence[Sighting]:
        return await self._all(SIGHTINGS, f"WHERE person IN ({_LIST.format(1)}) ORDER BY person", _list(people))

    async def reports_by(self, person: str, since: int, most: int) -> Sequence[Report]:
        which = "WHERE person = ?1 AND made_at >= ?2 ORDER BY made_at DESC, id LIMIT ?3"
        return await self._all(REPORTS, which, person, since, most)

    async def reports(self, before: Cursor, most: int) -> Sequence[Report]:
        which = "WHERE (made_at, id) < (?1, ?2) ORDER BY made_at DESC, id DESC LIMIT ?3"
        return await self._all(REPORTS, which, *before, most, reader=Reader.LIST)

    async def ended_tables(self, game: str, most: int) -> Sequence[TableRow]:
        which = "WHERE status = 'over' AND game = ?1 ORDER BY ended_at DESC, id LIMIT ?2"
        return await self._table_rows(which, game, most, reader=Reader.LIST)

    async def tables_page(self, player: str, after: Cursor, most: int) -> Sequence[TableRow]:
        page = 'player = ?1 AND (opened_at, "table") > (?2, ?3) ORDER BY opened_at, "table" LIMIT ?4'
        which = f'WHERE id IN (SELECT "table" FROM seats WHERE {page}) ORDER BY opened_at, id'
        return await self._all(TABLES, which, player, *after, most, reader=Reader.LIST)

    async def tables_under(self, tenant: str, most: int) -> Sequence[str]:
        if not is_storable((tenant,)):
            return []
        text = f'SELECT DISTINCT "table" FROM seats WHERE {_UNDER} LIMIT ?3'
        return await self._fetch(text, (*_keys_under(tenant), most), _first_text, Reader.LIST)

    async def tables_ended(self, before: int, most: int, after: Cursor = FIRST_PAGE) -> Sequence[TableRow]:
        page = "ended_at < ?1 AND (ended_at, id) > (?2, ?3) ORDER BY ended_at, id LIMIT ?4"
        return await self._table_rows(f"WHERE status = 'over' AND {page}", before, *after, most, reader=Reader.LIST)

    async def analysis(self, table: str) -> Analysis | None:
        found = await self._all(ANALYSES, 'WHERE "table" = ?1', table, reader=Reader.LIST)
        return found[0] if found else None

    async def analysis_job(self, table: str) -> AnalysisJob | None:
        return await self._one(ANALYSIS_JOBS, 'WHERE "table" = ?1', table)

    async def analysis_requests(self, shards: Collection[str] | None = None) -> Sequence[AnalysisRequest]:
        which = "WHERE state <> 'failed' ORDER BY asked_at, \"table\""
        found = [] if _is_none(shards) else await self._all(ANALYSIS_REQUESTS, which, reader=Reader.PLAY)
        return [request for request in found if _is_in(request.table, shards)]

    async def tables_to_count(self, most: int) -> Sequence[str]:
        text = 'SELECT "table" FROM explorer_queue ORDER BY "table" LIMIT ?1'
        return await self._fetch(text, (most,), _first_text, Reader.LIST)

    async def move_counts(self, position: int, most: int) -> Sequence[MoveCount]:
        which = "WHERE position = ?1 ORDER BY games DESC, move LIMIT ?2"
        return await self._all(EXPLORER_MOVES, which, position, most, reader=Reader.LIST)

    async def example_games(self, numbers: Sequence[int]) -> Sequence[TableRow]:
        text = f'SELECT "table" FROM explorer_games WHERE number IN ({_places(len(numbers))})'
        ids = await self._fetch(text, numbers, _first_text, Reader.LIST) if numbers else []
        if not ids:
            return []
        return await self._table_rows(f"WHERE id IN ({_places(len(ids))}) ORDER BY id", *ids, reader=Reader.LIST)

    async def tally(self, game: str) -> Tally:
        part = "SELECT matches, milliseconds, decisive FROM {} WHERE game = ?1"
        parts = f"{part.format('tallies')} UNION ALL {part.format('tally_slots')}"
        text = f"SELECT sum(matches), sum(milliseconds), sum(decisive) FROM ({parts}) AS parts"
        rows = await self._fetch(text, (game,), tuple, Reader.ROW) if is_storable((game,)) else []
        matches, milliseconds, decisive = (int(part or 0) for part in (rows[0] if rows else (0, 0, 0)))
        return Tally(matches, milliseconds / 1000, decisive)

    async def opened_since(self, game: str, at: int) -> int:
        """From the counts of whole hours, and from the rows of the first one."""
        hour = at // HOUR
        whole = "SELECT coalesce(sum(number), 0) FROM openings WHERE game = ?1 AND hour > ?2"
        rest = (
            "SELECT count(*) FROM tables WHERE game = ?1 AND opened_at >= ?2 AND opened_at < ?3"
            " AND mode <> 'exhibition'"
        )
        late = await self._count(whole, game, hour)
        return late + await self._count(rest, game, at, (hour + 1) * HOUR, reader=Reader.LIST)

    async def _count(self, text: str, *values: Any, reader: Reader = Reader.ROW) -> int:
        if not is_storable(values):
            return 0
        return int((await self._fetch(text, values, tuple, reader))[0][0])

    async def deliveries_due(self, now: int, most: int, shards: Collection[str] | None = None) -> Sequence[Delivery]:
        if _is_none(shards):
            return []
        # by their sessions, so that one process sends all deliveries of a session, in order
        which = f"WHERE state = 'waiting' AND due <= ?1 AND {_in_shards(3, 'session')} ORDER BY due, id LIMIT ?2"
        due = await self._all(DELIVERIES, which, now, most, _other(shards), reader=Reader.PLAY)
        return [delivery for delivery in due if _is_in(delivery.session, shards)]

    async def deliveries_done(self, before: int, most: int) -> Sequence[str]:
        text = "SELECT id FROM deliveries WHERE state IN ('delivered', 'dead') AND created_at < ?1 LIMIT ?2"
        return await self._fetch(text, (before, most), _first_text, Reader.LIST)

    async def delivery(self, id: str) -> Delivery | None:
        return await self._one(DELIVERIES, "WHERE id = ?1", id)

    async def deliveries_about(self, session: str, after: str, most: int) -> Sequence[Delivery]:
        which = "WHERE session = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
        return await self._all(DELIVERIES, which, session, after, most, reader=Reader.LIST)

    async def deliveries_page(self, tenant: str, after: str, most: int) -> Sequence[Delivery]:
        which = "WHERE tenant = ?1 AND id > ?2 ORDER BY id LIMIT ?3"
        return await self._all(DELIVERIES, which, tenant, after, most, reader=Reader.LIST)

    async def erasures(self, most: int) -> Sequence[Erasure]:
        return await self._all(ERASURES, "ORDER BY at, subject LIMIT ?1", most)

    async def deliveries(self, state: str, tenant: str | None = None, most: int = 100) -> Sequence[Delivery]:
        order = "ORDER BY created_at DESC, id"
        if tenant is None:
            return await self._all(DELIVERIES, f"WHERE state = ?1 {order} LIMIT ?2", state, most, reader=Reader.LIST)
        which = f"WHERE tenant = ?1 AND state = ?2 {order} LIMIT ?3"
        return await self._all(DELIVERIES, which, tenant, state, most, reader=Reader.LIST)


_IS_SETTLED: Final = f"deviation <= {SETTLED:.0f} AND opponents >= {LISTED_OPPONENTS}"
"""As the index `ratings_listed` says it."""
_IS_STILL_SETTLED: Final = (
    f"deviation * deviation + ((?2 - updated_at) / {IDLE_PERIOD}) * volatility * volatility * {SCALE**2}"
    f" <= {SETTLED**2}"
)
"""At the time ?2: `ratings.aged`, which adds the volatility's square for each period without a game."""
_IS_PUBLIC: Final = "substr(player, 1, 6) = 'agent/' OR substr(player, 1, 4) = 'bot/'"
"""As in the index `ratings_public`, which serves only this very condition."""
_IS_PERSON: Final = "substr(player, 1, 7) = 'person/'"
"""As in the indexes `ratings_people` and `puzzle_ratings_people`."""
_KINDS: Final = ", ".join(f"'{kind}'" for kind in KINDS)
_IS_OPEN: Final = "state IN ('created', 'running')"
_LAST: Final = "~"
"""Comes after all ids."""
_UNDER: Final = "player >= ?1 AND player < ?2"
_LIST: Final = "SELECT value FROM json_each(?{})"
"""The texts of a list that is one parameter: the statement is the same however many there are."""


def _places(most: int, first: int = 1) -> str:
    """Parameters for a few values; a longer list is one parameter, as in `_LIST`."""
    return ", ".join(f"?{number}" for number in range(first, first + most))


def _in_shards(parameter: int, column: str = "id") -> str:
    """Leaves out ids that end in a digit of other shards; `_is_in` decides about ids that end in none."""
    return f"instr(?{parameter}, substr({column}, length({column}))) = 0"


def _keys_under(tenant: str) -> tuple[str, str]:
    """The bounds of the keys of a tenant's players, which begin with its id and a slash."""
    return f"{tenant}/", f"{tenant}{chr(ord('/') + 1)}"


def _list(texts: Sequence[str]) -> str:
    return to_json([text for text in texts if is_storable((text,))])


def _other(shards: Collection[str] | None) -> str:
    return "" if shards is None else "".join(shard for shard in SHARDS if shard not in shards)


def _is_none(shards: Collection[str] | None) -> bool:
    """Whether nothing can be found, so that the database need not be asked."""
    return shards is not None and not shards


def _is_in(id: str, shards: Collection[str] | None) -> bool:
    return shards is None or shard_of(id) in shards


def _first_text(row: Iterable[Any]) -> str:
    (text,) = row
    return str(text)


def _two_texts(row: Iterable[Any]) -> tuple[str, str]:
    one, two = row
    return str(one), str(two)


def _text_and_number(row: Iterable[Any]) -> tuple[str, int]:
    text, number = row
    return str(text), int(number)


def _row_unless_damaged(row: Iterable[Any]) -> TableRow | None:
    values = list(row)
    try:
        return TABLES.record(values)
    except Unreadable as error:
        log.error("a damaged table is left out of lists", table=values[0], error=str(error))
        return None
