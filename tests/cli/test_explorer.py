"""An operator has the opening explorer count again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from tests.service.test_explorer import count_all, explore, finish, put, shown
from typer.testing import CliRunner

from ludus.cli.app import app
from ludus.service.explorer import Explorer
from ludus.service.ports.store import Store
from ludus.service.ports.writes import CountMoves
from ludus.storage import store_for

REBUILD = ["explorer", "rebuild", "--data", "data"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def with_store(use: Callable[[Store], Awaitable[None]]) -> None:
    async def work() -> None:
        store = store_for("", Path("data"))
        await store.open()
        try:
            await use(store)
        finally:
            await store.close()

    asyncio.run(work())


async def spoiled(store: Store) -> None:
    """Games of which one was counted wrongly."""
    await put(
        store, [finish("t1"), finish("t2", line=("9-13",), moves=1), finish("t3", line=("11-15", "23-19"), moves=2)]
    )
    await store.commit(CountMoves(("t1",), (), ()))
    await count_all(Explorer(store))


def test_all_stored_games_are_counted_again() -> None:
    before, after = [], []

    async def look(store: Store) -> None:
        after.append(shown(await explore(store)))

    async def spoil(store: Store) -> None:
        await spoiled(store)
        before.append(shown(await explore(store)))

    with_store(spoil)
    done = CliRunner().invoke(app, [*REBUILD, "--yes"])
    assert (done.exit_code, done.output) == (0, "3 games counted.\n")
    with_store(look)
    assert sum(games for games, _, _ in after[0].values()) == sum(games for games, _, _ in before[0].values()) + 1


def test_beside_a_server_games_are_queued_for_it() -> None:
    outputs = []

    async def serve(store: Store) -> None:
        await spoiled(store)
        await store.claim()
        done = await asyncio.to_thread(CliRunner().invoke, app, [*REBUILD, "--yes"])
        outputs.append(done.output)
        assert len(await store.tables_to_count(10)) == 3

    with_store(serve)
    assert outputs == ["3 games queued; the server counts them in the background.\n"]


def test_without_a_yes_nothing_is_forgotten() -> None:
    async def look(store: Store) -> None:
        assert await store.tables_to_count(10) == []

    with_store(spoiled)
    done = CliRunner().invoke(app, REBUILD, input="n\n")
    assert done.exit_code != 0 and "also those of deleted games" in done.output
    with_store(look)
