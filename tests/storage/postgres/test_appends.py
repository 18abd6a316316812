"""Moves of many games in one statement: each is stored or refused on its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ludus.service.ports import Append, Conflict, Store, Unavailable
from ludus.storage import store_for
from ludus.storage.postgres.appends import EVENT, ROW
from ludus.storage.schema import EVENTS, LIVE_TABLES

from ..conftest import fresh
from ..examples import append

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
