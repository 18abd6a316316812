"""Games that two house bots play for spectators while there is nothing else to watch: unrated, and soon deleted.

They run only while somebody is looking at the start page or the list of live games. Each process that serves such a
page notifies the others; the process that runs the bots of `EXHIBITION`'s shard opens the games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Final

import structlog

from ludus.core.errors import GameIsOver
from ludus.core.rules import Reason
from ludus.games import GAMES
from ludus.service.clock import UptimeClock
from ludus.service.cluster import Cluster, Work
from ludus.service.commands import Abort
from ludus.service.lobby import bot_seat
from ludus.service.ports.bus import Bus, ExhibitionsWatched, Note
from ludus.service.ports.store import Store, Unreadable
from ludus.service.records import TableRow
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table
from ludus.service.tables import NotFound, Tables

log = structlog.get_logger(__name__)

EXHIBITION: Final = "exhibition"
"""The mode of these games, and the prefix of their players' keys, which have no ratings and no history."""
FIRST: Final = f"{EXHIBITION}/0"
"""The key of the player in the first seat of every exhibition."""
LEVELS: Final = ("novice", "easy", "steady", "medium")
"""The players have two different ones, strong enough to play sensibly, and weak enough to make mistakes."""
NO_LIMITS: Final = Limits(None, None, None)
WATCHED_MS: Final = 90_000
"""How long the games continue after the last visit."""
TELL_MS: Final = 10_000
"""Between two notes to the other processes."""
LOOK_MS: Final = 3_000
"""Between two looks at the store."""
SEARCHED: Final = 100
"""The newest live games, among which a public one is looked for."""


def is_exhibition(table: Table) -> bool:
    return table.opening.mode == EXHIBITION


def is_public(row: TableRow) -> bool:
    """Whether lists of live games show it: not a person's game with a bot, and none that is private."""
    kinds = {player["kind"] for player in row.players}
    is_match = SeatKind.AGENT in kinds or kinds == {SeatKind.PERSON}
    return row.mode == EXHIBITION or (is_match and not row.is_private)


class Exhibitions:
    def __init__(
        self,
        store: Store,
        bus: Bus,
        tables: Tables,
        cluster: Cluster,
        clock: UptimeClock,
        rng: Random,
        *,
        is_on: bool,
    ) -> None:
        self._store, self._bus, self._tables = store, bus, tables
        self._cluster, self._clock, self._rng = cluster, clock, rng
        self.is_on = is_on
        self.wake: Callable[[Table], None] = lambda _table: None
        """Resumes the bots of a table."""
        self.spectators: Callable[[str], int] = lambda _table: 0
        """Of a table, connected to this process."""
        self._watched_until = self._next_note = self._next_look = 0
        self._has_ended_all = False

    @property
    def is_watched(self) -> bool:
        return self.is_on and self._now < self._watched_until

    @property
    def _now(self) -> int:
        return self._clock.moment().clock

    def may_move(self, table: Table) -> bool:
        """Whether the table's bots may move. They pause in exhibitions that nobody watches."""
        return self.is_watched or not is_exhibition(table)

    async def note_viewer(self) -> None:
        """Call it when somebody opens a page that shows live games."""
        if self.is_on and self._now >= self._next_note:
            self._next_note = self._now + TELL_MS
            await self._bus.publish(ExhibitionsWatched())

    async def on_note(self, note: Note) -> None:
        if isinstance(note, ExhibitionsWatched):
            if not self.is_watched:
                self._next_look = 0
            self._watched_until = self._now + WATCHED_MS

    async def sweep(self) -> None:
        """Resumes this process's games, and opens missing ones. Costs nothing if unwatched."""
        if not self.is_on and not self._has_ended_all:
            await self._end_all()
        if not self.is_watched or self._now < self._next_look:
            return
        self._next_look = self._now + LOOK_MS
        damaged = self._tables.unreadable
        rows = [row for row in await self._store.live_tables_of(FIRST) if row.id not in damaged]
        for row in rows:
            if self.spectators(row.id):
                await self.note_viewer()
            if self._cluster.has(Work.BOTS, row.id):
                with suppress(NotFound, Unreadable):
                    self.wake((await self._tables.load(row.id)).table)
        if self._cluster.has(Work.BOTS, EXHIBITION):
            await self._close_duplicates(rows)
            for game in GAMES:
                if all(row.game != game for row in rows) and not await self._has_public_game(game):
                    await self._open(game)

    async def _end_all(self) -> None:
        """Games from before the setting was turned off."""
        if self._cluster.has(Work.BOTS, EXHIBITION):
            for row in await self._store.live_tables_of(FIRST):
                await self._cancel(row)
            self._has_ended_all = True

    async def _cancel(self, row: TableRow) -> None:
        with suppress(GameIsOver, NotFound, Unreadable):  # it has just ended, or is damaged
            await self._tables.execute(row.id, Abort(None, Reason.CANCELLED))

    async def _has_public_game(self, game: str) -> bool:
        """Whether there is something else to watch."""
        rows = await self._store.live_tables(game, SEARCHED)
        return any(is_public(row) and row.id not in self._tables.unreadable for row in rows)

    async def _open(self, game: str) -> None:
        first, second = self._rng.sample(LEVELS, 2)
        opening = Opening(
            table=self._tables.new_id(),
            game=game,
            mode=EXHIBITION,
            channel="rooms",
            seats=(_seat(first, 0), _seat(second, 1)),
            limits=NO_LIMITS,
            is_rated=False,
            seed=self._tables.seed_for(game),
        )
        table = await self._tables.open(opening)
        log.debug("an exhibition starts", game=game, table=table.id)

    async def _close_duplicates(self, rows: Sequence[TableRow]) -> None:
        """While work moved between processes, both may have opened a game; the older one stays."""
        seen = Counter[str]()
        for row in sorted(rows, key=lambda row: (row.opened_at, row.id)):
            seen[row.game] += 1
            if seen[row.game] > 1:
                await self._cancel(row)


def _seat(level: str, number: int) -> Seat:
    return bot_seat(level, "live")._replace(key=f"{EXHIBITION}/{number}")
