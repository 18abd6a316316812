"""Deletes what is older than the operator wants to keep: games, sessions and webhooks, in small batches."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import structlog

from ludus.service.exhibitions import FIRST
from ludus.service.player_keys import person_in
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import FIRST_PAGE, Conflict, Cursor, Store
from ludus.service.ports.writes import (
    DropAddressMark,
    DropChallenge,
    DropCode,
    DropDelivery,
    DropEncounter,
    DropSession,
    DropTable,
    DropTournament,
    Write,
)
from ludus.service.records import Person, TableRow

DAY: Final = 24 * 3600 * 1000
"""In milliseconds."""
BATCH: Final = 20
"""Webhooks or sessions deleted at once; more would delay the moves in the same group commit."""
GAMES: Final = 4
"""The same for games, each of which is many rows."""
PEOPLE: Final = 2
"""The same for people, each of whom has many games."""
PAGE: Final = 100
"""Games that are looked at to find those of guests."""
GUESTS: Final = "training"
"""The mode of games between anonymous players."""
MIN_MOVES: Final = 2
"""A game with fewer moves was not played."""
EXHIBITION_MS: Final = 3600 * 1000
"""How long the games that bots play for spectators are kept after their end."""
PAUSE_SECONDS: Final = 0.1
"""Between two batches while there are more."""
POLL_SECONDS: Final = 60.0

log = structlog.get_logger("ludus.retention")


class Days(NamedTuple):
    """How long each kind is kept; 0 is forever."""

    games: int = 0
    """After their end; tournaments too."""
    sessions: int = 0
    """After their creation, once they have ended."""
    webhooks: int = 0
    """After their creation, once they were delivered or given up."""
    guests: int = 0
    """Games of guests, after their end; those of the page's people are theirs to look at, and stay."""
    unplayed: int = 0
    """Games of guests and people with fewer than two moves, after their end."""
    encounters: int = 0
    """After the last game of the same two; addresses, after the last visit; challenges, after they were made."""
    codes: int = 0
    """People's codes and challenges, after they expired."""
    people: int = 0
    """After they were last there."""


class Batch(NamedTuple):
    deleted: int
    has_more: bool


def _has_guests_only(row: TableRow) -> bool:
    return all(person_in(player["key"]) is None for player in row.players)


def ignore(_what: str, _number: int) -> None:
    pass


async def _ignore(_what: object) -> None:
    pass


class Retention:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        days: Days,
        *,
        on_table: Callable[[str], Awaitable[None]] = _ignore,
        forget: Callable[[Person], Awaitable[None]] = _ignore,
        on_deleted: Callable[[str, int], None] = ignore,
        is_ours: Callable[[], bool] = lambda: True,
    ) -> None:
        """`on_table` is called with the id of each deleted game, `on_deleted` with a kind and a number.

        `forget` deletes a person, who is no longer stored when it returns.

        `is_ours` says whether this process deletes, and not another one.
        """
        self._store, self._clock, self._days = store, clock, days
        self._on_table, self._on_deleted, self._is_ours, self._forget = on_table, on_deleted, is_ours, forget
        self._task: asyncio.Task[None] | None = None
        self._seen: dict[int, Cursor] = {}
        """The last game that was looked at, by the most moves that games of guests may have to be deleted."""

    def start(self) -> None:
        if any(self._days):
            self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def delete_old(self) -> bool:
        """Deletes a batch of each kind; returns whether there may be more."""
        days = self._days
        return any(
            [
                await self._delete("games", days.games, self._games),
                await self._delete("tournaments", days.games, self._tournaments),
                await self._delete("sessions", days.sessions, self._sessions),
                await self._delete("webhooks", days.webhooks, self._webhooks),
                await self._delete("games", days.guests, self._games_of_guests),
                await self._delete("games", days.unplayed, self._unplayed_games),
                await self._delete("encounters", days.encounters, self._encounters),
                await self._delete("addresses", days.encounters, self._addresses),
                await self._delete("challenges", days.encounters, self._challenges),
                await self._delete("codes", days.codes, self._codes),
                await self._delete("people", days.people, self._people),
                await self._delete_exhibitions(),
            ]
        )

    async def _delete_exhibitions(self) -> bool:
        return await self._delete_before("games", self._clock.now() - EXHIBITION_MS, self._exhibitions)

    async def _delete(self, kind: str, days: int, batch: Callable[[int], Awaitable[Batch]]) -> bool:
        return bool(days) and await self._delete_before(kind, self._clock.now() - days * DAY, batch)

    async def _delete_before(self, kind: str, before: int, batch: Callable[[int], Awaitable[Batch]]) -> bool:
        try:
            number, has_more = await batch(before)
        except Conflict:  # one has changed since it was read; the next batch will not include it
            log.info("something changed while it was being deleted", kind=kind)
            return True
        if number:
            self._on_deleted(kind, number)
        return has_more

    async def _games(self, before: int) -> Batch:
        rows = await self._store.tables_ended(before, GAMES)
        for row in rows:
            await self._drop_game(row)
        return Batch(len(rows), len(rows) == GAMES)

    async def _games_of_guests(self, before: int) -> Batch:
        return await self._guests(before, sys.maxsize, _has_guests_only)

    async def _unplayed_games(self, before: int) -> Batch:
        return await self._guests(before, MIN_MOVES - 1, lambda _row: True)

    async def _guests(self, before: int, most_moves: int, may_go: Callable[[TableRow], bool]) -> Batch:
        """What stays is looked at once: a finished game does not change."""
        rows, deleted = await self._store.tables_ended(before, PAGE, self._seen.get(most_moves, FIRST_PAGE)), 0
        for row in rows:
            if row.mode == GUESTS and row.moves <= most_moves and may_go(row):
                if deleted == GAMES:
                    return Batch(deleted, True)
                await self._drop_game(row)
                deleted += 1
            self._seen[most_moves] = Cursor(row.ended_at or 0, row.id)
        return Batch(deleted, len(rows) == PAGE)

    async def _exhibitions(self, before: int) -> Batch:
        rows = [row for row in await self._store.tables_of(FIRST, PAGE) if (row.ended_at or before) < before][:GAMES]
        for row in rows:
            await self._drop_game(row)
        return Batch(len(rows), len(rows) == GAMES)

    async def _drop_game(self, row: TableRow) -> None:
        """With its sessions, which would lead nowhere."""
        sessions = [each.id for each in await self._store.sessions_of(row.id) if each.status == "ended"]
        await self._store.commit(DropTable(row), *map(DropSession, sessions))
        await self._on_table(row.id)

    async def _sessions(self, before: int) -> Batch:
        return await self._drop(list(map(DropSession, await self._store.sessions_ended(before, BATCH))))

    async def _webhooks(self, before: int) -> Batch:
        return await self._drop(list(map(DropDelivery, await self._store.deliveries_done(before, BATCH))))

    async def _encounters(self, before: int) -> Batch:
        return await self._drop(list(map(DropEncounter, await self._store.encounters_before(before, BATCH))))

    async def _challenges(self, before: int) -> Batch:
        return await self._drop(list(map(DropChallenge, await self._store.challenges_before(before, BATCH))))

    async def _tournaments(self, before: int) -> Batch:
        return await self._drop(list(map(DropTournament, await self._store.tournaments_ended(before, BATCH))))

    async def _addresses(self, before: int) -> Batch:
        return await self._drop(list(map(DropAddressMark, await self._store.address_marks_before(before, BATCH))))

    async def _codes(self, before: int) -> Batch:
        return await self._drop(list(map(DropCode, await self._store.codes_expired(before, BATCH))))

    async def _people(self, before: int) -> Batch:
        people = await self._store.people_unseen(before, PEOPLE)
        for person in people:
            await self._forget(person)
        return Batch(len(people), len(people) == PEOPLE)

    async def _drop(self, writes: list[Write]) -> Batch:
        await self._store.commit(*writes)
        return Batch(len(writes), len(writes) == BATCH)

    async def _run(self) -> None:
        while True:
            has_more = False
            try:
                has_more = self._is_ours() and await self.delete_old()
            except Exception:
                log.exception("old data could not be deleted; retrying")
            await asyncio.sleep(PAUSE_SECONDS if has_more else POLL_SECONDS)
