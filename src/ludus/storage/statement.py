"""Writes as SQL. Each statement changes exactly one row, unless it is marked; if it changes none, another write won."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ludus.service.ids import digest
from ludus.service.ports.writes import (
    AddScore,
    Append,
    CountMoves,
    DropAddressMark,
    DropAgent,
    DropAnalysisJob,
    DropBlock,
    DropChallenge,
    DropCode,
    DropConnection,
    DropDeliveries,
    DropDelivery,
    DropDevice,
    DropEncounter,
    DropErasure,
    DropFriendship,
    DropKeys,
    DropMember,
    DropPasskey,
    DropPerson,
    DropPuzzleAttempts,
    DropRatings,
    DropRelations,
    DropSeatCodes,
    DropSession,
    DropTable,
    DropTenant,
    DropTournament,
    PutAddressMark,
    PutAgent,
    PutAnalysis,
    PutAnalysisJob,
    PutBlock,
    PutChallenge,
    PutCode,
    PutConnection,
    PutDelivery,
    PutDevice,
    PutEncounter,
    PutEntrant,
    PutEntry,
    PutErasure,
    PutFriendLink,
    PutFriendship,
    PutHistory,
    PutKey,
    PutMember,
    PutPairing,
    PutPasskey,
    PutPerson,
    PutPuzzleAttempt,
    PutPuzzleRating,
    PutPuzzleStreaks,
    PutRating,
    PutRatingChange,
    PutReport,
    PutSeatCode,
    PutSession,
    PutSighting,
    PutTenant,
    PutTournament,
    RedactDelivery,
    RedactSeat,
    ScheduleTournament,
    SeeDevice,
    TakeEntry,
    TakeLease,
    TakeSeatCode,
    UsePasskey,
    WakeTournament,
    Write,
)
from ludus.service.records import Delivery, LeaseRow, TableRow
from ludus.storage.errors import BadRecord
from ludus.storage.relation import R, Relation, is_storable, to_json
from ludus.storage.schema import (
    ADDRESS_MARKS,
    AGENTS,
    ANALYSES,
    ANALYSIS_JOBS,
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
    HISTORY,
    KEYS,
    LEASES,
    LIVE_TABLES,
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
    SEATS,
    SESSIONS,
    SIGHTINGS,
    TABLES,
    TENANTS,
    TOURNAMENTS,
    SeatRow,
)

Drop = (
    DropDelivery
    | DropDeliveries
    | DropSession
    | DropEncounter
    | DropAddressMark
    | DropRatings
    | DropAgent
    | DropPerson
    | DropPuzzleAttempts
    | DropDevice
    | DropPasskey
    | DropCode
    | DropFriendship
    | DropBlock
    | DropChallenge
    | DropRelations
    | DropAnalysisJob
    | DropKeys
    | DropTenant
    | DropTournament
    | DropErasure
    | DropMember
    | DropConnection
)


class Statement(NamedTuple):
    text: str
    values: Sequence[Any]
    may_change_any: bool = False
    """Whether it may change any number of rows."""


def statements(write: Write) -> Sequence[Statement]:
    match write:
        case Append():
            return _append(write)
        case PutSession(session):
            return (_put(SESSIONS, session, is_new=session.version == 1),)
        case PutSeatCode(code):
            return (Statement(SEAT_CODES.insert, SEAT_CODES.values(code)),)
        case TakeSeatCode(hash):
            return (_one("DELETE FROM seat_codes WHERE hash = ?1", hash),)
        case DropSeatCodes(at):
            return (_any("DELETE FROM seat_codes WHERE expires_at <= ?1", at),)
        case PutDelivery(delivery):
            return (_delivery(delivery),)
        case PutRating(rating):
            return (_put(RATINGS, rating, is_new=rating.games == 1),)
        case PutEntry(entry):
            return (Statement(ENTRIES.insert, ENTRIES.values(entry)),)
        case TakeEntry(id):
            return (_take(id),)
        case PutTenant(tenant):
            return (Statement(TENANTS.upsert, TENANTS.values(tenant)),)
        case PutAgent(agent):
            return (_put(AGENTS, agent, is_new=agent.version == 1),)
        case PutPerson(person):
            return (_put(PEOPLE, person, is_new=person.version == 1),)
        case PutDevice(device):
            return (Statement(DEVICES.insert, DEVICES.values(device)),)
        case SeeDevice():
            return _see_device(write)
        case PutPasskey(passkey):
            return (Statement(PASSKEYS.insert, PASSKEYS.values(passkey)),)
        case UsePasskey(passkey, sign_count, at):
            use = "UPDATE passkeys SET sign_count = ?3, used_at = ?4 WHERE id = ?1 AND sign_count = ?2"
            return (_one(use, passkey.id, passkey.sign_count, sign_count, at),)
        case PutCode(code):
            return (_put(CODES, code, is_new=code.version == 1),)
        case PutRatingChange(change):
            return (Statement(RATING_CHANGES.insert, RATING_CHANGES.values(change)),)
        case PutEncounter(encounter):
            return (Statement(ENCOUNTERS.upsert, ENCOUNTERS.values(encounter)),)
        case PutAddressMark(mark):
            return (Statement(ADDRESS_MARKS.upsert, ADDRESS_MARKS.values(mark)),)
        case PutAnalysis(analysis):
            return (Statement(ANALYSES.upsert, ANALYSES.values(analysis)),)
        case PutAnalysisJob(job):
            return (_put(ANALYSIS_JOBS, job, is_new=job.version == 1),)
        case PutKey(key):
            return (Statement(KEYS.upsert, KEYS.values(key)),)
        case PutHistory(entry):
            return (Statement(HISTORY.insert, HISTORY.values(entry)),)
        case AddScore(score):
            return (Statement(_ADD_SCORE, SCORES.values(score)),)
        case PutFriendship(friendship):
            return (Statement(FRIENDSHIPS.upsert, FRIENDSHIPS.values(friendship)),)
        case PutFriendLink(link):
            return (Statement(FRIEND_LINKS.upsert, FRIEND_LINKS.values(link)),)
        case PutBlock(block):
            return (Statement(BLOCKS.upsert, BLOCKS.values(block)),)
        case PutChallenge(challenge):
            return (_put(CHALLENGES, challenge, is_new=challenge.version == 1),)
        case PutPuzzleAttempt(attempt):
            return (_put(PUZZLE_ATTEMPTS, attempt, is_new=attempt.version == 1),)
        case PutPuzzleRating(rating):
            return (_put(PUZZLE_RATINGS, rating, is_new=rating.games == 1),)
        case PutPuzzleStreaks(streaks):
            return (_put(PUZZLE_STREAKS, streaks, is_new=streaks.version == 1),)
        case PutReport(report):
            return (Statement(REPORTS.insert, REPORTS.values(report)),)
        case PutSighting(sighting):
            return (Statement(SIGHTINGS.upsert, SIGHTINGS.values(sighting)),)
        case PutTournament(tournament):
            return (_put(TOURNAMENTS, tournament, is_new=tournament.version == 1),)
        case WakeTournament(id):
            due = "CASE WHEN state = 'running' THEN 0 ELSE due END"
            return (_any(f"UPDATE tournaments SET version = version + 1, due = {due} WHERE id = ?1", id),)
        case ScheduleTournament():
            return (_one("UPDATE tournaments SET due = ?3 WHERE id = ?1 AND version = ?2", *write),)
        case PutEntrant(entrant):
            return (_put(ENTRANTS, entrant, is_new=entrant.version == 1),)
        case PutPairing(pairing):
            return (_put(PAIRINGS, pairing, is_new=pairing.version == 1),)
        case CountMoves():
            return _count_moves(write)
        case PutErasure(erasure):
            return (Statement(ERASURES.upsert, ERASURES.values(erasure)),)
        case PutMember(member):
            return (Statement(MEMBERS.upsert, MEMBERS.values(member)),)
        case TakeLease():
            return (_put(LEASES, LeaseRow(*write), is_new=write.token == 1),)
        case PutConnection(connection):
            return (Statement(CONNECTIONS.upsert, CONNECTIONS.values(connection), may_change_any=True),)
        case RedactSeat():
            return _redact_seat(write)
        case RedactDelivery(id, body):
            return (_any("UPDATE deliveries SET body = ?2 WHERE id = ?1", id, body),)
        case DropTable(row):
            return _drop_table(row)
        case _:
            return _drop(write)


def _append(append: Append) -> tuple[Statement, ...]:
    """The row comes first: if its version is not the next one, it fails before anything has changed."""
    row, event = append
    if row.version != event.version or row.id != event.table:
        raise BadRecord("an event and its row must have the same table and version")
    written = (_table(row), Statement(EVENTS.insert, EVENTS.values(event)))
    return written if row.version > 1 else (*written, *_seats(row))


def _seats(row: TableRow) -> list[Statement]:
    """The players of a new table."""
    seats = [SeatRow(row.id, place, player["key"], row.opened_at) for place, player in enumerate(row.players)]
    return [Statement(SEATS.insert, SEATS.values(seat)) for seat in seats]


def _table(row: TableRow) -> Statement:
    return _put(LIVE_TABLES if row.status == "live" else TABLES, row, is_new=row.version == 1)


def _see_device(seen: SeeDevice) -> tuple[Statement, ...]:
    hash, person, at = seen
    return (
        _any("UPDATE devices SET seen_at = ?2 WHERE hash = ?1", hash, at),
        _any("UPDATE people SET seen_at = ?2 WHERE id = ?1", person, at),
    )


def _delivery(delivery: Delivery) -> Statement:
    if delivery.attempts:
        return Statement(DELIVERIES.update, DELIVERIES.changes(delivery))
    return Statement(DELIVERIES.upsert, DELIVERIES.values(delivery))


def _put(relation: Relation[R], record: R, *, is_new: bool) -> Statement:
    if is_new:
        return Statement(relation.insert, relation.values(record))
    return Statement(relation.update, relation.changes(record))


def _take(id: str) -> Statement:
    if not is_storable((id,)):
        raise BadRecord("no entry can have this id")
    return Statement("DELETE FROM entries WHERE id = ?1", (id,))


def _one(text: str, *values: Any) -> Statement:
    return Statement(text, _storable(values))


def _any(text: str, *values: Any) -> Statement:
    return Statement(text, _storable(values), may_change_any=True)


def _storable(values: Sequence[Any]) -> Sequence[Any]:
    if not is_storable(values):
        raise BadRecord("text with a NUL or a lone surrogate cannot be stored")
    return values


def _drop(write: Drop) -> tuple[Statement, ...]:
    match write:
        case DropDelivery(id):
            return (_one("DELETE FROM deliveries WHERE id = ?1 AND state <> 'waiting'", id),)
        case DropDeliveries(tenant, most):
            some = "SELECT id FROM deliveries WHERE tenant = ?1 LIMIT ?2"
            return (_any(f"DELETE FROM deliveries WHERE id IN ({some})", tenant, most),)
        case DropSession(id):
            return (_one("DELETE FROM sessions WHERE id = ?1 AND status = 'ended'", id),)
        case DropEncounter(seen):
            own = "player = ?1 AND game = ?2 AND opponent = ?3 AND updated_at = ?4"
            values = (seen.player, seen.game, seen.opponent, seen.updated_at)
            return (_any(f"DELETE FROM encounters WHERE {own}", *values),)
        case DropAddressMark(mark):
            return (_any("DELETE FROM address_marks WHERE player = ?1 AND mark = ?2 AND seen_at = ?3", *mark),)
        case DropRatings(player):
            names = ("settlements", "ratings", "encounters", "address_marks", *_PUZZLES)
            all_own = [_any(f"DELETE FROM {name} WHERE player = ?1", player) for name in names]
            return (*all_own, _any("DELETE FROM encounters WHERE opponent = ?1", player))
        case DropAgent(id):
            return (_one("DELETE FROM agents WHERE id = ?1", id),)
        case DropPerson(id):
            parts = [_any(f"DELETE FROM {name} WHERE person = ?1", id) for name in ("devices", "passkeys", "codes")]
            parts.append(_any("DELETE FROM seat_codes WHERE player = ?1", id))
            return (*parts, _one("DELETE FROM people WHERE id = ?1", id))
        case DropPuzzleAttempts(player, most):
            newest = "SELECT at FROM puzzle_attempts WHERE player = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2 - 1"
            return (_any(f"DELETE FROM puzzle_attempts WHERE player = ?1 AND at < ({newest})", player, most),)
        case DropDevice(person, id):
            return (_one("DELETE FROM devices WHERE person = ?1 AND id = ?2", person, id),)
        case DropPasskey(person, id):
            return (_one("DELETE FROM passkeys WHERE person = ?1 AND id = ?2", person, id),)
        case DropCode(code):
            return (_one("DELETE FROM codes WHERE id = ?1 AND version = ?2", code.id, code.version),)
        case DropFriendship(person, friend):
            both = "(person = ?1 AND friend = ?2) OR (person = ?2 AND friend = ?1)"
            return (_any(f"DELETE FROM friendships WHERE {both}", person, friend),)
        case DropBlock(person, blocked):
            return (_any("DELETE FROM blocks WHERE person = ?1 AND blocked = ?2", person, blocked),)
        case DropChallenge(id):
            return (_any("DELETE FROM challenges WHERE id = ?1", id),)
        case DropRelations(person, player):
            return _drop_relations(person, player)
        case DropAnalysisJob(job):
            return (_one('DELETE FROM analysis_jobs WHERE "table" = ?1 AND version = ?2', job.table, job.version),)
        case DropKeys(tenant):
            return (_any("DELETE FROM keys WHERE tenant = ?1", tenant),)
        case DropTenant(id):
            owned = [f"SELECT 1 FROM {name} WHERE tenant = ?1" for name in ("keys", "sessions", "deliveries")]
            return (_one(f"DELETE FROM tenants WHERE id = ?1 AND NOT EXISTS ({' UNION ALL '.join(owned)})", id),)
        case DropTournament(id):
            parts = [_any(f"DELETE FROM {name} WHERE tournament = ?1", id) for name in ("pairings", "entrants")]
            return (*parts, _any("DELETE FROM tournaments WHERE id = ?1", id))
        case DropErasure(subject):
            return (_any("DELETE FROM erasures WHERE subject = ?1", subject),)
        case DropMember(id):
            return (_any("DELETE FROM members WHERE id = ?1", id),)
        case DropConnection(connection):
            return (_any('DELETE FROM connections WHERE "table" = ?1 AND seat = ?2 AND member = ?3', *connection),)


def _redact_seat(redaction: RedactSeat) -> tuple[Statement, ...]:
    table, seat, players, opening = redaction
    return (
        _one("UPDATE tables SET players = ?2 WHERE id = ?1 AND status = 'over'", table, to_json(players)),
        _one('UPDATE events SET data = ?2 WHERE "table" = ?1 AND version = 1', table, to_json(opening)),
        _any('UPDATE events SET command = NULL WHERE "table" = ?1 AND seat = ?2', table, seat),
        _one('UPDATE seats SET player = ?3 WHERE "table" = ?1 AND seat = ?2', table, seat, players[seat]["key"]),
    )


def _drop_relations(person: str, player: str) -> tuple[Statement, ...]:
    of_person = {
        "friendships": ("person", "friend"),
        "friend_links": ("person",),
        "blocks": ("person", "blocked"),
        "challenges": ("challenger", "opponent"),
        "reports": ("person",),
        "sightings": ("person",),
    }
    of_player = {"history": ("player",), "scores": ("player", "opponent"), "reports": ("player",)}
    return tuple(
        _any(f"DELETE FROM {name} WHERE {column} = ?1", value)
        for value, tables in ((person, of_person), (player, of_player))
        for name, columns in tables.items()
        for column in columns
    )


def _count_moves(count: CountMoves) -> tuple[Statement, ...]:
    """If a game is no longer in the queue, another process has counted it, or it was deleted.

    The moves come first, so that this transaction and one that deletes all counts wait for each other without a lock.
    """
    tables, examples, moves = count
    taken = [_one('DELETE FROM explorer_queue WHERE "table" = ?1', table) for table in tables]
    show = 'INSERT INTO explorer_games (number, "table") VALUES (?1, ?2) ON CONFLICT DO NOTHING'
    shown = [_any(show, digest(id), id) for id in examples]
    return (*(Statement(_ADD_MOVE, EXPLORER_MOVES.values(move)) for move in moves), *shown, *taken)


def _drop_table(row: TableRow) -> tuple[Statement, ...]:
    names = ("analyses", "analysis_jobs", "history", "explorer_queue", "seats", "events")
    parts = [_any(f'DELETE FROM {name} WHERE "table" = ?1', row.id) for name in names]
    parts.append(_any("DELETE FROM explorer_games WHERE number = ?1", digest(row.id)))
    return (*parts, _one("DELETE FROM tables WHERE id = ?1 AND status = 'over'", row.id))


QUEUE_GAMES: Final = (
    "INSERT INTO explorer_queue SELECT id FROM tables WHERE status = 'over' AND mode NOT IN ('exhibition', 'test')"
    " ON CONFLICT DO NOTHING"
)
QUEUED_GAMES: Final = "SELECT count(*) FROM explorer_queue"

_PUZZLES: Final = ("puzzle_attempts", "puzzle_ratings", "puzzle_streaks")

_ADD_SCORE: Final = (
    f"{SCORES.insert} ON CONFLICT (player, opponent, game) DO UPDATE SET"
    " wins = scores.wins + ?4, draws = scores.draws + ?5, losses = scores.losses + ?6"
)

_NEWER: Final = "CASE WHEN excluded.{0} > explorer_moves.{0} THEN excluded.{1} ELSE explorer_moves.{1} END"
_ADD_MOVE: Final = (
    f"{EXPLORER_MOVES.insert} ON CONFLICT (position, move) DO UPDATE SET"
    + ",".join(f" {name} = explorer_moves.{name} + excluded.{name}" for name in ("games", "wins", "draws"))
    + ",".join(["", *(f" {name} = explorer_moves.{name} + excluded.{name}" for name in ("rated", "ratings"))])
    + f", last_at = {_NEWER.format('last_at', 'last_at')}"
    + f", example = {_NEWER.format('rank', 'example')}, rank = {_NEWER.format('rank', 'rank')}"
)

HEARTBEAT: Final = (
    "INSERT INTO house (id, beat, closed) VALUES (1, ?1, ?3) ON CONFLICT (id) DO UPDATE SET beat = ?1, closed ="
    " ?1 - CASE WHEN ?2 > house.beat - house.closed THEN ?2 ELSE house.beat - house.closed END"
)
"""`closed` is the wall clock minus uptime."""


def heartbeat(at: int, clock: int | None) -> tuple[int, int, int]:
    """The values for `HEARTBEAT`."""
    return (at, 0, 0) if clock is None else (at, clock, at - clock)


FORGET_MEMBERS: Final = ("DELETE FROM members", "DELETE FROM connections")
"""When a process has the lease alone, none of the stored members runs."""
