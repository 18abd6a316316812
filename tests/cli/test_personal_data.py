"""An operator exports and deletes what is stored about tenants, players and agents."""

from __future__ import annotations

import asyncio
import json
import secrets
import uuid
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ludus.cli import personal_data
from ludus.cli.app import app
from ludus.core.errors import LudusError
from ludus.server.app import Server
from ludus.server.settings import Settings
from ludus.service.agents import Agents, NewAgent
from ludus.service.clock import WallClock
from ludus.service.sessions import NewSession
from ludus.service.tenants import NewTenant
from ludus.storage import store_for

ANN = {"id": "ann", "displayName": "Ann"}


class Made:
    """A data folder with a tenant, a waiting session and an agent."""

    tenant: NewTenant
    agent: NewAgent

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        asyncio.run(self._make())

    async def _make(self) -> None:
        server = Server(Settings(data=str(self.folder)))
        await server.store.open()
        self.tenant = await server.tenants.create("My app")
        wanted = NewSession(self.tenant.tenant.id, "checkers", "live", "matchmaking", (ANN,), "easy", True, None)
        await server.platform.sessions.create(wanted)
        agents = Agents(
            server.store, WallClock(), lambda: str(uuid.uuid4()), lambda: secrets.token_hex(32), lambda: "0"
        )
        self.agent = await agents.register("Deep  Thought", "m1")
        await server.store.close()

    def run(self, *words: str, typed: str = "") -> str:
        run = CliRunner().invoke(app, [*words, "--data", str(self.folder)], input=typed)
        if isinstance(run.exception, LudusError):
            raise run.exception
        assert run.exit_code == 0, run.output
        return run.stdout

    def export(self, *words: str) -> Any:
        return json.loads(self.run(*words))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Made:
    monkeypatch.chdir(tmp_path)
    return Made(tmp_path / "data")


def test_a_tenant_a_player_and_an_agent_are_exported(made: Made, tmp_path: Path) -> None:
    assert made.export("tenant", "export", "My app")["tenant"]["name"] == "My app"
    assert made.export("tenant", "export", "My app", "--player", "ann")["sessions"][0]["players"] == [ANN]
    assert made.export("agent", "export", "deep thought")["agent"]["model"] == "m1"
    assert made.run("agent", "export", made.agent.agent.id, "--out", "agent.json") == ""
    assert json.loads((tmp_path / "agent.json").read_text())["agent"]["name"] == "Deep  Thought"


def test_a_player_is_deleted_and_the_tenant_stays(made: Made) -> None:
    assert made.run("tenant", "forget", "My app", "--player", "ann", "--yes") == "The player 'ann' is deleted.\n"
    with pytest.raises(LudusError, match="no such player"):
        made.run("tenant", "forget", "My app", "--player", "ann", "--yes")
    (session,) = made.export("tenant", "export", "My app")["sessions"]
    assert session["players"] == [{"id": "deleted:0", "displayName": "Deleted player"}]


def test_a_tenant_and_an_agent_are_deleted(made: Made) -> None:
    assert made.run("tenant", "forget", "My app", "--yes") == "The tenant 'My app' is deleted.\n"
    assert made.run("tenant", "list") == "no tenants\n"
    assert made.run("agent", "forget", "Deep Thought", "--yes") == "The agent 'Deep Thought' is deleted.\n"
    with pytest.raises(LudusError, match="no agent"):
        made.run("agent", "export", "Deep Thought")


def test_nothing_is_deleted_without_a_yes(made: Made) -> None:
    for words in (("tenant", "forget", "My app"), ("agent", "forget", "Deep Thought")):
        with pytest.raises(LudusError, match="nothing was deleted"):
            made.run(*words, typed="n\n")
    assert made.export("agent", "export", "Deep Thought")["agent"]["name"] == "Deep  Thought"
    assert "deleted" in made.run("agent", "forget", "Deep Thought", typed="y\n")


def test_a_running_server_does_the_deleting(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one that looks, the request stays for the next."""
    monkeypatch.setattr(personal_data, "WAIT_SECONDS", 0.2)

    async def hold() -> str:
        store = store_for("", made.folder)
        await store.open()
        await store.claim()
        try:
            return await asyncio.to_thread(made.run, "tenant", "forget", "My app", "--player", "ann", "--yes")
        finally:
            assert len(await store.erasures(9)) == 1
            await store.close()

    assert asyncio.run(hold()) == "The player 'ann' is being deleted by the server.\n"

    async def serve() -> None:
        server = Server(Settings(data=str(made.folder), bot_warmup=False))
        await server.open()
        async with asyncio.timeout(90):
            while await server.store.erasures(9):
                await asyncio.sleep(0.01)
        await server.close()

    asyncio.run(serve())
    assert "Ann" not in made.run("tenant", "export", "My app")
