"""Every store comes up with what it had, brings its schema up to date once, and refuses what it cannot serve."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from ludus.service.ports.writes import PutDelivery, PutEntry, PutKey, PutRating, PutSession, PutTenant
from ludus.storage import FILE, store_for
from ludus.storage.errors import BadDatabase
from ludus.storage.migration import migrations, missing

from .examples import DELIVERY, ENTRY, KEY, RATING, SESSION, TENANT, append, play, row

pytestmark = pytest.mark.anyio


async def test_what_was_stored_is_there_after_reopening(database: str, tmp_path: Path) -> None:
    store = store_for(database, tmp_path)
    await store.open()
    await store.commit(PutTenant(TENANT), PutKey(KEY), PutSession(SESSION), PutDelivery(DELIVERY))
    await store.commit(PutEntry(ENTRY), PutRating(RATING))
    await play(store, versions=3)
    await store.close()
    again = store_for(database, tmp_path)
    await again.open()
    assert await again.tenants() == [TENANT]
    assert await again.keys("acme") == [KEY]
    assert await again.session("s1") == SESSION
    assert await again.deliveries("waiting") == [DELIVERY]
    assert await again.entries("checkers", "live:acme") == [ENTRY]
    assert await again.rating("acme:ann", "checkers") == RATING
    assert await again.table("t1") == row(version=3)
    assert len(await again.events("t1")) == 3
    await again.commit(append(version=4))
    await again.close()


async def test_many_may_open_an_empty_database_at_once(database: str, tmp_path: Path) -> None:
    stores = [store_for(database, tmp_path) for _ in range(5)]
    await asyncio.gather(*[store.open() for store in stores])
    await stores[0].commit(append())
    assert [await store.table("t1") for store in stores] == [row()] * 5
    await asyncio.gather(*[store.close() for store in stores])


def test_both_databases_have_the_same_steps_numbered_without_a_gap() -> None:
    steps = [[(step.number, step.name, step.oldest) for step in migrations(name)] for name in ("sqlite", "postgres")]
    assert steps[0] == steps[1]
    assert [number for number, *_ in steps[0]] == list(range(1, len(steps[0]) + 1))


@pytest.mark.parametrize("name", ["sqlite", "postgres"])
def test_only_steps_that_are_missing_are_taken(name: str) -> None:
    steps = migrations(name)
    applied = [step.number for step in steps]
    assert missing(name, [], None) == steps
    assert missing(name, applied[:-1], len(steps) - 1) == steps[-1:]
    assert missing(name, applied, len(steps)) == missing(name, [*applied, len(steps) + 1], len(steps)) == []
    with pytest.raises(BadDatabase, match=f"it has migration {len(steps) + 1}, and this version knows {len(steps)}"):
        missing(name, [*applied, len(steps) + 1], len(steps) + 1)


async def test_without_a_setting_there_is_a_file_among_the_data(tmp_path: Path) -> None:
    store = store_for("", tmp_path / "new" / "data")
    await store.open()
    await store.close()
    assert (tmp_path / "new" / "data" / FILE).is_file()


@pytest.mark.parametrize("setting", ["mysql://ann:secret@host/db", "ludus.sqlite3", "sqlite:", "postgresql:db"])
def test_any_other_setting_is_refused_and_no_password_is_shown(setting: str, tmp_path: Path) -> None:
    with pytest.raises(BadDatabase, match="give sqlite:PATH or postgresql://") as refused:
        store_for(setting, tmp_path)
    assert "secret" not in str(refused.value)


def test_a_file_needs_no_asyncpg() -> None:
    program = """
import sys
from pathlib import Path
from ludus.storage import store_for
store_for("", Path())
assert "asyncpg" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True)
