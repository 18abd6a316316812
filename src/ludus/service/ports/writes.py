"""The writes of a commit to the store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ludus.service.records import (
    AddressMark,
    Agent,
    Analysis,
    AnalysisJob,
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


class Append(NamedTuple):
    """One event and the table's row after it, both of one version."""

    row: TableRow
    event: Event


class PutTenant(NamedTuple):
    tenant: Tenant


class PutKey(NamedTuple):
    key: Key


class PutSession(NamedTuple):
    session: Session


class PutSeatCode(NamedTuple):
    code: SeatCode


class TakeSeatCode(NamedTuple):
    """A conflict if it is gone."""

    hash: str


class DropSeatCodes(NamedTuple):
    """Those that had expired by then."""

    at: int


class PutEntry(NamedTuple):
    """A conflict if the player is already queued in this pool and game."""

    entry: Entry


class TakeEntry(NamedTuple):
    """A conflict if it is gone."""

    id: str


class PutRating(NamedTuple):
    """A conflict unless `games` is one more than stored."""

    rating: Rating


class PutAgent(NamedTuple):
    """A conflict if the name is taken or `version` is not the next one."""

    agent: Agent


class PutPerson(NamedTuple):
    """A conflict unless `version` is the next one."""

    person: Person


class PutDevice(NamedTuple):
    """A new one of a person who must exist."""

    device: Device


class SeeDevice(NamedTuple):
    """The person was there, on this device; nothing happens if it is gone."""

    hash: str
    person: str
    at: int


class PutPasskey(NamedTuple):
    """A new one of a person who must exist; a conflict if its id is known."""

    passkey: Passkey


class UsePasskey(NamedTuple):
    """A conflict if it is gone, or if its counter has moved since it was read."""

    passkey: Passkey
    sign_count: int
    at: int


class PutCode(NamedTuple):
    """A conflict if the id is taken, or `version` is not the next one."""

    code: OneTimeCode


class PutRatingChange(NamedTuple):
    """A conflict if the player's rating was already updated for this table."""

    change: RatingChange


class PutEncounter(NamedTuple):
    """Replaces an older one of the same players."""

    encounter: Encounter


class PutAddressMark(NamedTuple):
    """Replaces an older one of the same player and mark."""

    mark: AddressMark


class PutAnalysis(NamedTuple):
    """Replaces an older one of the same table."""

    analysis: Analysis


class PutAnalysisJob(NamedTuple):
    """A conflict unless `version` is 1 (new) or one more than stored."""

    job: AnalysisJob


class DropAnalysisJob(NamedTuple):
    """A conflict unless it is stored with this very version."""

    job: AnalysisJob


class PutDelivery(NamedTuple):
    """A conflict unless `attempts` is 0 (new or replayed) or one more than stored."""

    delivery: Delivery


class DropDelivery(NamedTuple):
    """A conflict if it is gone or still waiting to be sent."""

    id: str


class DropDeliveries(NamedTuple):
    """Some of a tenant's deliveries, whatever their state."""

    tenant: str
    most: int


class DropSession(NamedTuple):
    """A conflict if it is gone or has not ended."""

    id: str


class DropTable(NamedTuple):
    """With its events and analysis. It stays in the tally, and its rating changes stay too.

    A conflict if it is gone or live.
    """

    row: TableRow


class RedactSeat(NamedTuple):
    """Replaces the players of a finished table and its first event's data, and removes the seat's command ids.

    A conflict if the table is gone or live.
    """

    table: str
    seat: int
    players: tuple[Mapping[str, Any], ...]
    opening: Mapping[str, Any]


class RedactDelivery(NamedTuple):
    """Replaces the body, if the delivery still exists."""

    id: str
    body: str


class PutHistory(NamedTuple):
    entry: HistoryEntry


class AddScore(NamedTuple):
    """Adds these results to those stored."""

    score: Score


class PutFriendship(NamedTuple):
    """Replaces an older one of the same two."""

    friendship: Friendship


class DropFriendship(NamedTuple):
    """Both friends' rows; nothing happens if they are gone."""

    person: str
    friend: str


class PutFriendLink(NamedTuple):
    """Replaces the person's older one; a conflict if the code is taken."""

    link: FriendLink


class PutBlock(NamedTuple):
    """Replaces an older one of the same two."""

    block: Block


class DropBlock(NamedTuple):
    """Nothing happens if it is gone."""

    person: str
    blocked: str


class PutChallenge(NamedTuple):
    """A conflict unless `version` is 1 (new) or one more than stored."""

    challenge: Challenge


class DropChallenge(NamedTuple):
    """Nothing happens if it is gone."""

    id: str


class PutPuzzleAttempt(NamedTuple):
    """A conflict unless `version` is 1 (new) or one more than stored."""

    attempt: PuzzleAttempt


class PutPuzzleRating(NamedTuple):
    """Of a player or, with a key like `puzzle/ID`, of a puzzle; a conflict unless `games` is one more than stored."""

    rating: Rating


class PutPuzzleStreaks(NamedTuple):
    """A conflict unless `version` is 1 (new) or one more than stored."""

    streaks: PuzzleStreaks


class DropPuzzleAttempts(NamedTuple):
    """A player's attempts that are older than so many others."""

    player: str
    most: int


class PutReport(NamedTuple):
    report: Report


class PutTournament(NamedTuple):
    """A conflict unless `version` is the next one."""

    tournament: Tournament


class WakeTournament(NamedTuple):
    """Something has changed in a tournament: its version goes up and, if it is running, it must be looked at.

    Never a conflict.
    """

    id: str


class ScheduleTournament(NamedTuple):
    """When to look at a tournament next. Its version stays; a conflict unless it is still this one."""

    id: str
    version: int
    due: int


class PutEntrant(NamedTuple):
    """A conflict unless `version` is the next one, or if the player has entered already."""

    entrant: Entrant


class PutPairing(NamedTuple):
    """A conflict unless `version` is the next one."""

    pairing: PairingRow


class DropTournament(NamedTuple):
    """With its entrants and pairings; the games stay."""

    id: str


class PutSighting(NamedTuple):
    """Replaces an older one of the same person."""

    sighting: Sighting


class DropRelations(NamedTuple):
    """A person's history, scores, friends, link, blocks, challenges and reports, and what others have of them."""

    person: str
    """The id."""
    player: str
    """The key."""


class DropEncounter(NamedTuple):
    """Nothing happens if it has changed."""

    encounter: Encounter


class DropAddressMark(NamedTuple):
    """Nothing happens if it has changed."""

    mark: AddressMark


class DropRatings(NamedTuple):
    """A player's ratings, rating changes, encounters, address marks and puzzles in all games."""

    player: str


class DropAgent(NamedTuple):
    """A conflict if it is gone."""

    id: str


class DropPerson(NamedTuple):
    """With their devices, passkeys and codes, also those of seats. A conflict if the person is gone."""

    id: str


class DropDevice(NamedTuple):
    """One of a person's; a conflict if it is gone."""

    person: str
    id: str


class DropPasskey(NamedTuple):
    """One of a person's; a conflict if it is gone."""

    person: str
    id: str


class DropCode(NamedTuple):
    """A conflict unless it is stored with this very version."""

    code: OneTimeCode


class DropKeys(NamedTuple):
    """All keys of a tenant."""

    tenant: str


class DropTenant(NamedTuple):
    """A conflict if it is gone, or if keys, sessions or deliveries of it exist."""

    id: str


class CountMoves(NamedTuple):
    """Adds the openings of finished games; a conflict if one of these is no longer in the queue."""

    tables: tuple[str, ...]
    examples: tuple[str, ...]
    """Those among the tables that everyone may see."""
    moves: tuple[MoveCount, ...]
    """At most one of each position and move, in this order."""


class PutErasure(NamedTuple):
    erasure: Erasure


class DropErasure(NamedTuple):
    subject: str


class PutMember(NamedTuple):
    """Replaces an older one with the same id."""

    member: Member


class DropMember(NamedTuple):
    """Nothing happens if it is gone."""

    id: str


class TakeLease(NamedTuple):
    """Gives the lease to a member, or to nobody.

    A conflict unless `token` is one more than stored; a lease that was never taken has the token 0.
    """

    name: str
    holder: str | None
    token: int


class PutConnection(NamedTuple):
    """Nothing happens if it is there."""

    connection: ConnectionRow


class DropConnection(NamedTuple):
    """Nothing happens if it is gone."""

    connection: ConnectionRow


Write = (
    Append
    | PutTenant
    | PutKey
    | PutSession
    | PutSeatCode
    | TakeSeatCode
    | DropSeatCodes
    | PutEntry
    | TakeEntry
    | PutRating
    | PutAgent
    | PutPerson
    | PutDevice
    | SeeDevice
    | PutPasskey
    | UsePasskey
    | PutCode
    | PutRatingChange
    | PutEncounter
    | PutAddressMark
    | PutAnalysis
    | PutAnalysisJob
    | DropAnalysisJob
    | PutDelivery
    | DropDelivery
    | DropDeliveries
    | DropSession
    | DropTable
    | RedactSeat
    | RedactDelivery
    | PutHistory
    | AddScore
    | PutFriendship
    | DropFriendship
    | PutFriendLink
    | PutBlock
    | DropBlock
    | PutChallenge
    | DropChallenge
    | PutPuzzleAttempt
    | PutPuzzleRating
    | PutPuzzleStreaks
    | DropPuzzleAttempts
    | PutReport
    | PutSighting
    | PutTournament
    | WakeTournament
    | ScheduleTournament
    | PutEntrant
    | PutPairing
    | DropTournament
    | DropRelations
    | DropEncounter
    | DropAddressMark
    | DropRatings
    | DropAgent
    | DropPerson
    | DropDevice
    | DropPasskey
    | DropCode
    | DropKeys
    | DropTenant
    | CountMoves
    | PutErasure
    | DropErasure
    | PutMember
    | DropMember
    | TakeLease
    | PutConnection
    | DropConnection
)
