"""What the opening explorer stores: a queue of finished games, counts of moves, and references to games."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from ludus.service.ids import digest
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import CountMoves, DropTable
from ludus.service.records import MoveCount
from ludus.storage import store_for

from .examples import append, play, row
from .test_upgrade import RELEASED, opened, program

pytestmark = pytest.mark.anyio

RESULT = {"winner": 0, "reason": "no_moves", "points": 1}
END: dict[str, Any] = {"status": "over", "due": None, "ended_at": 1_700_000_100_000, "result": RESULT}
ONE = MoveCount(
    -(2**63),
    "11-15",
    games=1,
    wins=1,
    draws=0,
    rated=1,
    ratings=1500,
    last_at=20,
    rank=1500 << 32,
    example=digest("t1"),
)


async def finish(store: Store, *ids: str, **changes: Any) -> None:
    for id in ids:
        await store.commit(append(id, 1, **changes))
        await store.commit(append(id, 2, **changes, **END))


async def test_a_game_is_queued_when_it_ends(store: Store) -> None:
    await play(store, "t0", 3)
    await finish(store, "t2", "t1")
    await finish(store, "t3", mode="exhibition")
    await finish(store, "t4", mode="test")
    assert await store.tables_to_count(10) == ["t1", "t2"]
    assert await store.tables_to_count(1) == ["t1"]


async def test_counts_add_up(store: Store) -> None:
    await finish(store, "t1", "t2", "t3")
    other = ONE._replace(move="9-14", games=2, wins=0)
    await store.commit(CountMoves(("t1",), ("t1",), (ONE, other)))
    assert await store.move_counts(ONE.position, 10) == [other, ONE]
    assert await store.move_counts(ONE.position, 1) == [other]
    assert await store.move_counts(0, 10) == []
    later = ONE._replace(wins=0, draws=1, ratings=1400, last_at=30, rank=1400 << 32, example=digest("t2"))
    await store.commit(CountMoves(("t2",), ("t2",), (later,)))
    both = ONE._replace(games=2, wins=1, draws=1, rated=2, ratings=2900, last_at=30)
    assert await store.move_counts(ONE.position, 1) == [both]
    best = ONE._replace(rated=0, ratings=0, last_at=10, rank=1600 << 32, example=digest("t3"))
    await store.commit(CountMoves(("t3",), ("t3",), (best,)))
    three = both._replace(games=3, wins=2, rank=best.rank, example=best.example)
    assert await store.move_counts(ONE.position, 1) == [three]
    assert await store.tables_to_count(10) == []


async def test_a_move_without_an_example_gets_one_later(store: Store) -> None:
    await finish(store, "t1", "t2")
    await store.commit(CountMoves(("t1",), (), (ONE._replace(rank=0, example=None),)))
    assert [count.example for count in await store.move_counts(ONE.position, 1)] == [None]
    await store.commit(CountMoves(("t2",), ("t2",), (ONE._replace(rank=5, example=digest("t2")),)))
    assert [count.example for count in await store.move_counts(ONE.position, 1)] == [digest("t2")]


async def test_no_game_is_counted_twice(store: Store) -> None:
    await finish(store, "t1", "t2")
    await store.commit(CountMoves(("t1",), ("t1",), (ONE,)))
    with pytest.raises(Conflict):
        await store.commit(CountMoves(("t2", "t1"), ("t2", "t1"), (ONE._replace(move="9-13"), ONE)))
    assert await store.move_counts(ONE.position, 10) == [ONE]
    assert await store.tables_to_count(10) == ["t2"]
    assert await store.example_games([digest("t2")]) == []


async def test_of_two_processes_one_counts_a_game(database: str, tmp_path: Path) -> None:
    stores = [store_for(database, tmp_path) for _ in range(2)]
    for store in stores:
        await store.open()
    await finish(stores[0], *(f"t{number}" for number in range(20)))
    for number in range(20):
        write = CountMoves((f"t{number}",), (), (ONE, ONE._replace(move="9-13")))
        done = await asyncio.gather(*(store.commit(write) for store in stores), return_exceptions=True)
        assert done.count(None) == 1 and sum(isinstance(each, Conflict) for each in done) == 1
    assert [count.games for count in await stores[1].move_counts(ONE.position, 10)] == [20, 20]
    for store in stores:
        await store.close()


async def test_a_recount_forgets_the_counts_and_queues_every_finished_game(store: Store) -> None:
    await play(store, "t0", 3)
    await finish(store, "t1", "t2")
    await finish(store, "t3", mode="exhibition")
    await finish(store, "t4", mode="test")
    await store.commit(CountMoves(("t1",), ("t1",), (ONE,)))
    for _ in range(2):
        assert await store.recount_games() == 2
        assert await store.move_counts(ONE.position, 10) == []
        assert await store.tables_to_count(10) == ["t1", "t2"]
    await store.commit(CountMoves(("t1",), ("t1",), (ONE,)))
    assert await store.move_counts(ONE.position, 10) == [ONE]
    assert [each.id for each in await store.example_games([digest("t1")])] == ["t1"]


async def test_a_recount_beside_those_who_count_counts_every_game_once(database: str, tmp_path: Path) -> None:
    stores = [store_for(database, tmp_path) for _ in range(3)]
    for store in stores:
        await store.open()
    await finish(stores[0], *(f"t{number:02}" for number in range(24)))

    async def count(store: Store) -> None:
        while tables := await store.tables_to_count(2):
            with suppress(Conflict):
                await store.commit(CountMoves(tuple(tables), (), (ONE._replace(games=len(tables)),)))

    await asyncio.gather(*(count(store) for store in stores[:2]), *(stores[2].recount_games() for _ in range(4)))
    await count(stores[0])
    assert [each.games for each in await stores[0].move_counts(ONE.position, 10)] == [24]
    for store in stores:
        await store.close()


async def test_examples_are_the_games_that_are_still_stored(store: Store) -> None:
    await finish(store, "t1", "t2")
    await store.commit(CountMoves(("t1", "t2"), ("t1", "t2"), (ONE,)))
    numbers = [digest("t2"), digest("t1"), digest("t3")]
    assert [each.id for each in await store.example_games(numbers)] == ["t1", "t2"]
    await store.commit(DropTable(row("t1", 2, **END)))
    assert [each.id for each in await store.example_games(numbers)] == ["t2"]
    assert await store.move_counts(ONE.position, 10) == [ONE]
    await finish(store, "t1")  # another game, which nobody may see
    assert [each.id for each in await store.example_games(numbers)] == ["t2"]


async def test_a_deleted_game_leaves_the_queue(store: Store) -> None:
    await finish(store, "t1", "t2")
    await store.commit(DropTable(row("t1", 2, **END)))
    assert await store.tables_to_count(10) == ["t2"]
    with pytest.raises(Conflict):
        await store.commit(CountMoves(("t1",), ("t1",), (ONE,)))


async def test_games_from_before_an_upgrade_are_queued_and_so_are_those_that_an_older_program_ends(
    database: str,
) -> None:
    with program(newest=RELEASED):
        old = await opened(database)
    await finish(old, "t1")
    await finish(old, "t2", mode="exhibition")
    await finish(old, "t4", mode="test")
    await play(old, "t3")
    new = await opened(database)
    assert await new.tables_to_count(10) == ["t1"]
    await old.commit(append("t3", 2, **END))
    assert await new.tables_to_count(10) == ["t1", "t3"]
    await old.close()
    await new.close()
