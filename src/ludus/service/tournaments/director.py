"""Runs tournaments: starts them, pairs, opens tables, and takes in results.

Each step is one transaction on the versions of what it is based on. A process that dies between two steps leaves rows
from which any other can continue; if two take the same step at the same time, the versions let only one succeed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

import structlog

from ludus.service import ratings
from ludus.service.clock import UptimeClock
from ludus.service.cluster import Cluster, Work
from ludus.service.decisions import ENDINGS, Decision
from ludus.service.lobby import ARENA as ARENA_CHANNEL
from ludus.service.lobby import LimitsOf, bot_seat
from ludus.service.page_tenant import ensure_page_tenant
from ludus.service.ports.bus import Bus, PlayerSeated
from ludus.service.ports.store import Conflict, Store, Unavailable, Unreadable
from ludus.service.ports.writes import (
    PutEntrant,
    PutPairing,
    PutSession,
    PutTournament,
    ScheduleTournament,
    WakeTournament,
    Write,
)
from ludus.service.presence import Presence
from ludus.service.records import Entrant, PairingRow, Session, Tournament
from ludus.service.sessions import PAGE_TENANT
from ludus.service.table import EventKind, Opening, Seat, SeatKind, Table
from ludus.service.tables import NotFound, Tables
from ludus.service.tournaments import progress
from ludus.service.tournaments.progress import CANCELLED, CREATED, FINISHED, LIVE, OVER, RUNNING, WAITING
from ludus.service.tournaments.terms import ARENA, SWISS

log = structlog.get_logger("ludus.tournaments")

CASUAL: Final = "training"
LANE: Final = "fast"
"""The lane of agents' matches in a tournament."""
BATCH: Final = 20
"""Tournaments that are looked at in one sweep."""
LOOK_MS: Final = 60_000
"""How often a running tournament is looked at, even if nothing happens in it."""
SOON_MS: Final = 1_000
"""The same while players of an arena wait."""
RETRY_MS: Final = 2_000
"""After which a tournament that could not go on is looked at again; doubled each further time, up to:"""
MOST_RETRY_MS: Final = 600_000
LONELY_MS: Final = 24 * 3600 * 1000
"""After which a tournament without a start time is called off if fewer than two have entered."""
FORGOTTEN_MS: Final = 7 * LONELY_MS
"""After which it is called off anyway if its owner hasn't started it."""
WOKEN: Final = 0
"""When a tournament in which something has happened is due."""
STEPS: Final = 8
"""That are taken at once; more follow in the next sweep."""

ChangeHook = Callable[[Tournament, str], Awaitable[Sequence[Write]]]
"""Adds writes to the transaction of a change: `started`, `round_started`, `finished` or `cancelled`."""


class Failure(NamedTuple):
    """In milliseconds of uptime."""

    wait: int
    retry_at: int


class Director:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        tables: Tables,
        clock: UptimeClock,
        limits: LimitsOf,
        cluster: Cluster,
        presence: Presence,
        new_session_id: Callable[[], str],
        no_show: int,
    ) -> None:
        """A player who hasn't made the first move after `no_show` milliseconds forfeits the game."""
        self._store, self._bus, self._tables = store, bus, tables
        self._clock, self._limits, self._cluster = clock, limits, cluster
        self._presence, self._new_session_id, self._no_show = presence, new_session_id, no_show
        self.hooks: list[ChangeHook] = []
        self._checked: dict[str, int] = {}
        """When the games of a tournament were last asked whether they are over, in uptime."""
        self._failures: dict[str, Failure] = {}
        """Of tournaments that could not go on."""

    async def sweep(self) -> None:
        """Goes on with the tournaments of this process that are due."""
        now, shards = self._clock.moment(), self._cluster.shards_to_read(Work.SWEEP)
        due = await self._store.tournaments_due(now.clock, now.at, BATCH + len(self._failures), shards)
        self._failures = {id: self._failures[id] for id in due if id in self._failures}
        for id in [id for id in due if id not in self._failures or self._failures[id].retry_at <= now.clock]:
            try:
                await self.advance(id)
                self._failures.pop(id, None)
            except Unavailable:
                raise
            except Exception:  # the others go on
                log.exception("a tournament could not go on", tournament=id)
                self._note_failure(id)

    def _note_failure(self, id: str) -> None:
        wait = min(MOST_RETRY_MS, 2 * self._failures[id].wait) if id in self._failures else RETRY_MS
        self._failures[id] = Failure(wait, self._clock.moment().clock + wait)

    async def advance(self, id: str) -> None:
        """Does whatever can be done now. Safe to call at any time, from any process."""
        for _ in range(STEPS):
            tournament = await self._store.tournament(id)
            if tournament is None:
                return
            try:
                if not await self._step(tournament):
                    return
            except Conflict:  # something has changed: look again
                continue

    async def _step(self, tournament: Tournament) -> bool:
        """Whether there may be more to do."""
        now = self._clock.moment()
        if tournament.state == CREATED and tournament.starts_at is not None and tournament.starts_at <= now.at:
            await self._start(tournament)
            return True
        if tournament.state == CREATED and tournament.due is not None and tournament.due <= now.clock:
            await self._expire(tournament)
        if tournament.state != RUNNING:
            return False
        entrants = await self._store.entrants(tournament.id)
        pairings = await self._store.pairings(tournament.id)
        if tournament.due != WOKEN and await self._find_ended(tournament, pairings):
            return True
        if waiting := [row for row in pairings if row.state == WAITING]:
            await asyncio.gather(*[self._open(tournament, row, entrants) for row in waiting])
            return True
        return await self._go_on(tournament, entrants, pairings)

    async def _start(self, tournament: Tournament) -> None:
        """With fewer than two entrants there is nothing to play."""
        now = self._clock.moment()
        entered = [each for each in await self._store.entrants(tournament.id) if each.is_in]
        changed = tournament._replace(version=tournament.version + 1, entrants=len(entered))
        if len(entered) < 2:
            await self.call_off(tournament)
            return
        strengths = await self.ratings_of([each.player for each in entered], tournament.game)
        changed = changed._replace(state=RUNNING, started_at=now.at, due=WOKEN)
        if tournament.system == SWISS:
            changed = changed._replace(rounds=progress.total_rounds(tournament, len(entered)))
        if tournament.system == ARENA:
            changed = changed._replace(ends_due=now.clock + tournament.minutes * 60_000)
        seeds = [PutEntrant(each) for each in progress.seeded(entered, strengths)]
        await self._commit(changed, "started", *seeds)

    async def _expire(self, tournament: Tournament) -> None:
        """Calls off a tournament that its owner has not started, or says when that may happen."""
        now = self._clock.moment()
        left = tournament.made_at + FORGOTTEN_MS - now.at
        if tournament.entrants < 2 or left <= 0:
            await self.call_off(tournament)
        else:
            await self._store.commit(ScheduleTournament(tournament.id, tournament.version, now.clock + left))

    async def call_off(self, tournament: Tournament) -> Tournament:
        """A conflict if it has just changed."""
        at, version = self._clock.moment().at, tournament.version + 1
        changed = tournament._replace(version=version, state=CANCELLED, ended_at=at, due=None)
        await self._commit(changed, "cancelled")
        return changed

    async def ratings_of(self, players: Sequence[str], game: str) -> dict[str, float]:
        known = {each.player: each.rating for each in await self._store.ratings(game, players)}
        return {player: known.get(player, ratings.first(player)) for player in players}

    async def _go_on(self, tournament: Tournament, entrants: Sequence[Entrant], pairings: Sequence[PairingRow]) -> bool:
        """Pairs, ends the tournament, or says when to look again."""
        clock, is_quiet = self._clock.moment().clock, all(row.state == OVER for row in pairings)
        if tournament.system == ARENA:
            is_over = is_quiet and progress.is_over(tournament, pairings, clock)
            made = await asyncio.to_thread(progress.next_games, tournament, entrants, pairings, clock)
        else:
            made = await asyncio.to_thread(progress.next_round, tournament, entrants, pairings) if is_quiet else []
            is_over = is_quiet and not made
        changed = tournament._replace(version=tournament.version + 1)
        if is_over:
            at = self._clock.moment().at
            await self._commit(changed._replace(state=FINISHED, ended_at=at, due=None), "finished")
            return False
        if made:
            rows = [PutPairing(row) for row in progress.paired(tournament, made, clock)]
            is_round = tournament.system != ARENA
            new = changed._replace(round=tournament.round + 1, due=WOKEN)
            await self._commit(new, "round_started" if is_round else "", *rows)
            return True
        due = self._next_look(tournament, entrants, pairings)
        await self._store.commit(ScheduleTournament(tournament.id, tournament.version, due))
        return False

    def _next_look(self, tournament: Tournament, entrants: Sequence[Entrant], pairings: Sequence[PairingRow]) -> int:
        clock = self._clock.moment().clock
        if tournament.system != ARENA or tournament.ends_due is None or tournament.ends_due <= clock:
            return clock + LOOK_MS
        has_free = len(progress.free(entrants, pairings, clock)) > 1
        return min(tournament.ends_due, clock + (SOON_MS if has_free else LOOK_MS))

    async def _commit(self, tournament: Tournament, change: str, *writes: Write) -> None:
        extra = [write for hook in self.hooks for write in await hook(tournament, change)] if change else []
        await self._store.commit(PutTournament(tournament), *writes, *extra)

    async def _open(self, tournament: Tournament, row: PairingRow, entrants: Sequence[Entrant]) -> None:
        """Opens the table of a pairing, in one transaction with the row; nothing if another process has done it."""
        clock, wake = self._clock.moment().clock, WakeTournament(tournament.id)
        if (absent := progress.without_absent(tournament, row, entrants, clock)) is not row:
            with suppress(Conflict):
                await self._store.commit(PutPairing(absent), wake)
            return
        seeds = progress.by_seed(entrants)
        assert row.second is not None
        players = seeds[row.first], seeds[row.second]
        opening = self._opening(tournament, row, players)
        live = row._replace(version=row.version + 1, state=LIVE, tables=(*row.tables, opening.table))
        sessions = await self._sessions(tournament, opening)
        with suppress(Conflict):
            table = await self._tables.open(opening, PutPairing(live), wake, *sessions)
            for seat in table.seats:
                if seat.kind != SeatKind.BOT:
                    await self._bus.publish(PlayerSeated(seat.key, table.id))

    def _opening(self, tournament: Tournament, row: PairingRow, players: tuple[Entrant, Entrant]) -> Opening:
        """As the same players would meet otherwise: people and agents, and people and bots of our page, unrated."""
        kinds = {each.kind for each in players}
        is_match = SeatKind.AGENT in kinds and SeatKind.PERSON not in kinds
        is_page = tournament.tenant == PAGE_TENANT
        is_alike = is_match or kinds == {SeatKind.PERSON} or (not is_page and kinds != {SeatKind.BOT})
        is_rated = tournament.is_rated and is_alike
        channel = ARENA_CHANNEL if is_match else "rooms"
        mode = LANE if is_match else tournament.mode if is_rated or not is_page else CASUAL
        session = self._new_session_id() if SeatKind.PERSON in kinds else None
        seats = _seat(players[0], mode, session), _seat(players[1], mode, session)
        limits = self._limits(channel, mode, True, seats, tournament.time_control)
        if tournament.time_control.needs_presence:
            limits = limits._replace(first_move=self._no_show)
        return Opening(
            table=self._tables.new_id(),
            game=tournament.game,
            mode=mode,
            channel=channel,
            seats=seats,
            limits=limits,
            is_rated=is_rated,
            seed=self._tables.seed_for(tournament.game),
            variant=tournament.variant,
            time_control=tournament.time_control,
            pairing=row.key,
        )

    async def _sessions(self, tournament: Tournament, opening: Opening) -> list[Write]:
        """By which the people of a table get to it; one for both."""
        people = [seat for seat in opening.seats if seat.session is not None]
        if not people or people[0].session is None:
            return []
        now = self._clock.moment().at
        if tournament.tenant == PAGE_TENANT:
            await ensure_page_tenant(self._store, now)
        session = Session(
            id=people[0].session,
            version=1,
            tenant=tournament.tenant,
            game=tournament.game,
            mode=opening.mode,
            match_type="private",
            status="active",
            players=tuple({"id": seat.id, "displayName": seat.name} for seat in people),
            bot_level="",
            has_afk_limit=True,
            theme=None,
            room_code=None,
            table=opening.table,
            due=None,
            created_at=now,
            time_control=tournament.time_control,
            is_public=True,
            variant=tournament.variant,
        )
        return [PutSession(session)]

    def on_decision(self, decision: Decision) -> Awaitable[list[Write]] | None:
        """The result of a tournament's game, in the transaction that ends it."""
        if decision.after.opening.pairing is None or not decision.is_end:
            return None
        return self._result(decision.after, decision.event.kind, decision.event.seat, decision.event.clock)

    async def _result(self, table: Table, kind: str, seat: int | None, clock: int) -> list[Write]:
        key = table.opening.pairing
        assert key is not None and table.outcome is not None
        tournament, row = await self._store.tournament(key.tournament), await self._store.pairing(key)
        if tournament is None or row is None or row.state != LIVE or row.tables[-1] != table.id:
            return []
        winner = table.outcome.winner
        wake = WakeTournament(tournament.id)
        if kind != EventKind.TIMED_OUT or seat is None or has_moved(table, seat):
            is_aborted = kind == EventKind.ABORTED
            return [PutPairing(progress.after_game(tournament.system, row, winner, clock, is_aborted=is_aborted)), wake]
        absent = [seat] if await self._has_come(table, 1 - seat) else [seat, 1 - seat]
        over = progress.forfeited(row, winner if len(absent) == 1 else None, clock)
        return [PutPairing(over), *await self._withdrawn(tournament, table, absent), wake]

    async def _has_come(self, table: Table, seat: int) -> bool:
        """Whether a player was there; that isn't known of agents, so they count as present."""
        if table.seats[seat].kind != SeatKind.PERSON or has_moved(table, seat):
            return True
        return await self._presence.is_here(table.id, seat)

    async def _withdrawn(self, tournament: Tournament, table: Table, absent: Sequence[int]) -> list[Write]:
        """Players who don't show up are no longer paired; they can join again."""
        if tournament.system not in (ARENA, SWISS):
            return []
        found = [await self._store.entrant(tournament.id, table.seats[seat].key) for seat in absent]
        return [
            PutEntrant(each._replace(version=each.version + 1, is_in=False))
            for each in found
            if each is not None and each.is_in
        ]

    async def _find_ended(self, tournament: Tournament, pairings: Sequence[PairingRow]) -> bool:
        """Takes in games that ended without a result: by a process of an older version, or whose record is damaged.

        All games are loaded for it, so it is done once in a while; returns whether there were any.
        """
        clock = self._clock.moment().clock
        self._checked = {id: at for id, at in self._checked.items() if at + LOOK_MS > clock}
        if tournament.id in self._checked:
            return False
        missed = [await self._missed_result(tournament, row) for row in pairings if row.state == LIVE]
        for writes in filter(None, missed):
            with suppress(Conflict):  # it comes in just now
                await self._store.commit(*writes)
        self._checked[tournament.id] = clock
        return any(missed)

    async def _missed_result(self, tournament: Tournament, row: PairingRow) -> list[Write]:
        """Empty if the game is in progress."""
        try:
            loaded = await self._tables.load(row.tables[-1])
        except (NotFound, Unreadable):
            clock = self._clock.moment().clock
            over = progress.after_game(tournament.system, row, None, clock, is_aborted=True)
            return [PutPairing(over), WakeTournament(tournament.id)]
        if loaded.table.outcome is None:
            return []
        last = next(event for event in reversed(loaded.events) if event.kind in ENDINGS)
        return await self._result(loaded.table, last.kind, last.seat, last.clock)


def has_moved(table: Table, seat: int) -> bool:
    game = table.game
    return any(game.rules.maker(game.position_at(at), game.move_at(at)) == seat for at in range(game.length))


def _seat(entrant: Entrant, mode: str, session: str | None) -> Seat:
    if entrant.kind == SeatKind.BOT:
        return bot_seat(entrant.level, mode)
    is_person = entrant.kind == SeatKind.PERSON
    kind = SeatKind.PERSON if is_person else SeatKind.AGENT
    return Seat(entrant.player, entrant.id, entrant.name, kind, "", session if is_person else None)
