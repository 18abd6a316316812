"""An operator reads people's reports."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from tests.storage.examples import PERSON
from typer.testing import CliRunner

from ludus.cli.app import app
from ludus.service.ports.writes import PutPerson, PutReport
from ludus.service.records import Report
from ludus.storage import store_for

NOW = 1_700_000_000_000


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


async def keep(*reports: Report) -> None:
    store = store_for("", Path("data"))
    await store.open()
    people = [PERSON._replace(id=id, name=name) for id, name in (("p1", "Ann"), ("p2", "Ben"))]
    await store.commit(*map(PutPerson, people), *map(PutReport, reports))
    await store.close()


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["reports", "--data", "data", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_reports_are_listed_newest_first_by_name() -> None:
    asyncio.run(
        keep(
            Report("r1", "p1", "person/p2", "t1", "abuse", NOW),
            Report("r2", "p2", "agent/a1", "t2", "stalling", NOW + 1000),
        )
    )
    newest, oldest = run().splitlines()
    assert newest == "2023-11-14T22:13:21.000Z  stalling  agent/a1  reported by Ben  game t2"
    assert oldest == "2023-11-14T22:13:20.000Z  abuse  Ben  reported by Ann  game t1"
    assert run("--most", "1").splitlines() == [newest]
    assert [(each["name"], each["by"], each["game"]) for each in json.loads(run("--json"))] == [
        ("agent/a1", "p2", "t2"), ("Ben", "p1", "t1"),
    ]  # fmt: skip


def test_there_may_be_none() -> None:
    asyncio.run(keep())
    assert run() == "no reports\n"
    assert json.loads(run("--json")) == []
