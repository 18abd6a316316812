"""An operator makes tenants and looks after their keys."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from ludus.cli.tenant import app
from ludus.core.errors import BadInput, LudusError
from ludus.storage import store_for


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without settings."""
    monkeypatch.chdir(tmp_path)


def tenant(*words: str) -> str:
    run = CliRunner().invoke(app, [*words, "--data", "data"])
    if isinstance(run.exception, LudusError):
        raise run.exception
    assert run.exit_code == 0, run.output
    return run.stdout


def created(*words: str) -> Any:
    return json.loads(tenant("create", *words, "--json"))


def listed() -> Any:
    return json.loads(tenant("list", "--json"))


def test_a_tenant_is_made_and_its_secrets_are_printed_this_once() -> None:
    made = created("My App")
    assert sorted(made) == ["liveKey", "name", "tenant", "testKey", "webhookSecret"]
    assert made["name"] == "My App"
    assert made["webhookSecret"].startswith("whsec_")
    said = tenant("list") + tenant("list", "--json")
    assert made["tenant"] in said
    for secret in ("liveKey", "testKey", "webhookSecret"):
        assert made[secret] not in said


def test_text_output_has_the_same_values_as_json() -> None:
    said = tenant("create", "App")
    assert "ludus_live_" in said
    assert "ludus_test_" in said
    assert "whsec_" in said
    assert "cannot be shown again" in said


def test_the_webhook_secret_comes_from_the_servers_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.server.settings import load, secret_of
    from ludus.service.webhooks.delivery import webhook_secret

    chosen = {"LUDUS_SECRET": "kD83jf0aPq6LmX2zVt7RbYw1NcEs5GhU"}
    monkeypatch.setenv("LUDUS_SECRET", chosen["LUDUS_SECRET"])
    made = created("App")
    assert made["webhookSecret"] == webhook_secret(secret_of(load(chosen, None, {}).settings), made["tenant"])


def test_options_reach_the_tenant(monkeypatch: pytest.MonkeyPatch) -> None:
    created(
        "App", "--webhook", "https://app.example/x", "--origin", "https://a.example", "--origin", "https://b.example"
    )
    (one,) = listed()
    assert one["webhook"] == "https://app.example/x"
    assert [key["origins"] for key in one["keys"]] == [["https://a.example", "https://b.example"]] * 2


def test_a_private_webhook_needs_the_setting_that_allows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LudusError, match="not a public address"):
        created("App", "--webhook", "http://127.0.0.1:9/")
    monkeypatch.setenv("LUDUS_WEBHOOK_PRIVATE", "true")
    created("App", "--webhook", "http://127.0.0.1:9/")
    assert [one["webhook"] for one in listed()] == ["http://127.0.0.1:9/"]


def test_webhook_and_origins_are_changed_together() -> None:
    made = created("App", "--webhook", "https://old.example/")
    words = ["--webhook", "https://new.example/", "--origin", "https://a.example", "--origin", "https://b.example"]
    said = tenant("set", "App", *words)
    assert said == tenant("show", made["tenant"])
    assert said.splitlines()[:3] == [
        f"tenant          {made['tenant']}  App",
        "webhook         https://new.example/",
        "origins         https://a.example https://b.example",
    ]
    (one,) = listed()
    assert one["webhook"] == "https://new.example/"
    assert [key["origins"] for key in one["keys"]] == [["https://a.example", "https://b.example"]] * 2


def test_a_webhook_is_taken_away() -> None:
    created("App", "--webhook", "https://old.example/")
    assert json.loads(tenant("set", "App", "--no-webhook", "--json"))["webhook"] is None
    assert "webhook         none" in tenant("show", "App")


def test_a_private_webhook_is_set_only_where_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    created("App")
    with pytest.raises(LudusError, match="not a public address"):
        tenant("set", "App", "--webhook", "http://127.0.0.1:9/")
    monkeypatch.setenv("LUDUS_WEBHOOK_PRIVATE", "true")
    assert "http://127.0.0.1:9/" in tenant("set", "App", "--webhook", "http://127.0.0.1:9/")


def test_the_webhook_secret_can_be_shown_again() -> None:
    made = created("App")
    shown = json.loads(tenant("show", "App", "--secret", "--json"))
    assert shown["webhookSecret"] == made["webhookSecret"]
    assert [key["hint"] for key in shown["keys"]] == [made[f"{key['kind']}Key"][:17] for key in shown["keys"]]
    assert sorted(shown) == ["createdAt", "keys", "name", "origins", "tenant", "webhook", "webhookSecret"]
    assert tenant("show", "App", "--secret").splitlines()[-1] == f"webhook secret  {made['webhookSecret']}"
    assert "whsec_" not in tenant("show", "App") + tenant("show", "App", "--json")


def test_a_revoked_key_gives_no_origins() -> None:
    made = created("App", "--origin", "https://old.example")
    tenant("revoke", made["liveKey"])
    assert json.loads(tenant("set", "App", "--origin", "https://new.example", "--json"))["origins"] == [
        "https://new.example"
    ]
    tenant("revoke", made["testKey"])
    assert "origins         none: no key is active" in tenant("show", "App")


def test_a_secret_that_is_elsewhere_is_not_made_up() -> None:
    tenant("create", "App", "--database", "sqlite:other.db")
    away = ["--database", "sqlite:other.db", "--data", "away"]
    assert "App" in CliRunner().invoke(app, ["list", *away]).stdout
    refusal = CliRunner().invoke(app, ["show", "App", "--secret", *away]).exception
    assert isinstance(refusal, LudusError)
    assert "secret is not known here" in str(refusal)
    assert not Path("away").exists()


def test_a_database_without_tenants_says_so() -> None:
    async def build() -> None:
        store = store_for("", Path("data"))
        await store.open()
        await store.close()

    asyncio.run(build())
    assert tenant("list") == "no tenants\n"
    assert listed() == []


@pytest.mark.parametrize("words", [
    ["list"], ["list", "--json"], ["show", "App"], ["set", "App", "--no-webhook"], ["rotate", "App", "live"],
    ["revoke", "ludus_live_nothing"], ["list", "--database", "sqlite:nowhere/a.sqlite3"],
])  # fmt: skip
def test_only_create_makes_a_database(words: list[str]) -> None:
    with pytest.raises(BadInput, match=r"there is no database .*--data"):
        tenant(*words)
    assert list(Path().iterdir()) == []


def test_a_key_is_rotated_and_the_old_one_ends() -> None:
    made = created("App")
    fresh = json.loads(tenant("rotate", "App", "live", "--json"))["liveKey"]
    assert fresh.startswith("ludus_live_")
    assert tenant("rotate", made["tenant"], "test", "--keep").startswith("ludus_test_")
    revoked = {key["hint"]: key["revokedAt"] is not None for key in listed()[0]["keys"]}
    assert revoked[made["liveKey"][:17]]
    assert not revoked[fresh[:17]]
    assert not revoked[made["testKey"][:17]]
    assert len(revoked) == 4


def test_a_key_is_revoked_by_what_the_list_shows() -> None:
    made = created("App")
    assert tenant("revoke", made["liveKey"][:17]) == f"{made['liveKey'][:17]}… of {made['tenant']} is revoked.\n"
    assert [key["kind"] for key in listed()[0]["keys"] if key["revokedAt"] is not None] == ["live"]
    assert tenant("list").count("revoked") == 1


@pytest.mark.parametrize(("words", "code"), [
    (["rotate", "nobody", "live"], "unknown_tenant"),
    (["rotate", "App", "root"], "bad_input"),
    (["revoke", "ludus_live_nothing"], "unknown_key"),
    (["show", "nobody"], "unknown_tenant"),
    (["set", "nobody", "--no-webhook"], "unknown_tenant"),
    (["set", "App"], "bad_input"),
    (["set", "App", "--no-webhook", "--webhook", "https://app.example"], "bad_input"),
    (["set", "App", "--origin", "app"], "bad_input"),
    (["set", "App", "--webhook", ""], "bad_address"),
    (["create", ""], "bad_input"),
    (["create", "App", "--origin", "app"], "bad_input"),
    (["create", "App", "--webhook", "ftp://app.example"], "bad_address"),
])  # fmt: skip
def test_bad_input_has_its_code(words: list[str], code: str) -> None:
    created("App")
    with pytest.raises(LudusError) as refusal:
        tenant(*words)
    assert refusal.value.code == code
    assert len(listed()) == 1


def test_the_database_can_be_named() -> None:
    tenant("create", "App", "--database", "sqlite:other.db")
    assert Path("other.db").exists()
    assert not Path("data/ludus.sqlite3").exists()
    assert "App" in tenant("list", "--database", "sqlite:other.db")


def test_every_command_and_option_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "reference" / "cli.md").read_text()
    section = text.split("## `ludus tenant`")[1].split("\n## ")[0]
    group: Any = typer.main.get_command(app)
    for command, each in group.commands.items():
        assert f"`ludus tenant {command}" in section
        for option in (option for parameter in each.params for option in parameter.opts if option.startswith("--")):
            assert option == "--help" or f"`{option}" in section, option
