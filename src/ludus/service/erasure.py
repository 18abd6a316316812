"""Deletes what is stored about a player, an agent or a tenant.

A finished game stays verifiable for its other player, so its moves stay and the deleted player becomes a pseudonym.
Only a tenant's own games are deleted. An erasure is a row in the store until it is complete, so a restart resumes it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

import orjson
import structlog

from ludus.core.errors import BadInput, GameIsOver
from ludus.core.rules import Reason
from ludus.service.agents import AgentNotFound, Agents
from ludus.service.agents import player_key as agent_key
from ludus.service.cluster import Work
from ludus.service.commands import Abort, Command, Resign
from ludus.service.platform import Platform
from ludus.service.player_keys import person_in, person_key
from ludus.service.ports.bus import PlayerErased
from ludus.service.ports.store import FIRST_PAGE, NEWEST, Conflict, Store, Unavailable
from ludus.service.ports.writes import (
    DropAgent,
    DropDeliveries,
    DropErasure,
    DropKeys,
    DropPerson,
    DropRatings,
    DropRelations,
    DropSession,
    DropTable,
    DropTenant,
    DropTournament,
    PutEntrant,
    PutErasure,
    PutSession,
    PutTenant,
    PutTournament,
    RedactDelivery,
    RedactSeat,
    TakeEntry,
    Write,
)
from ludus.service.records import Agent, Delivery, Entrant, Erasure, Person, Session, Tenant, Tournament
from ludus.service.sessions import PAGE_TENANT, player_key
from ludus.service.table import ERASED, ERASED_NAMES, Seat, SeatKind, erased, is_erased, is_pseudonym, row_player
from ludus.service.tables import LoadedTable, NotFound
from ludus.service.tenants import Tenants
from ludus.service.tournaments.director import WOKEN
from ludus.service.tournaments.progress import CANCELLED, CREATED, RUNNING, STATES
from ludus.service.webhooks.delivery import body
from ludus.service.webhooks.outbox import WebhookOutbox

BATCH: Final = 20
"""Rows deleted in one transaction; more would delay the moves in the same group commit."""
PAGE: Final = 100
"""Rows read at once."""
WAIT_SECONDS: Final = 20.0
"""How long a request waits for an erasure; a longer one continues without it."""
POLL_SECONDS: Final = 1.0
ID_FIELDS: Final = frozenset({"id", "playerId", "winner", "winnerId", "forfeitedPlayerId"})
"""Where webhooks have a player's id."""
ERASED_TOURNAMENT: Final = "Tournament"
"""The name of one whose owner was deleted."""
NAME_FIELDS: Final = frozenset({"username", "displayName"})

log = structlog.get_logger("ludus.erasure")


def ignore(_kind: str) -> None:
    pass


class Erasures:
    def __init__(
        self,
        platform: Platform,
        agents: Agents,
        tenants: Tenants,
        outbox: WebhookOutbox,
        on_done: Callable[[str], None] = ignore,
    ) -> None:
        """`on_done` is called with `player`, `agent` or `tenant` after each complete erasure."""
        self._platform, self._store = platform, platform.store
        self._agents, self._tenants, self._outbox = agents, tenants, outbox
        self._on_done = on_done
        self._running: dict[str, asyncio.Task[None]] = {}
        self._poll: asyncio.Task[None] | None = None

    def start(self) -> None:
        """From now on also runs erasures that other processes have requested."""
        self._poll = asyncio.create_task(self._run())

    async def stop(self) -> None:
        tasks = [*([self._poll] if self._poll else []), *self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def request_agent(self, agent: Agent) -> list[Erasure]:
        """Its key stops working at once; `finish` resigns its matches and makes it a pseudonym in all of them."""
        erasure = Erasure(agent_key(agent.id), None, self._now())
        try:
            await self._store.commit(DropAgent(agent.id), PutErasure(erasure))
        except Conflict:
            raise AgentNotFound("there is no such agent") from None
        self._agents.forget(agent.id)
        return [erasure]

    async def request_player(self, tenant: str, player: str, modes: Iterable[str]) -> list[Erasure]:
        """A tenant's player in the sessions and games of these modes; `NotFound` if there is nothing about them.

        `finish` cancels the sessions that wait, resigns the games, and makes the player a pseudonym in all of them.
        """
        keys = [] if is_pseudonym(player) else await keys_of(self._store, tenant, player, modes)
        if not keys:
            raise NotFound("there is no such player")
        if tenant == PAGE_TENANT and (person := await self._store.person(player)):
            return await self.request_person(person)
        erasures = [Erasure(key, tenant, self._now()) for key in keys]
        await self._store.commit(*map(PutErasure, erasures))
        return erasures

    async def request_person(self, person: Person) -> list[Erasure]:
        """Their devices and passkeys stop working at once; `finish` treats them as a tenant's player."""
        erasure = Erasure(person_key(person.id), PAGE_TENANT, self._now())
        try:
            await self._store.commit(DropPerson(person.id), PutErasure(erasure))
        except Conflict:
            raise NotFound("there is no such person") from None
        return [erasure]

    async def request_tenant(self, tenant: Tenant) -> list[Erasure]:
        """The tenant's keys stop working at once; `finish` deletes its sessions, games, ratings and webhooks.

        In games with a player from elsewhere, the tenant's own players become pseudonyms.
        """
        if tenant.id == PAGE_TENANT:
            raise BadInput("this tenant belongs to the server's own page and cannot be deleted")
        erasure = Erasure(tenant.id, tenant.id, self._now())
        silent = tenant._replace(webhook_url=None)
        await self._store.commit(PutTenant(silent), DropKeys(tenant.id), PutErasure(erasure))
        self._tenants.forget(tenant.id)
        self._outbox.forget(tenant.id)
        return [erasure]

    async def finish(self, erasures: Iterable[Erasure]) -> bool:
        """Whether they are complete; if not, they continue in the background."""
        tasks = [self.begin(erasure) for erasure in erasures]
        done, late = await asyncio.wait(tasks, timeout=WAIT_SECONDS)
        return not late and all(task.exception() is None for task in done)

    async def _run(self) -> None:
        while True:
            try:
                for erasure in await self._store.erasures(PAGE) if self._platform.cluster.has(Work.SWEEP, "1") else ():
                    self.begin(erasure)
            except Unavailable:
                pass  # the sweep reports it
            except Exception:
                log.exception("the erasures could not be read; retrying")
            await asyncio.sleep(POLL_SECONDS)

    def begin(self, erasure: Erasure) -> asyncio.Task[None]:
        """One task per subject, however many callers ask for it."""
        task = self._running.get(erasure.subject)
        if task is None:
            task = self._running[erasure.subject] = asyncio.create_task(self._erase(erasure))
            task.add_done_callback(lambda _: self._running.pop(erasure.subject, None))
        return task

    async def _erase(self, erasure: Erasure) -> None:
        subject, tenant, _ = erasure
        kind = "agent" if tenant is None else "tenant" if subject == tenant else "player"
        try:
            if tenant is not None and kind == "tenant":
                await self._erase_tenant(tenant)
            else:
                await self._erase_player(subject, tenant)
        except Exception:
            log.exception("an erasure failed; retrying", kind=kind)  # the log must not keep the subject
            raise
        self._on_done(kind)

    async def _erase_player(self, key: str, tenant: str | None) -> None:
        if tenant is None:
            self._agents.forget(key.partition("/")[2])
        await self._platform.bus.publish(PlayerErased(key))
        while await self._erase_some(key, tenant):
            pass
        person = person_in(key)
        relations = [] if person is None else [DropRelations(person, key)]
        await self._store.commit(DropRatings(key), *relations, DropErasure(key))

    async def _erase_some(self, key: str, tenant: str | None) -> bool:
        """Returns whether anything was found."""
        found = await self._leave_queues(key) or await self._leave_tournaments(key, tenant)
        for row in await self._store.live_tables_of(key):
            table = (await self._platform.tables.load(row.id)).table
            if (seat := table.seat_of(key)) is not None:
                await self._end(row.id, Resign(seat))
        for row in await self._store.tables_page(key, FIRST_PAGE, PAGE):
            await self._redact_table(row.id, {key}, tenant)
            found = True
        return (tenant is not None and await self._redact_sessions(key, tenant)) or found

    async def _erase_tenant(self, tenant: str) -> None:
        self._tenants.forget(tenant)
        self._outbox.forget(tenant)
        while True:
            while sessions := await self._store.sessions_page(tenant, FIRST_PAGE, BATCH):
                for session in sessions:
                    await self._drop_session(session, tenant)
            while tables := await self._store.tables_under(tenant, BATCH):
                for id in tables:
                    await self._drop_table(id, tenant)
            while ratings := await self._store.ratings_page(tenant, ("", ""), BATCH):
                await self._store.commit(*map(DropRatings, dict.fromkeys(rating.player for rating in ratings)))
            while await self._store.deliveries_page(tenant, "", 1):
                await self._store.commit(DropDeliveries(tenant, BATCH))
            while tournaments := await self._store.tournaments(tenant, STATES, NEWEST, BATCH):
                await self._store.commit(*[DropTournament(each.id) for each in tournaments])
            own = [] if await self._store.tenant(tenant) is None else [DropTenant(tenant)]
            with suppress(Conflict):  # something was added in the meantime
                return await self._store.commit(*own, DropErasure(tenant))

    async def _drop_session(self, session: Session, tenant: str) -> None:
        for player in session.players:
            await self._platform.bus.publish(PlayerErased(player_key(session, player["id"])))
        ended = await self._platform.cancel(session.id)
        if ended.table is not None:
            await self._drop_table(ended.table, tenant)
        await self._store.commit(DropSession(session.id))

    async def _drop_table(self, id: str, tenant: str) -> None:
        """Deletes a game; one with a player from elsewhere is redacted instead."""
        await self._end(id, Abort(None, Reason.CANCELLED))
        row = await self._store.table(id)
        if row is None:
            return
        sessions = {each.id: each.tenant for each in await self._store.sessions_of(id)}
        seats = (await self._platform.tables.load(id)).table.seats
        own = {seat.key for seat in seats if _tenant_of(seat, sessions) == tenant}
        if all(seat.kind == SeatKind.BOT or seat.key in own or is_erased(seat) for seat in seats):
            await self._store.commit(DropTable(row))
            await self._platform.tables.note_deleted(id)
        else:
            await self._redact_table(id, own, None)

    async def _leave_queues(self, key: str) -> bool:
        entries = await self._store.entries_of(key)
        for entry in entries:
            with suppress(Conflict):  # just paired: the game is ended next
                await self._store.commit(TakeEntry(entry.id))
        return bool(entries)

    async def _leave_tournaments(self, key: str, tenant: str | None) -> bool:
        """A pseudonym stays in the standings; tournaments of theirs that are not over are called off."""
        entered = await self._store.tournaments_with(key, "", PAGE)
        owned = await self._store.tournaments_owned(key, "", PAGE)
        for entrant in entered:
            await self._redact_entrant(entrant, tenant)
        for tournament in owned:
            with suppress(Conflict):  # it has just changed, and will be found again
                await self._store.commit(PutTournament(_without_owner(tournament, self._now())))
        return bool(entered or owned)

    async def _redact_entrant(self, entrant: Entrant, tenant: str | None) -> None:
        tournament = await self._store.tournament(entrant.tournament)
        if tournament is None:
            return
        number = entrant.number
        new = entrant._replace(
            version=entrant.version + 1,
            player=f"{ERASED}/{number}" if tenant is None else f"{tenant}/{ERASED}/{number}",
            id=f"{ERASED}:{number}",
            name=ERASED_NAMES[SeatKind(entrant.kind)],
            is_in=False,
        )
        changed = tournament._replace(version=tournament.version + 1)
        if tournament.state == RUNNING:
            changed = changed._replace(due=WOKEN)
        elif tournament.state == CREATED and entrant.is_in:
            changed = changed._replace(entrants=max(0, tournament.entrants - 1))
        with suppress(Conflict):
            await self._store.commit(PutTournament(changed), PutEntrant(new))

    async def _end(self, table: str, command: Command) -> None:
        with suppress(GameIsOver, NotFound):
            await self._platform.tables.execute(table, command)

    async def _redact_table(self, id: str, keys: Collection[str], tenant: str | None) -> None:
        """Replaces the players with these keys in a finished game, its sessions and their webhooks."""
        for number in (0, 1):
            live = await self._platform.tables.load(id)
            if live.table.seats[number].key in keys and live.table.outcome:
                await self._redact_seat(live, number, tenant)

    async def _redact_seat(self, live: LoadedTable, number: int, tenant: str | None) -> None:
        """One transaction."""
        table, old = live.table, live.table.seats[number]
        new = erased(old, number, tenant)
        seats = [new if seat is old else seat for seat in table.seats]
        opening = {**live.events[0].data, "seats": [seat.to_data() for seat in seats]}
        sessions = await self._store.sessions_of(table.id)
        writes: list[Write] = [PutSession(_redacted(each, old.id, new.id)) for each in sessions if _names(each, old.id)]
        for session in {each.id for each in sessions} | {seat.session for seat in seats if seat.session}:
            writes += await self._redact_deliveries(session, old.id, new.id)
        players = tuple(row_player(seat) for seat in seats)
        await self._platform.tables.redact(table.id, RedactSeat(table.id, number, players, opening), *writes)

    async def _redact_sessions(self, key: str, tenant: str) -> bool:
        """Those without a game; the others are redacted with it. Returns whether any was found."""
        found, player = False, _id_in(key, tenant)
        if is_pseudonym(player):
            return False  # else each would be replaced by itself, forever
        async for session in sessions_with(self._store, tenant, player):
            if player_key(session, player) != key:
                continue
            found = True
            begun = await self._platform.cancel(session.id) if session.status == "pending" else session
            await self._redact_session(begun, player)
        return found

    async def _redact_session(self, session: Session, player: str) -> None:
        place = next(number for number, each in enumerate(session.players) if each["id"] == player)
        new = f"{ERASED}:{place}"
        writes = await self._redact_deliveries(session.id, player, new)
        with suppress(Conflict):  # it has just changed, and will be found again
            await self._store.commit(PutSession(_redacted(session, player, new)), *writes)

    async def _redact_deliveries(self, session: str, player: str, new: str) -> list[Write]:
        writes: list[Write] = []
        after = ""
        while page := await self._store.deliveries_about(session, after, PAGE):
            after = page[-1].id
            writes += [write for each in page if (write := _redacted_delivery(each, player, new))]
        return writes

    def _now(self) -> int:
        return self._platform.clock.moment().at


async def keys_of(store: Store, tenant: str, player: str, modes: Iterable[str]) -> list[str]:
    """The keys under which anything is stored about a tenant's player in these modes."""
    wanted, keys = tuple(modes), dict[str, None]()
    async for session in sessions_with(store, tenant, player):
        if session.mode in wanted:
            keys[player_key(session, player)] = None
    others = [f"{tenant}/{mode}/{player}" for mode in wanted]  # the sessions may have been deleted
    if tenant == PAGE_TENANT:
        others += [person_key(player), f"anonymous/{player}", f"guest/{player}"]
        if await store.person(player):
            keys[person_key(player)] = None
    for key in others:
        has_played = await store.tables_page(key, FIRST_PAGE, 1) or await store.ratings_of(key)
        if has_played or await store.tournaments_with(key, "", 1):
            keys[key] = None
    return list(keys)


async def sessions_with(store: Store, tenant: str, player: str) -> AsyncIterator[Session]:
    """All sessions of a tenant for the player with this id, in any mode."""
    after = ""
    while page := await store.sessions_with(tenant, player, after, PAGE):
        after = page[-1].id
        for session in page:
            yield session


def _id_in(key: str, tenant: str) -> str:
    """A player's own id: without the tenant and the mode, or what stands in their place."""
    return key.split("/", 2)[2] if key.startswith(f"{tenant}/") else key.split("/", 1)[1]


def _tenant_of(seat: Seat, sessions: Mapping[str, str]) -> str:
    """By the session, or by the key if the session has been deleted."""
    return sessions.get(seat.session or "") or seat.key.partition("/")[0]


def _without_owner(tournament: Tournament, at: int) -> Tournament:
    """Its name was the owner's choice, too."""
    changed = tournament._replace(version=tournament.version + 1, owner=ERASED, name=ERASED_TOURNAMENT)
    is_open = tournament.state in (CREATED, RUNNING)
    return changed._replace(state=CANCELLED, ended_at=at, due=None) if is_open else changed


def _names(session: Session, player: str) -> bool:
    winner = session.result and session.result["winner"]
    return player == winner or player in [each["id"] for each in session.players]


def _redacted(session: Session, player: str, new: str) -> Session:
    replaced = {"id": new, "displayName": ERASED_NAMES[SeatKind.PERSON]}
    is_own = session.players[0]["id"] == player
    result = session.result
    if result is not None and result["winner"] == player:
        result = {**result, "winner": new}
    return session._replace(
        version=session.version + 1,
        players=tuple(replaced if each["id"] == player else each for each in session.players),
        theme=None if is_own else session.theme,
        result=result,
    )


def _redacted_delivery(delivery: Delivery, player: str, new: str) -> RedactDelivery | None:
    """None where the webhook does not name the player."""
    content = orjson.loads(delivery.body)
    changed = body(_without(content, player, new))
    return RedactDelivery(delivery.id, changed) if changed != delivery.body else None


def _without(content: Any, player: str, new: str) -> Any:
    if isinstance(content, list):
        return [_without(each, player, new) for each in content]
    if not isinstance(content, Mapping):
        return content
    is_theirs = content.get("id") == player
    return {name: _replaced(name, value, player, new, is_theirs=is_theirs) for name, value in content.items()}


def _replaced(name: str, value: Any, player: str, new: str, *, is_theirs: bool) -> Any:
    if name in ID_FIELDS and value == player:
        return new
    if name in NAME_FIELDS and is_theirs:
        return ERASED_NAMES[SeatKind.PERSON]
    return _without(value, player, new)
