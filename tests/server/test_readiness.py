"""A server is ready while its database, its lease and its bots work."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.service.faults import read_only
from tests.service.parts import FakeClock
from tests.service.platforms import open_platform, with_platform

from ludus.server import readiness
from ludus.server.readiness import Readiness
from ludus.service import engine_pool
from ludus.service.cluster import Role
from ludus.service.engine_pool import EngineFailed, EnginePool
from ludus.service.platform import Platform, new_member
from ludus.service.ports.store import Unavailable
from ludus.service.ports.writes import PutTenant
from ludus.service.records import Tenant


async def failed(platform: Platform, *, is_open: bool = True, is_stopping: bool = False) -> list[str]:
    asked = Readiness(platform)
    asked.is_open, asked.is_stopping = is_open, is_stopping
    return [str(code) for code in await asked.failed()]


@with_platform
async def test_an_open_server_is_ready_until_it_stops(platform: Platform) -> None:
    assert await failed(platform, is_open=False) == ["starting"]
    assert await failed(platform) == []
    assert await failed(platform, is_stopping=True) == ["stopping"]


@with_platform
async def test_a_database_that_fails_or_hangs_is_named(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail() -> None:
        raise OSError("connection refused")

    async def hang() -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(readiness, "DATABASE_SECONDS", 0.01)
    for ping in (fail, hang):
        monkeypatch.setattr(platform.store, "ping", ping)
        assert await failed(platform) == ["database_unreachable"]


@with_platform
async def test_a_server_that_stores_nothing_is_not_ready_until_a_heartbeat_is_stored(platform: Platform) -> None:
    write = PutTenant(Tenant("late", "Late", 0))
    with read_only(platform):
        assert await failed(platform) == []
        with pytest.raises(Unavailable):
            await platform.store.commit(write)
        assert await failed(platform) == ["not_storing"]
        with pytest.raises(Unavailable):
            await platform._heartbeat()
        assert await failed(platform) == ["not_storing"]
    assert await failed(platform) == ["not_storing"]
    await platform._heartbeat()
    assert await failed(platform) == []


@with_platform
async def test_without_its_lease_a_server_is_not_ready_and_starts_no_games(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([False, True])

    async def keep_lease() -> bool:
        return next(answers)

    monkeypatch.setattr(platform.store, "keep_lease", keep_lease)
    await platform._keep_lease()
    assert await failed(platform) == ["lease_lost"]
    with pytest.raises(Unavailable):
        platform.lobby.refuse_if_stopping()
    await platform._keep_lease()
    assert await failed(platform) == []
    platform.lobby.refuse_if_stopping()


class BrokenWorker(engine_pool.Worker):
    """A worker whose engines cannot be loaded until they are repaired."""

    is_repaired = False

    async def load(self, game: str) -> None:
        if game == "backgammon" and not self.is_repaired:
            raise EngineFailed("its engine cannot be loaded: RuntimeError: no compiler")


def test_bots_that_cannot_play_keep_a_server_from_being_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine_pool, "RETRY_SECONDS", 0.01)
    monkeypatch.setattr(engine_pool, "Worker", BrokenWorker)
    monkeypatch.setattr(BrokenWorker, "is_repaired", False)
    loaded: list[str] = []

    async def run() -> None:
        async with open_platform(tmp_path, FakeClock(), EnginePool(2)) as platform:
            platform.engine_pool.load_all(progress=loaded.append)
            assert await failed(platform) == ["bots_loading"]
            while not platform.engine_pool.problems:
                await asyncio.sleep(0)
            assert await failed(platform) == ["bots_failed"]
            monkeypatch.setattr(BrokenWorker, "is_repaired", True)
            await platform.engine_pool.wait_until_loaded()
            assert await failed(platform) == []

    asyncio.run(run())
    assert loaded == ["checkers", "backgammon"]
    assert "bots cannot play backgammon: its engine cannot be loaded: RuntimeError: no compiler" in caplog.text
    assert "Traceback" not in caplog.text


def test_a_server_without_engines_is_ready_while_another_process_can_think(tmp_path: Path) -> None:
    async def run() -> None:
        async with open_platform(tmp_path, FakeClock(), EnginePool(0)) as platform:
            for role, codes in ((Role.SERVER, ["bots_missing"]), (Role.STARTING, ["bots_missing"]), (Role.WORKER, [])):
                other = new_member(b"secret", role)
                platform.cluster.members = {other.id: other}
                assert await failed(platform) == codes
            with pytest.raises(EngineFailed, match="no engines"):
                await platform.engine_pool.choose("checkers", None, "easy", 1)

    asyncio.run(run())
