"""What servers and workers have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.service.parts import START

from ludus.server.backend import Backend
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings
from ludus.service.cluster import Role, Work
from ludus.service.shards import SHARDS

pytestmark = pytest.mark.anyio

NOWHERE = "redis://127.0.0.1:1"


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.mark.parametrize(("is_worker", "before", "after"), [(True, "starting", "worker"), (False, "server", "both")])
async def test_a_process_takes_bots_when_its_engines_are_loaded(
    tmp_path: Path, is_worker: bool, before: str, after: str
) -> None:
    backend = Backend(Settings(data=str(tmp_path), bus=NOWHERE), Metrics(), is_worker=is_worker)
    await backend.store.open()

    async def roles() -> list[str]:
        return [member.role for member in await backend.store.members()]

    await backend.cluster.join(START)
    assert await roles() == [before], "before anything was loaded"
    backend.engine_pool.unloaded = {"checkers", "backgammon"}
    await backend.cluster.balance(START)
    assert await roles() == [before] and not backend.cluster.shards[Work.BOTS]
    backend.engine_pool.unloaded = {"backgammon"}
    backend.engine_pool.problems = {"backgammon": "no compiler"}
    await backend.cluster.balance(START)
    assert await roles() == [after], "one game that cannot be played does not keep the other waiting"
    assert backend.cluster.shards[Work.BOTS] == frozenset(SHARDS)
    assert backend.cluster.shards[Work.SWEEP] == frozenset("" if is_worker else SHARDS)
    await backend.store.close()


async def test_a_server_without_engines_never_takes_bots(tmp_path: Path) -> None:
    backend = Backend(Settings(data=str(tmp_path), bus=NOWHERE, bot_workers=0), Metrics())
    await backend.store.open()
    await backend.cluster.join(START)
    await backend.cluster.balance(START)
    assert [member.role for member in await backend.store.members()] == [Role.SERVER]
    assert not backend.cluster.shards[Work.BOTS] and backend.cluster.shards[Work.SWEEP] == frozenset(SHARDS)
    await backend.store.close()
