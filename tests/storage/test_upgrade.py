"""An upgrade from the last release's schema while a process of that release goes on playing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import PutDelivery, PutKey, PutTenant
from ludus.storage import migration, store_for
from ludus.storage.errors import BadDatabase
from ludus.storage.inspection import inspect
from ludus.storage.migration import Migration, migrations
from ludus.storage.schema import SESSIONS
from ludus.storage.sqlite.file import open_writer

from .examples import DELIVERY, KEY, SESSION, TENANT, append, play, row

pytestmark = pytest.mark.anyio
RELEASED = 8
"""The newest migration of the last release."""
GAMES = 20
ALL = {name: migrations(name) for name in ("sqlite", "postgres")}
NEWEST = ALL["sqlite"][-1].number
LATER = "ALTER TABLE tenants ADD COLUMN later INTEGER NOT NULL DEFAULT 0;"


@contextmanager
def program(*, newest: int | None = None, later: str | None = None) -> Iterator[None]:
    """A program that knows the migrations up to the newest one, or one more than there are."""
    with pytest.MonkeyPatch.context() as patch:
        steps = {
            name: [each for each in known if newest is None or each.number <= newest] for name, known in ALL.items()
        }
        if later is not None:
            steps = {name: [*known, Migration(NEWEST + 1, "later", later)] for name, known in steps.items()}
        patch.setattr(migration, "migrations", steps.__getitem__)
        yield


async def execute(database: str, *texts: str) -> None:
    if database.startswith("sqlite:"):
        with closing(open_writer(Path(database.removeprefix("sqlite:")))) as connection:
            for text in texts:
                connection.execute(text)
        return
    connection = await asyncpg.connect(database)
    for text in texts:
        await connection.execute(text)
    await connection.close()


async def opened(database: str) -> Any:
    store = store_for(database, Path())
    await store.open()
    return store


NEW_COLUMNS = ("time_control", "opponent", "is_public", "variant")
"""Of sessions."""


async def released(database: str) -> Any:
    """A store of the last release, which kept no record of what is compatible, with games."""
    with program(newest=RELEASED):
        store = await opened(database)
        await execute(database, "DROP TABLE migration_support")
    for number in range(GAMES):
        await play(store, f"t{number}", 2)
    await store.commit(PutTenant(TENANT), PutKey(KEY))
    with program(newest=RELEASED):
        await execute(database, insertion("sessions", SESSION._fields, SESSIONS.values(SESSION), *NEW_COLUMNS))
    return store


def insertion(table: str, fields: Sequence[str], values: Sequence[Any], *later: str) -> str:
    """As the last release would write it, which does not know the columns that came later."""
    known = {field: "NULL" if value is None else repr(value) for field, value in zip(fields, values, strict=True)}
    for field in later:
        del known[field]
    columns = ", ".join(f'"{field}"' for field in known)
    return f"INSERT INTO {table} ({columns}) VALUES ({', '.join(known.values())})"


async def play_until(store: Store, table: str, is_done: asyncio.Event) -> int:
    """Plays on; how many events were acknowledged."""
    version = 2
    while not is_done.is_set():
        await store.commit(append(table, version + 1))
        version += 1
    return version


async def test_a_database_is_migrated_while_the_last_release_plays_on(database: str) -> None:
    old, is_migrated = await released(database), asyncio.Event()
    games = [asyncio.create_task(play_until(old, f"t{number}", is_migrated)) for number in range(GAMES)]
    found = await inspect(database, Path())
    assert found is not None and found.missing == len(ALL["sqlite"]) - RELEASED
    new, other = await asyncio.gather(opened(database), opened(database))  # two start at once
    await other.close()
    is_migrated.set()
    versions = dict(zip((f"t{number}" for number in range(GAMES)), await asyncio.gather(*games), strict=True))
    assert await new.versions(list(versions)) == versions
    for table, version in versions.items():
        assert [event.version for event in await new.events(table)] == list(range(1, version + 1))
    assert await new.session("s1") == SESSION._replace(time_control=None, is_public=False)
    assert await new.keys("acme") == [KEY]
    for store, version in ((new, 1), (old, 2), (new, 3)):  # both write, by turns
        await store.commit(append("t0", versions["t0"] + version))
    with suppress(Conflict):  # one of two, whichever wins
        await asyncio.gather(*(store.commit(append("both", command=name)) for store, name in ((old, "o"), (new, "n"))))
    assert await old.table("both") == await new.table("both") == row("both")
    await old.close()
    await new.close()


async def test_what_the_last_release_writes_is_complete_for_the_new_one(database: str) -> None:
    """Columns that came later have a default: the older program does not name them."""
    old = await released(database)
    new = await opened(database)
    await execute(database, insertion("deliveries", DELIVERY._fields, DELIVERY, "traceparent"))
    assert await new.deliveries("waiting") == [DELIVERY._replace(traceparent="")]
    await new.commit(PutDelivery(DELIVERY._replace(attempts=1)))
    await old.close()
    await new.close()


@pytest.mark.parametrize("kept", [RELEASED, NEWEST])
async def test_an_older_program_starts_on_a_schema_that_says_it_may(database: str, kept: int) -> None:
    """At most as old as the schema says."""
    with program(later=f"-- compatible: {kept:04}\n{LATER}"):
        await (await opened(database)).close()
    for newest in {kept, NEWEST}:
        with program(newest=newest):
            store = await opened(database)
            await play(store, f"t{newest}")
            await store.close()
            assert await inspect(database, Path()) is not None
    with program(newest=kept - 1):
        for start in (opened(database), inspect(database, Path())):
            with pytest.raises(BadDatabase, match=f"has migration {NEWEST + 1}, and this version knows"):
                await start


async def test_an_older_program_does_not_start_on_a_schema_that_says_nothing(database: str) -> None:
    with program(later=LATER):
        await (await opened(database)).close()
    with pytest.raises(BadDatabase, match="newer Ludus") as refused:
        await opened(database)
    assert "\n" not in str(refused.value)


def test_all_since_the_last_release_can_be_rolled_out() -> None:
    assert {step.oldest for name in ALL for step in ALL[name][RELEASED:]} == {RELEASED}


async def test_a_migration_gives_way_to_games_and_is_tried_again(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ludus.storage.postgres import store as module

    from .conftest import fresh

    monkeypatch.setattr(module, "LOCK_MS", 1)
    monkeypatch.setattr(module, "LOCK_TRIES", 1_000_000)
    database = await fresh(postgres)
    old = await released(database)
    async with old._pool.acquire() as reader, reader.transaction():
        await reader.execute("SELECT * FROM deliveries")  # an export that takes long
        opening = asyncio.create_task(opened(database))
        for version in range(3, 13):
            async with asyncio.timeout(60):  # else it would hang here
                await old.commit(append("t0", version))
                await old._pool.execute("SELECT * FROM deliveries")
        assert not opening.done()
    new = await opening
    assert await new.versions(["t0"]) == {"t0": 12}
    await old.close()
    await new.close()
