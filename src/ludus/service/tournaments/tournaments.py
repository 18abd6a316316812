"""What people, agents and tenants do with tournaments: create, enter, leave, start and view them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from ludus.service.agents import player_key as agent_key
from ludus.service.clock import UptimeClock
from ludus.service.documents import SizedCache
from ludus.service.page_tenant import ensure_page_tenant
from ludus.service.player_keys import person_key
from ludus.service.ports.store import FIRST_PAGE, NEWEST, Conflict, Cursor, Store
from ludus.service.ports.writes import PutEntrant, PutTournament
from ludus.service.records import MAX_ID, Agent, Entrant, PairingRow, Person, Tournament
from ludus.service.roster import Roster
from ludus.service.sessions import PAGE_TENANT, Forbidden
from ludus.service.table import SeatKind
from ludus.service.tables import NotFound
from ludus.service.tournaments import progress
from ludus.service.tournaments.director import CASUAL, LONELY_MS, WOKEN, Director
from ludus.service.tournaments.progress import CANCELLED, CREATED, FINISHED, LIVE, RUNNING, Place
from ludus.service.tournaments.terms import (
    NotAdmitted,
    Terms,
    TooManyTournaments,
    TournamentClosed,
    TournamentFull,
    checked,
)

MOST_OPEN: Final = 3
"""Of one person or agent."""
MOST_OF_TENANT: Final = 50
MOST_OF_PAGE: Final = 1000
"""Of all people and agents together: more than one address can create before the first of them are over."""
TURNOVER: Final = 4
"""How many times `most_entrants` may have entered in all, also those who have left."""
TRIES: Final = 32
MOST_WINNERS: Final = 1000
"""That are remembered."""
CACHED_BYTES: Final = 16 * 1024 * 1024
"""Of entrants and pairings that are remembered."""
ROW_BYTES: Final = 400
"""What an entrant or a pairing takes, about."""


class Applicant(NamedTuple):
    """A player who wants to enter."""

    key: str
    id: str
    name: str
    kind: str
    level: str = ""


class View(NamedTuple):
    """All that is known of a tournament."""

    tournament: Tournament
    entrants: Sequence[Entrant]
    pairings: Sequence[PairingRow]

    @property
    def standings(self) -> list[Place]:
        return progress.standings(*self)

    @property
    def rounds(self) -> int:
        """0 for an arena; before the start, as far as it can be told."""
        seeds = progress.by_seed(self.entrants)
        return progress.total_rounds(self.tournament, len(seeds) or max(2, self.tournament.entrants))

    def game_of(self, player: str) -> PairingRow | None:
        """The pairing that a player has to play now."""
        seed = next((each.seed for each in self.entrants if each.player == player), -1)
        return next((row for row in self.pairings if row.state == LIVE and seed in (row.first, row.second)), None)


class Tournaments:
    def __init__(
        self,
        store: Store,
        clock: UptimeClock,
        director: Director,
        roster: Roster,
        new_id: Callable[[], str],
        *,
        meets_people: bool,
    ) -> None:
        """`meets_people` says whether agents may play the page's people on this server."""
        self._store, self._clock, self._director = store, clock, director
        self._roster, self._new_id, self._meets_people = roster, new_id, meets_people
        self._winners: OrderedDict[tuple[str, int], Entrant | None] = OrderedDict()
        self._views: SizedCache[str, View] = SizedCache(CACHED_BYTES)

    async def create(self, owner: str, terms: Terms, tenant: str = PAGE_TENANT, mode: str = "") -> Tournament:
        """`owner` is a person's or an agent's key, or the tenant's id; a tenant's games have the `mode`."""
        now, clock = self._clock.moment()
        terms = checked(terms, now)
        is_page = tenant == PAGE_TENANT
        if is_page and {SeatKind.PERSON, SeatKind.AGENT} <= set(terms.admits) and not self._meets_people:
            raise Forbidden("agents do not play people here")
        await self._refuse_too_many(owner, tenant)
        if is_page:
            await ensure_page_tenant(self._store, now)
        tournament = Tournament(
            id=self._new_id(),
            version=1,
            tenant=tenant,
            mode=mode or ("live" if terms.is_rated else CASUAL),
            owner=owner,
            state=CREATED,
            entrants=0,
            round=0,
            made_at=now,
            due=clock + LONELY_MS if terms.starts_at is None else None,
            **terms._asdict(),
        )
        await self._store.commit(PutTournament(tournament))
        return tournament

    async def _refuse_too_many(self, owner: str, tenant: str) -> None:
        is_page = tenant == PAGE_TENANT
        most = MOST_OPEN if is_page else MOST_OF_TENANT
        if await self._store.open_tournaments_of(owner) >= most:
            raise TooManyTournaments(f"you have {most} tournaments that aren't over; finish or cancel one first")
        if is_page and await self._store.open_tournaments(tenant) >= MOST_OF_PAGE:
            raise TooManyTournaments("there are too many tournaments at the moment; join one, or try again later")

    async def get(self, id: str, tenant: str = PAGE_TENANT) -> Tournament:
        found = await self._store.tournament(id) if len(id) <= MAX_ID else None
        if found is None or found.tenant != tenant:
            raise NotFound("there is no such tournament")
        return found

    async def view(self, tournament: Tournament) -> View:
        """Read once for each version: whatever changes entrants or pairings also changes the version.

        Nothing is older than the version says, as it is read after the tournament; entrants come last, since
        pairings refer to them.
        """
        known = self._views.get(tournament.id)
        if known is not None and known.tournament.version == tournament.version:
            return known._replace(tournament=tournament)
        pairings, entrants = await self._store.pairings(tournament.id), await self._store.entrants(tournament.id)
        found = View(tournament, entrants, pairings)
        self._views.put(tournament.id, found, ROW_BYTES * (len(entrants) + len(pairings)))
        return found

    async def listed(
        self,
        states: Sequence[str],
        most: int,
        tenant: str = PAGE_TENANT,
        before: Cursor = NEWEST,
        mode: str | None = None,
    ) -> Sequence[Tournament]:
        """The last made first; with a mode, only those with games in it."""
        return await self._store.tournaments(tenant, states, before, most, mode)

    async def upcoming(self, most: int, tenant: str = PAGE_TENANT, after: Cursor = FIRST_PAGE) -> Sequence[Tournament]:
        """The next to start first; those that only their owner starts come last."""
        return await self._store.upcoming_tournaments(tenant, after, most)

    async def winners(self, listed: Sequence[Tournament]) -> list[Entrant | None]:
        """Of each; None for one that is not over."""
        return [await self._winner(each) for each in listed]

    async def _winner(self, tournament: Tournament) -> Entrant | None:
        """Counted once for each version: names that change, by an erasure, make a new one."""
        if tournament.state != FINISHED:
            return None
        key = tournament.id, tournament.version
        if key not in self._winners:
            view = await self.view(tournament)
            places = await asyncio.to_thread(progress.standings, *view)
            self._winners[key] = progress.winner(tournament, places)
            while len(self._winners) > MOST_WINNERS:
                self._winners.popitem(last=False)
        self._winners.move_to_end(key)
        return self._winners[key]

    async def join(self, id: str, applicant: Applicant, tenant: str = PAGE_TENANT) -> Entrant:
        """Also brings back one who has withdrawn, as long as players may enter. Safe to repeat."""
        for _ in range(TRIES):
            tournament = await self.get(id, tenant)
            known = await self._store.entrant(id, applicant.key)
            if known is not None and known.is_in:
                return known
            self._refuse_to_admit(tournament, applicant)
            entrants = await self._store.entrants(id)
            entrant = await self._entrant(tournament, applicant, known, entrants)
            now, entered = self._clock.moment(), sum(each.is_in for each in entrants) + 1
            if entered > tournament.most_entrants:
                raise TournamentFull(f"{tournament.most_entrants} players have entered already")
            if known is None and len(entrants) >= TURNOVER * tournament.most_entrants:
                raise TournamentFull("too many players have come and gone")
            changed = tournament._replace(version=tournament.version + 1, entrants=entered)
            if tournament.state == RUNNING:
                seeds = progress.by_seed([*entrants, entrant])
                changed = changed._replace(entrants=len(seeds), due=WOKEN)
            elif tournament.starts_when_full and entered == tournament.most_entrants:
                changed = changed._replace(starts_at=now.at)
            try:
                await self._store.commit(PutTournament(changed), PutEntrant(entrant))
            except Conflict:
                continue
            return entrant
        raise Conflict("the tournament is too busy; try again")

    def _refuse_to_admit(self, tournament: Tournament, applicant: Applicant) -> None:
        if tournament.state != CREATED and not (tournament.state == RUNNING and progress.may_join_late(tournament)):
            raise TournamentClosed("it is too late to enter this tournament")
        if applicant.kind not in tournament.admits:
            raise NotAdmitted(f"this tournament is for {', '.join(tournament.admits)}")
        if applicant.kind == SeatKind.BOT:
            self._roster.player(applicant.level, tournament.game, tournament.variant)

    async def _entrant(
        self, tournament: Tournament, applicant: Applicant, known: Entrant | None, entrants: Sequence[Entrant]
    ) -> Entrant:
        rating = (await self._director.ratings_of([applicant.key], tournament.game))[applicant.key]
        since = self._clock.moment().clock
        is_late = tournament.state == RUNNING
        seed = 1 + max((each.seed for each in entrants), default=-1) if is_late else -1
        if known is not None:
            seed = known.seed if known.seed >= 0 else seed
            return known._replace(version=known.version + 1, name=applicant.name, seed=seed, is_in=True, since=since)
        number = 1 + max((each.number for each in entrants), default=0)
        return Entrant(
            tournament.id, number, 1, applicant.key, applicant.id, applicant.name, applicant.kind, applicant.level,
            rating, seed, True, since,
        )  # fmt: skip

    async def withdraw(self, id: str, player: str, tenant: str = PAGE_TENANT) -> None:
        """Takes a player out of all rounds to come; a game in progress continues. Safe to repeat."""
        for _ in range(TRIES):
            tournament, known = await self.get(id, tenant), await self._store.entrant(id, player)
            if known is None:
                raise NotFound("this player has not entered")
            if not known.is_in:
                return None
            if tournament.state not in (CREATED, RUNNING):
                raise TournamentClosed("this tournament is over")
            changed = tournament._replace(version=tournament.version + 1)
            if tournament.state == RUNNING:
                changed = changed._replace(due=WOKEN)
            else:
                changed = changed._replace(entrants=max(0, tournament.entrants - 1))
            try:
                return await self._store.commit(
                    PutTournament(changed), PutEntrant(known._replace(version=known.version + 1, is_in=False))
                )
            except Conflict:
                continue
        raise Conflict("the tournament is too busy; try again")

    async def add_bot(self, id: str, owner: str, level: str, tenant: str = PAGE_TENANT) -> Entrant:
        """Each house bot can enter once."""
        self._refuse_unless_owner(await self.get(id, tenant), owner)
        return await self.join(id, bot_applicant(level), tenant)

    async def remove_bot(self, id: str, owner: str, level: str, tenant: str = PAGE_TENANT) -> None:
        self._refuse_unless_owner(await self.get(id, tenant), owner)
        await self.withdraw(id, bot_applicant(level).key, tenant)

    async def start(self, id: str, owner: str, tenant: str = PAGE_TENANT) -> Tournament:
        """Starts at once, whatever start was planned. Safe to repeat."""
        for _ in range(TRIES):
            tournament = await self.get(id, tenant)
            self._refuse_unless_owner(tournament, owner)
            if tournament.state == RUNNING:
                return tournament
            if tournament.state != CREATED:
                raise TournamentClosed("this tournament is over")
            if tournament.entrants < 2:
                raise TournamentClosed("a tournament needs two entrants at least")
            changed = tournament._replace(version=tournament.version + 1, starts_at=self._clock.moment().at)
            try:
                await self._store.commit(PutTournament(changed))
            except Conflict:
                continue
            await self._director.advance(id)
            return await self.get(id, tenant)
        raise Conflict("the tournament is too busy; try again")

    async def cancel(self, id: str, owner: str, tenant: str = PAGE_TENANT) -> Tournament:
        """Games in progress continue as ordinary ones. Safe to repeat."""
        for _ in range(TRIES):
            tournament = await self.get(id, tenant)
            self._refuse_unless_owner(tournament, owner)
            if tournament.state == CANCELLED:
                return tournament
            if tournament.state not in (CREATED, RUNNING):
                raise TournamentClosed("this tournament is over")
            with suppress(Conflict):
                return await self._director.call_off(tournament)
        raise Conflict("the tournament is too busy; try again")

    def _refuse_unless_owner(self, tournament: Tournament, owner: str) -> None:
        if tournament.owner != owner:
            raise Forbidden("only the owner of the tournament may do this")


def person_applicant(person: Person) -> Applicant:
    return Applicant(person_key(person.id), person.id, person.name, SeatKind.PERSON)


def agent_applicant(agent: Agent) -> Applicant:
    return Applicant(agent_key(agent.id), agent.id, agent.name, SeatKind.AGENT)


def bot_applicant(level: str) -> Applicant:
    return Applicant(f"bot/{level}", f"bot-{level}", f"{level.capitalize()} bot", SeatKind.BOT, level)
