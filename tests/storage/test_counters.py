"""Counters equal what a scan would find, whatever has happened: games opened, ended, dropped, players erased."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing, suppress
from pathlib import Path
from random import Random
from typing import Any

import asyncpg
import pytest

from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import Append, DropAgent, DropTable, PutAgent, RedactSeat
from ludus.service.records import TableRow, Tally
from ludus.storage import store_for
from ludus.storage.migration import migrations
from ludus.storage.reads import HOUR, Reader
from ludus.storage.sqlite.store import SqliteStore

from .conftest import fresh
from .examples import SEATS, agent, append, event, row

pytestmark = pytest.mark.anyio

GAMES = ("checkers", "backgammon")
REASONS = ("no_moves", "resignation", "cancelled")
PLAYERS = ("agent/a", "agent/b", "bot/hard")
STEPS = 150
PATIENCE = 60.0
"""Seconds until a test gives up on what should have happened."""


class History:
    """Random writes to a store, and what should be in it after them."""

    def __init__(self, store: Store, seed: int) -> None:
        self._store = store
        self._rng = Random(seed)
        self.rows: dict[str, TableRow] = {}
        self.finished: list[TableRow] = []
        """Also those that were dropped."""
        self.agents: set[str] = set()

    async def step(self) -> None:
        step = self._rng.choice(
            (self.open, self.open, self.play, self.end, self.end, self.drop, self.redact, self.hire)
        )
        await step()

    async def open(self) -> None:
        id = f"t{len(self.rows)}-{len(self.finished)}-{self._rng.random()}"
        players = tuple({**SEATS[0], "key": key} for key in self._rng.sample(PLAYERS, 2))
        at = self._rng.randrange(5 * HOUR)
        await self._put(row(id, game=self._rng.choice(GAMES), opened_at=at, players=players))

    async def play(self) -> None:
        """After the end too: a rematch is asked for at a finished table."""
        if self.rows:
            old = self._any()
            await self._put(old._replace(version=old.version + 1))

    async def end(self) -> None:
        live = [each for each in self.rows.values() if each.status == "live"]
        if live:
            old = self._rng.choice(live)
            result = {"winner": self._rng.choice((0, 1, None)), "reason": self._rng.choice(REASONS), "points": 1}
            ended = old.opened_at + self._rng.randrange(10**6)
            over = old._replace(version=old.version + 1, status="over", due=None, ended_at=ended, result=result)
            with suppress(Conflict):  # as when another process was faster: nothing may be counted
                await self._store.commit(Append(over._replace(version=9), event(old.id, 9, command=None)))
                raise AssertionError("this version is not the next one")
            await self._put(over)
            self.finished.append(over)

    async def drop(self) -> None:
        if self.rows:
            old = self._any()
            with suppress(Conflict):  # it is live
                await self._store.commit(DropTable(old))
                del self.rows[old.id]

    async def redact(self) -> None:
        if self.rows:
            old = self._any()
            players = ({**old.players[0], "key": "deleted/0"}, old.players[1])
            with suppress(Conflict):  # it is live
                await self._store.commit(RedactSeat(old.id, 0, players, {}))
                self.rows[old.id] = old._replace(players=players)

    async def hire(self) -> None:
        id = f"a{self._rng.randrange(20)}"
        try:
            await self._store.commit(PutAgent(agent(id)))
            self.agents.add(id)
        except Conflict:
            await self._store.commit(DropAgent(id))
            self.agents.discard(id)

    async def check(self) -> None:
        assert await self._store.count_agents() == len(self.agents)
        for game in GAMES:
            ended = [each for each in self.finished if each.game == game and each.result is not None]
            counted = [each for each in ended if each.result and each.result["reason"] != "cancelled"]
            seconds = sum(each.ended_at - each.opened_at for each in counted if each.ended_at is not None) / 1000
            won = sum(each.result is not None and each.result["winner"] is not None for each in counted)
            assert await self._store.tally(game) == Tally(len(counted), seconds, won)
            at = self._rng.randrange(5 * HOUR)
            since = [each for each in self.rows.values() if each.game == game and each.opened_at >= at]
            assert await self._store.opened_since(game, at) == len(since)
        for player in PLAYERS:
            mine = {each.id for each in self.rows.values() if player in [seat["key"] for seat in each.players]}
            live = {id for id in mine if self.rows[id].status == "live"}
            assert {each.id for each in await self._store.live_tables_of(player)} == live

    async def _put(self, new: TableRow) -> None:
        await self._store.commit(Append(new, event(new.id, new.version, command=None)))
        self.rows[new.id] = new

    def _any(self) -> TableRow:
        return self._rng.choice(list(self.rows.values()))


@pytest.mark.parametrize("seed", range(3))
async def test_counters_equal_a_scan_over_any_history(store: Store, seed: int) -> None:
    history = History(store, seed)
    for number in range(STEPS):
        await history.step()
        if number % 10 == 9:
            await history.check()
    assert history.finished and len(history.finished) > sum(each.status == "over" for each in history.rows.values())


async def test_games_stored_by_an_older_version_are_counted(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counters are filled from what is there, and added to the games that were already dropped."""
    found = store_for(database, tmp_path)
    old = [step for step in migrations("sqlite" if isinstance(found, SqliteStore) else "postgres") if step.number < 7]
    module = "ludus.storage.sqlite.file" if isinstance(found, SqliteStore) else "ludus.storage.postgres.store"
    with monkeypatch.context() as patched:
        patched.setattr(
            f"{module}.missing", lambda _name, applied, _needed: [each for each in old if each.number not in applied]
        )
        await found.open()
        await _execute(database, "ALTER TABLE tables ADD COLUMN is_private INTEGER NOT NULL DEFAULT 0")  # a later one
        won = {"winner": 0, "reason": "no_moves", "points": 1}
        results = (won, {**won, "winner": None}, {**won, "winner": None, "reason": "cancelled"})
        for number, result in enumerate(results):
            id = f"t{number}"
            await found.commit(append(id, opened_at=1000), PutAgent(agent(id)))
            over = row(id, 2, status="over", due=None, opened_at=1000, ended_at=5000, result=result)
            await found.commit(Append(over, event(id, 2, command=None)))
        await found.commit(append("live", opened_at=1000))
        await found.close()
    await _execute(database, "ALTER TABLE tables DROP COLUMN is_private")
    await _execute(database, "INSERT INTO tallies VALUES ('checkers', 10, 60000, 5)")
    again = store_for(database, tmp_path)
    await again.open()
    assert await again.tally("checkers") == Tally(12, 68.0, 6)
    assert await again.opened_since("checkers", 0) == 4
    assert await again.count_agents() == 3
    assert [each.id for each in await again.live_tables_of("acme:ann")] == ["live"]
    await again.close()


async def _execute(database: str, text: str) -> None:
    if database.startswith("sqlite:"):
        with closing(sqlite3.connect(database.removeprefix("sqlite:"))) as connection, connection:
            connection.execute(text)
        return
    connection = await asyncpg.connect(database)
    await connection.execute(text)
    await connection.close()


async def test_what_players_wait_for_does_not_wait_behind_lists(tmp_path: Path) -> None:
    """All threads for lists are busy, and a queue is still read."""
    store = SqliteStore(tmp_path / "ludus.sqlite3")
    await store.open()
    release = threading.Event()

    def stuck(_row: Any) -> None:
        release.wait()

    lists = [asyncio.ensure_future(store._fetch("SELECT 1", (), stuck, Reader.LIST)) for _ in range(8)]
    await asyncio.sleep(0)  # until they are all asked for
    async with asyncio.timeout(PATIENCE):
        assert await store.entries("checkers", "live") == []
        assert await store.live_tables_of("ann") == []
    assert not any(each.done() for each in lists)
    release.set()
    await asyncio.gather(*lists)
    await store.close()


async def test_lists_leave_postgres_connections_to_those_who_play(postgres: str, tmp_path: Path) -> None:
    store: Any = store_for(await fresh(postgres), tmp_path)
    await store.open()
    async with store._lists, store._lists, store._lists:
        listing = asyncio.ensure_future(store.tenants())
        assert await store.entries("checkers", "live") == []
        assert not listing.done()
    assert await listing == []
    await store.close()
