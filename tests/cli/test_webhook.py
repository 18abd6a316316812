"""An operator sees what could not be delivered and sends it again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from ludus.cli.webhook import app
from ludus.core.errors import BadInput, LudusError
from ludus.service.ports.writes import PutDelivery, PutTenant
from ludus.service.records import Delivery, Tenant
from ludus.service.tenants import UnknownTenant
from ludus.storage import store_for

NOW = 1_700_000_000_000
URLS = {"a": "https://a.example/now", "b": "https://b.example/now"}
"""Where the tenants hear now; their deliveries were written to elsewhere."""


def delivery(id: str, state: str = "dead", tenant: str = "a", attempts: int = 4) -> Delivery:
    due = NOW if state == "waiting" else None
    body = json.dumps({"deliveryId": id})
    problem = "answered 500" if state == "dead" else ""
    return Delivery(id, tenant, "s", "game.ended", "https://app.example/x", body, state, attempts, due, NOW, problem)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dead deliveries of two tenants, and two that are not dead."""
    monkeypatch.chdir(tmp_path)
    deliveries = [
        delivery("d1"),
        delivery("d2", tenant="b"),
        delivery("d3"),
        delivery("w", "waiting"),
        delivery("ok", "delivered"),
    ]
    asyncio.run(keep([each._replace(attempts=attempts) for each in deliveries for attempts in range(5)]))


async def keep(deliveries: Sequence[Delivery]) -> None:
    """One by one, since an attempt is counted from the one before."""
    store = store_for("", Path("data"))
    await store.open()
    await store.commit(*(PutTenant(Tenant(id, id, NOW, URLS[id])) for id in URLS))
    for each in deliveries:
        await store.commit(PutDelivery(each))
    await store.close()


def silence(tenant: str) -> None:
    """The tenant no longer has a URL."""

    async def write() -> None:
        store = store_for("", Path("data"))
        await store.open()
        await store.commit(PutTenant(Tenant(tenant, tenant, NOW)))
        await store.close()

    asyncio.run(write())


def stored(id: str) -> Delivery:
    async def read() -> Delivery | None:
        store = store_for("", Path("data"))
        await store.open()
        try:
            return await store.delivery(id)
        finally:
            await store.close()

    found = asyncio.run(read())
    assert found
    return found


def webhook(*words: str) -> str:
    run = CliRunner().invoke(app, [*words, "--data", "data"])
    if isinstance(run.exception, LudusError):
        raise run.exception
    assert run.exit_code == 0, run.output
    return run.stdout


def dead(*words: str) -> set[str]:
    return {each["id"] for each in json.loads(webhook("dead", "--json", *words))}


def test_dead_deliveries_are_listed_with_their_last_problem() -> None:
    assert dead() == {"d1", "d2", "d3"}
    assert dead("--tenant", "b") == {"d2"}
    assert len(dead("--most", "2")) == 2
    lines = webhook("dead").splitlines()
    assert len(lines) == 3
    assert all("game.ended" in line and "4 attempts, the last: answered 500" in line for line in lines)


def test_one_delivery_is_replayed() -> None:
    assert webhook("replay", "d1") == "1 webhook will be sent again.\n"
    again = stored("d1")
    assert (again.state, again.attempts, again.problem) == ("waiting", 0, "")
    assert again.due and again.due > NOW
    assert again.body == delivery("d1").body
    assert dead() == {"d2", "d3"}


def test_all_deliveries_are_replayed_or_those_of_a_tenant() -> None:
    assert webhook("replay", "--all", "--tenant", "a") == "2 webhooks will be sent again.\n"
    assert dead() == {"d2"}
    assert webhook("replay", "--all") == "1 webhook will be sent again.\n"
    assert webhook("replay", "--all") == "0 webhooks will be sent again.\n"
    assert (stored("w"), stored("ok")) == (delivery("w", "waiting"), delivery("ok", "delivered"))


def test_a_replay_goes_to_where_the_tenant_hears_now() -> None:
    webhook("replay", "d1")
    webhook("replay", "--all", "--tenant", "a")
    webhook("replay", "--all")
    assert [stored(id).url for id in ("d1", "d3", "d2")] == [URLS["a"], URLS["a"], URLS["b"]]
    assert stored("w").url == delivery("w").url


@pytest.mark.parametrize("words", [["d1"], ["--all", "--tenant", "a"]])
def test_a_tenant_without_a_url_is_named_and_its_deliveries_stay_dead(words: list[str]) -> None:
    silence("a")
    with pytest.raises(BadInput, match="tenant 'a' no longer has a webhook URL"):
        webhook("replay", *words)
    assert dead() == {"d1", "d2", "d3"}


def test_a_tenant_without_a_url_does_not_affect_others() -> None:
    silence("a")
    said = "1 webhook will be sent again.\nThose of a stay dead: it no longer has a webhook URL.\n"
    assert webhook("replay", "--all") == said
    assert dead() == {"d1", "d3"}
    assert stored("d1") == delivery("d1")


def test_an_empty_list_says_so() -> None:
    webhook("replay", "--all")
    assert webhook("dead") == "no dead webhooks\n"
    assert dead() == set()


@pytest.mark.parametrize("words", [["dead"], ["replay", "--all"]])
def test_an_unknown_tenant_differs_from_one_without_deliveries(words: list[str]) -> None:
    with pytest.raises(UnknownTenant, match="no tenant 'nobody'"):
        webhook(*words, "--tenant", "nobody")


@pytest.mark.parametrize("words", [["dead"], ["dead", "--json"], ["replay", "--all"], ["replay", "d1"]])
def test_no_database_is_made_where_there_is_none(words: list[str]) -> None:
    before = set(Path().rglob("*"))
    with pytest.raises(BadInput, match=r"there is no database .*--data"):
        webhook(*words, "--database", "sqlite:nowhere/a.sqlite3")
    refusal = CliRunner().invoke(app, [*words, "--data", "elsewhere"]).exception
    assert isinstance(refusal, BadInput)
    assert set(Path().rglob("*")) == before


def test_more_deliveries_than_are_read_at_once_are_replayed_with_one_time() -> None:
    asyncio.run(keep([delivery(f"m{n}", attempts=0) for n in range(230)]))
    assert webhook("replay", "--all") == "233 webhooks will be sent again.\n"
    assert len({stored(id).due for id in ("m0", "m229", "d1")}) == 1


@pytest.mark.parametrize(("words", "said"), [
    (["nothing"], "no webhook 'nothing'"),
    (["ok"], "is delivered, not dead"),
    (["w"], "is waiting, not dead"),
    ([], "--all"),
    (["d1", "--all"], "--all"),
    (["d1", "--tenant", "a"], "--all"),
])  # fmt: skip
def test_only_dead_deliveries_can_be_replayed(words: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        webhook("replay", *words)
    assert dead() == {"d1", "d2", "d3"}


def test_every_command_and_option_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text()
    section = text.split("## `ludus webhook`")[1].split("\n## ")[0]
    group: Any = typer.main.get_command(app)
    for command, each in group.commands.items():
        assert f"`ludus webhook {command}" in section
        for option in (option for parameter in each.params for option in parameter.opts if option.startswith("--")):
            assert option == "--help" or f"`{option}" in section, option
