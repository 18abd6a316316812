"""Parts of the platform for tests: a real store, a real bus, a clock that is set by hand."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random

from ludus.bus.memory import MemoryBus
from ludus.service.clock import UptimeClock
from ludus.service.cluster import Cluster, Role
from ludus.service.commands import Play
from ludus.service.lobby import Lobby, Seeker
from ludus.service.platform import new_member
from ludus.service.ports.bus import Note
from ludus.service.ports.store import Store
from ludus.service.ports.writes import RedactSeat
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table, erased, row_player
from ludus.service.tables import LoadedTable, Tables
from ludus.service.time_control import TimeControl
from ludus.storage import store_for

START = 1_700_000_000_000
LIMITS = Limits(60_000, 90_000, 60_000)


ALWAYS = 10**12
"""The grace of a platform that is taken to have worked all the time between two heartbeats."""


class FakeClock:
    def __init__(self) -> None:
        self.time = START
        self.elapsed = 0

    def now(self) -> int:
        return self.time

    def monotonic(self) -> int:
        return self.elapsed

    def wait(self, seconds: float) -> None:
        self.time += round(seconds * 1000)
        self.elapsed += round(seconds * 1000)

    def jump(self, seconds: float) -> None:
        """Somebody sets the wall clock, forward or back."""
        self.time += round(seconds * 1000)


class Parts:
    """Tables and a lobby; `notes` is all that went over the bus."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.wall = FakeClock()
        self.bus = MemoryBus()
        self.clock = UptimeClock(self.wall, grace=ALWAYS, settle=0)
        self.tables = Tables(store, self.bus, self.clock, lambda: str(uuid.uuid4()), lambda: b"\7" * 32)
        self.cluster = Cluster(store, new_member(b"secret", Role.BOTH))
        self.lobby = Lobby(store, self.bus, self.tables, self.clock, limits, self.cluster, Random(1))
        self.notes: list[Note] = []
        self.bus.subscribe(self._listen)

    async def _listen(self, note: Note) -> None:
        self.notes.append(note)


def limits(
    _channel: str, _mode: str, has_afk_limit: bool, _seats: Sequence[Seat], time_control: TimeControl | None
) -> Limits:
    return (LIMITS if has_afk_limit else Limits(None, None, LIMITS.reconnect)).under(time_control)


@asynccontextmanager
async def parts(folder: Path) -> AsyncIterator[Parts]:
    store = store_for("", folder)
    await store.open()
    try:
        yield Parts(store)
    finally:
        await store.close()


def person(name: str) -> Seat:
    return Seat(f"tenant/live/{name}", name, name.capitalize(), SeatKind.PERSON)


def seeker(name: str, rating: float = 1500.0, *, pool: str = "live", has_afk_limit: bool = True) -> Seeker:
    return Seeker(person(name), "checkers", "live", pool, rating, has_afk_limit, None)


def random_play(table: Table, rng: Random) -> Play:
    """A legal move of the player to move, by chance."""
    game, mover = table.game, table.mover
    assert mover is not None
    return Play(mover, game.rules.notation.write_move(game.position, rng.choice(game.legal_moves())))


def first_play(table: Table) -> Play:
    """The first legal move of the player to move."""
    game, mover = table.game, table.mover
    assert mover is not None
    return Play(mover, game.rules.notation.write_move(game.position, game.legal_moves()[0]))


def opening(game: str = "checkers", first: str = "ann", second: str = "ben") -> Opening:
    seed = b"\7" * 32 if game == "backgammon" else None
    seats = (person(first), person(second))
    return Opening(str(uuid.uuid4()), game, "live", "rooms", seats, LIMITS, False, seed)


def redaction(live: LoadedTable, seat: int = 0) -> RedactSeat:
    """Erases the name of the player in this seat."""
    seats = [erased(each, seat, None) if number == seat else each for number, each in enumerate(live.table.seats)]
    data = {**live.events[0].data, "seats": [each.to_data() for each in seats]}
    return RedactSeat(live.table.id, seat, tuple(map(row_player, seats)), data)
