"""Exhibitions on two processes: one of each game, which goes on when the process is killed that plays it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

from ludus.games import GAMES
from ludus.service.cluster import Work, name_of
from ludus.service.exhibitions import FIRST
from ludus.service.records import LeaseRow, Member, TableRow
from ludus.service.shards import SHARDS, shard_of
from ludus.storage import store_for

from ..server_pair import SECRET
from ..server_process import PATIENCE, ServerProcess
from ..storage.conftest import fresh

Start = Callable[[], ServerProcess]


class Stored(NamedTuple):
    games: Sequence[TableRow]
    members: Sequence[Member]
    holders: dict[str, str | None]
    """Of the bots' work, by shard."""


class Database(NamedTuple):
    url: str
    folder: Path

    def read(self) -> Stored:
        return anyio.run(self._read)

    async def _read(self) -> Stored:
        store = store_for(self.url, self.folder)
        await store.open()
        try:
            leases = {row.name: row for row in await store.leases()}
            held = {shard: leases.get(name_of(Work.BOTS, shard), LeaseRow("", None, 0)).holder for shard in SHARDS}
            return Stored(await store.live_tables_of(FIRST), await store.members(), held)
        finally:
            await store.close()

    def until(self, is_true: Callable[[Stored], bool]) -> Stored:
        end = time.monotonic() + PATIENCE
        while not is_true(found := self.read()):
            assert time.monotonic() < end, found
            time.sleep(0.1)
        return found


@pytest.fixture
def own(database: str, tmp_path: Path) -> Database:
    return Database(anyio.run(fresh, database), tmp_path)


@pytest.fixture
def start(own: Database, bus: str) -> Iterator[Start]:
    started: list[ServerProcess] = []

    def start() -> ServerProcess:
        settings = {"database": own.url, "bus": bus, "secret": f"{SECRET}, and exhibitions"}
        folder = own.folder / f"data{len(started)}"
        started.append(ServerProcess(folder, **settings, exhibitions="true", bot_pause=0.3))
        return started[-1]

    yield start
    for process in started:
        process.kill()


def test_each_game_has_one_exhibition_that_survives_its_process(own: Database, start: Start) -> None:
    first = start()
    (member,) = own.read().members
    second = start()
    own.until(lambda stored: len(set(stored.holders.values()) - {None}) == 2)
    for process in (first, second):
        process.get("/web/exhibitions")  # somebody looks at both

    began = own.until(lambda stored: len(stored.games) >= len(GAMES))
    assert sorted(row.game for row in began.games) == sorted(GAMES)
    shown = [{each["id"] for each in process.get("/web/exhibitions")["tables"]} for process in (first, second)]
    assert shown == [{row.id for row in began.games}] * 2

    game = began.games[0].id
    is_first = began.holders[shard_of(game)] == member.id
    victim, survivor = (first, second) if is_first else (second, first)
    victim.kill()
    killed = {row.id: row.moves for row in own.read().games}
    survivor.get("/web/exhibitions")

    def goes_on(stored: Stored) -> bool:
        return next(row.moves for row in stored.games if row.id == game) > killed[game]

    after = own.until(goes_on)
    assert (member.id in after.holders.values()) != is_first, "the dead process has no work"
    assert sorted(row.game for row in after.games) == sorted(GAMES)
    assert {row.id for row in after.games} == killed.keys(), "the same games"
    survivor.close()
