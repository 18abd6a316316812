"""`ludus doctor` on a database that several processes share."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.test_doctor import diagnose
from tests.redis_server import redis_server
from tests.storage.cluster import cluster

from ludus import __version__
from ludus.cli.deployment import check_connections, check_deployment, check_members
from ludus.cli.findings import Check, Level
from ludus.server.settings import Settings, secret_of
from ludus.service.cluster import secret_mark
from ludus.service.ports.writes import PutMember, TakeLease
from ludus.service.records import LeaseRow, Member
from ludus.service.shards import SHARDS
from ludus.storage import store_for
from ludus.storage.inspection import Deployment, inspect

SECRET = "what all the processes of a cluster share"
SETTINGS = Settings(bus="redis://127.0.0.1", secret=SECRET)
SAFE = {
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "max_connections": "100",
    "superuser_reserved_connections": "3",
}
LEASES = [LeaseRow(f"{work}/{shard}", "a", 1) for work in ("sweep", "bots") for shard in SHARDS]


def member(id: str = "a", **changes: object) -> Member:
    found = Member(id, "server", "", __version__, secret_mark(secret_of(SETTINGS)), 1000)
    return found._replace(**changes)  # type: ignore[arg-type]  # the names and kinds are those of the caller


def deployment(*members: Member, **parameters: str) -> Deployment:
    return Deployment(SAFE | parameters, 0.0, members, LEASES)


def problems(check: Check) -> list[str]:
    return [finding.text for finding in check if finding.level is not Level.GOOD]


def test_a_sound_cluster_has_no_problems() -> None:
    assert problems(check_deployment(deployment(member("a"), member("b")), SETTINGS)) == []


@pytest.mark.parametrize("name", ["fsync", "full_page_writes", "synchronous_commit"])
def test_a_database_that_forgets_is_wrong(name: str) -> None:
    (text,) = problems(check_deployment(deployment(member(), **{name: "off"}), SETTINGS))
    assert f"{name} = off" in text


def test_too_few_connections_are_named_with_the_number_that_is_needed() -> None:
    (finding,) = check_connections(deployment(*(member(id) for id in "abcd")))
    assert finding.level is Level.WARNING and "suffice for 4 processes; 4 are running" in finding.text
    assert "set max_connections to 118" in finding.advice
    assert problems(check_connections(deployment(*(member(id) for id in "abcd"), max_connections="121"))) == []


@pytest.mark.parametrize("skew", [-3.0, 3.0])
def test_a_clock_that_differs_is_named(skew: float) -> None:
    (text,) = problems(check_deployment(deployment(member())._replace(skew=skew), SETTINGS))
    assert f"{skew:+.1f} s" in text


def test_versions_side_by_side_are_an_unfinished_upgrade() -> None:
    (text,) = problems(check_members(deployment(member("a"), member("b", program="0.1.0")), SETTINGS))
    assert f"0.1.0 and {__version__}" in text


def test_another_secret_is_wrong() -> None:
    (text,) = problems(check_members(deployment(member(secret_mark="other")), SETTINGS))
    assert "secret differs" in text


def test_work_that_nobody_does_is_named() -> None:
    found = deployment(member())
    (text,) = problems(check_members(found._replace(leases=LEASES[:16]), SETTINGS))
    assert text == "no process does 16 of 16 shares of the work on bots and analyses"
    (text,) = problems(check_members(found._replace(leases=LEASES[1:]), SETTINGS))
    assert text == "no process does 1 of 16 shares of the work on deadlines, pairing and webhooks"


def test_an_address_that_cannot_be_reached_is_named() -> None:
    (text,) = problems(check_members(deployment(member(address="127.0.0.1:9")), SETTINGS))
    assert text.startswith("127.0.0.1:9 cannot be reached from here")


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with cluster() as url:
        yield url


@pytest.mark.slow
def test_members_and_leases_are_those_of_processes_that_are_alive(postgres: str, tmp_path: Path) -> None:
    async def look() -> tuple[Deployment, Deployment]:
        store = store_for(postgres, tmp_path)
        await store.open()
        await store.claim(sole=False)
        await store.commit(PutMember(member("a")), PutMember(member("b")), PutMember(member("dead")))
        await store.heartbeat(1_700_000_000_000, 7000, "a")
        await store.heartbeat(1_700_000_000_000, 7000, "b")
        await store.commit(TakeLease("sweep/0", "a", 1), TakeLease("sweep/1", "dead", 1))
        during = await inspect(postgres, tmp_path)
        await store.close()
        after = await inspect(postgres, tmp_path)
        assert during and after and during.deployment and after.deployment
        return during.deployment, after.deployment

    during, after = asyncio.run(look())
    assert [each.id for each in during.members] == ["a", "b"]
    assert during.leases == [LeaseRow("sweep/0", "a", 1)]
    assert during.parameters["synchronous_commit"] == "on" and during.parameters["fsync"] == "off"
    assert abs(during.skew) < 60
    assert after.members == [] and after.leases == []


@pytest.mark.slow
def test_the_command_says_what_is_wrong_with_a_whole_deployment(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redis_server() as redis:
        monkeypatch.setenv("LUDUS_BUS", redis.url)
        monkeypatch.setenv("LUDUS_SECRET", SECRET)
        code, printed = diagnose("--data", tmp_path, "--database", postgres)
        assert code == 1 and "✗ PostgreSQL has fsync = off" in printed
        assert f"✓ {redis.url} answers" in printed
        assert "! no process of the cluster is running" in printed
        redis.kill()
        code, printed = diagnose("--data", tmp_path, "--database", postgres)
        assert code == 1 and f"✗ {redis.url} cannot be used" in printed
