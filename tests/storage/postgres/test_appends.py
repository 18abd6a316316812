"""Moves of many games in one statement: each is stored or refused on its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ludus.service.ports.store import Conflict, Store, Unavailable
from ludus.service.ports.writes import Append, PutEntry
from ludus.storage import store_for
from ludus.storage.errors import BadRecord
from ludus.storage.postgres.appends import EVENT, GROUP, ROW
from ludus.storage.postgres.lease import WRITERS_SETTINGS
from ludus.storage.schema import EVENTS, LIVE_TABLES

from ..conftest import fresh
from ..examples import ENTRY, append, event, row

pytestmark = pytest.mark.anyio

GAMES = 20


class Commits:
    """The sizes of the commits."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def note(self, units: int, seconds: float) -> None:
        self.sizes.append(units)


@pytest.fixture
def commits() -> Commits:
    return Commits()


@pytest.fixture
async def store(postgres: str, tmp_path: Path, commits: Commits) -> AsyncIterator[Store]:
    """With twenty games that have begun."""
    store = store_for(await fresh(postgres), tmp_path, commits.note)
    await store.open()
    for number in range(GAMES):
        await store.commit(move(number, 1))
    commits.sizes.clear()
    yield store
    await store.close()


def move(number: int, version: int, command: str | None = None) -> Append:
    return append(f"t{number}", version=version, command=command)


async def results(store: Store, *appends: Append) -> list[BaseException | None]:
    async with asyncio.timeout(60):  # else what is never answered would hang here
        return await asyncio.gather(*(store.commit(each) for each in appends), return_exceptions=True)


def test_the_statement_has_the_columns_of_its_records() -> None:
    event = move(1, 2).event
    assert list(EVENT) == list(event._fields)
    assert len(ROW) == len(LIVE_TABLES.changes(move(1, 2).row))
    assert all(f'"{name}"' in LIVE_TABLES.update for name in ROW)
    assert EVENTS.width == len(EVENT)


async def test_moves_that_arrive_together_are_committed_together(store: Store, commits: Commits) -> None:
    assert await results(store, *(move(number, 2) for number in range(GAMES))) == [None] * GAMES
    assert sum(commits.sizes) == GAMES and len(commits.sizes) <= 2
    for number in range(GAMES):
        assert [event.version for event in await store.events(f"t{number}")] == [1, 2]


async def test_a_move_that_comes_too_late_fails_alone(store: Store) -> None:
    moves = [move(number, 3 if number == 7 else 2) for number in range(GAMES)]
    found = await results(store, *moves)
    assert [type(each) for each in found] == [Conflict if number == 7 else type(None) for number in range(GAMES)]
    assert [event.version for event in await store.events("t7")] == [1]


async def test_a_command_that_was_executed_before_fails_alone(store: Store) -> None:
    await store.commit(move(7, 2, "twice"))
    found = await results(
        store, *(move(number, 3, "twice") if number == 7 else move(number, 2) for number in range(GAMES))
    )
    assert [type(each) for each in found] == [Conflict if number == 7 else type(None) for number in range(GAMES)]
    assert [event.version for event in await store.events("t8")] == [1, 2]


async def test_a_move_whose_caller_has_gone_is_stored_all_the_same(store: Store) -> None:
    tasks = [asyncio.create_task(store.commit(move(number, 2))) for number in range(GAMES)]
    await asyncio.sleep(0)
    tasks[3].cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert tasks[3].cancelled()
    assert [event.version for event in await store.events("t3")] == [1, 2]


async def test_a_store_that_is_closed_finishes_what_it_has_begun(store: Store) -> None:
    tasks = [asyncio.create_task(store.commit(move(number, 2))) for number in range(GAMES)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*tasks) == [None] * GAMES
    with pytest.raises(Unavailable):
        await store.commit(move(1, 3))


BAD = {
    "of a table that is not there": (append("gone", 2), Conflict),
    "of a table that is not there, with a command": (append("gone", 2, "opened"), Conflict),
    "with a number that is too large": (Append(row("t3", 2), event("t3", 2, at=2**63)), BadRecord),
    "with data of half a letter": (Append(row("t3", 2), event("t3", 2, data={"half": "\ud83c"})), BadRecord),
}


@pytest.mark.parametrize("place", [0, 7, GAMES - 1])
@pytest.mark.parametrize(("bad", "error"), BAD.values(), ids=list(BAD))
async def test_a_move_that_cannot_be_stored_fails_alone(
    store: Store, bad: Append, error: type[Exception], place: int
) -> None:
    good = [move(number, 2, "said") for number in range(GAMES) if number != 3]
    found = await results(store, *good[:place], bad, *good[place:])
    assert [type(each) for each in found] == [type(None)] * place + [error] + [type(None)] * (GAMES - 1 - place)
    assert set((await versions(store)).values()) == {1, 2} and (await versions(store))["t3"] == 1


async def versions(store: Store) -> Mapping[str, int]:
    """How many events each table has; the rows must agree."""
    tables = [f"t{number}" for number in range(GAMES)]
    found = await store.versions(tables)
    assert found == {table: len(await store.events(table)) for table in tables}
    return found


async def test_of_rivals_the_first_wins(store: Store) -> None:
    found = await results(store, *(move(number % 3, 2, f"said {number}") for number in range(12)))
    assert [type(each) for each in found] == [type(None)] * 3 + [Conflict] * 9
    assert [(await store.events(f"t{number}"))[1].command for number in range(3)] == ["said 0", "said 1", "said 2"]


async def test_moves_beside_commits_of_other_kinds(store: Store) -> None:
    """Games that begin, games that end, and moves that come just after their end."""
    begun = [
        store.commit(append(f"new{number}"), PutEntry(ENTRY._replace(id=f"{number}", player=f"{number}")))
        for number in range(5)
    ]
    over: dict[str, Any] = {"status": "over", "due": None, "ended_at": 1, "result": {"winner": 0, "reason": "no_moves"}}
    ended = [store.commit(append(f"t{number}", 2, **over)) for number in (0, 1)]
    played = [store.commit(move(number, 2)) for number in range(GAMES)]
    found = await asyncio.gather(*begun, *ended, *played, return_exceptions=True)
    assert all(each is None for each in (*found[:5], *found[9:]))
    for end, late in ((found[5], found[7]), (found[6], found[8])):
        assert {type(end), type(late)} == {type(None), Conflict}
    assert set((await versions(store)).values()) == {2}


async def test_a_table_that_is_locked_keeps_no_other_waiting(store: Any) -> None:
    others = [number for number in range(GAMES) if number != 3]
    async with store._pool.acquire() as blocker, blocker.transaction():
        await blocker.execute("SELECT * FROM tables WHERE id = 't3' FOR UPDATE")
        late = asyncio.create_task(store.commit(move(3, 2)))
        for version in (2, 3):
            assert await results(store, *(move(number, version) for number in others)) == [None] * len(others)
        assert not late.done()
    await late
    assert await versions(store) == {f"t{number}": 2 if number == 3 else 3 for number in range(GAMES)}


WAIT = """
CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql
AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END';
CREATE TRIGGER wait BEFORE INSERT ON events
FOR EACH ROW WHEN (NEW."table" = 't9') EXECUTE FUNCTION wait()
"""
"""Stops a group in the middle."""


async def test_a_fault_in_the_middle_of_a_group_stores_none_of_it(store: Any) -> None:
    await store._pool.execute(WAIT)
    moves = [move(number, 2) for number in range(GAMES)]
    async with store._pool.acquire() as blocker, blocker.transaction():
        await blocker.execute("SELECT pg_advisory_xact_lock(1)")
        group = asyncio.create_task(results(store, *moves))
        while not await store._pool.fetchval("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted"):
            assert not group.done()
        assert [type(each) for each in await group] == [Unavailable] * GAMES
    assert not store.is_storing
    assert set((await versions(store)).values()) == {1}
    assert await results(store, *moves) == [None] * GAMES


async def test_a_process_that_is_stopped_in_a_commit_keeps_nothing_locked(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WRITERS_SETTINGS, "idle_in_transaction_session_timeout", "1")
    await store.claim()
    async with store._lease.pool.acquire() as stopped:
        await stopped.execute("BEGIN; SELECT * FROM tables FOR UPDATE")
        await store.commit(move(3, 2))


async def test_the_plan_of_a_group_goes_by_keys_however_few_tables_there_are(store: Any) -> None:
    """It is kept when there are more."""
    await store.claim()
    async with store._lease.pool.acquire() as connection:
        await connection.execute("ANALYZE tables; SET plan_cache_mode = force_generic_plan")
        await connection.execute(f"PREPARE moves AS {GROUP}")
        values = ", ".join(["NULL"] * (len(ROW) + len(EVENT)))
        plan = "\n".join(line for (line,) in await connection.fetch(f"EXPLAIN EXECUTE moves ({values})"))
    assert "Index Scan using tables_pkey" in plan
    assert "Seq Scan" not in plan and "Hash" not in plan
