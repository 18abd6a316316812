"""A tenant's keys are shown once, kept as hashes, and end when they are revoked."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.service.parts import START, FakeClock

from ludus.core.errors import BadInput
from ludus.service.ports.store import Store
from ludus.service.records import Key
from ludus.service.tenants import CACHE_MS, Tenants, UnknownKey, UnknownTenant, hashed
from ludus.service.webhooks.addresses import BadAddress, PrivateAddress
from ludus.service.webhooks.delivery import webhook_secret
from ludus.storage import store_for

Result = TypeVar("Result")
SECRET = b"platform"


class Setup:
    def __init__(self, store: Store, **options: Any) -> None:
        self.clock, self.store = FakeClock(), store
        counter = itertools.count(1)
        self.tenants = Tenants(store, self.clock, lambda: f"{next(counter):043}", SECRET, **options)


def run_with(folder: Path, run: Callable[[Setup], Awaitable[Result]], **options: Any) -> Result:
    async def work() -> Result:
        store = store_for("", folder)
        await store.open()
        try:
            return await run(Setup(store, **options))
        finally:
            await store.close()

    return asyncio.run(work())


def test_a_new_tenant_gets_two_keys_and_a_webhook_secret(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App", "https://app.example/hooks", ["https://app.example"])
        assert re.fullmatch(r"ludus_live_[\w-]{43}", new.live_key)
        assert re.fullmatch(r"ludus_test_[\w-]{43}", new.test_key)
        assert new.webhook_secret == webhook_secret(SECRET, new.tenant.id)
        assert await setup.store.tenant(new.tenant.id) == new.tenant
        assert new.tenant[1:] == ("App", START, "https://app.example/hooks")
        live, test = await setup.tenants.authenticate(new.live_key), await setup.tenants.authenticate(new.test_key)
        assert live and test
        assert (live.kind, live.tenant, live.origins) == ("live", new.tenant.id, ("https://app.example",))
        assert (test.kind, test.tenant, test.origins) == ("test", new.tenant.id, ("https://app.example",))

    run_with(tmp_path, run)


def test_no_key_is_stored_only_its_hash(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App")
        for key in await setup.store.keys(new.tenant.id):
            full = new.live_key if key.kind == "live" else new.test_key
            assert key.hash == hashed(full)
            assert full.startswith(key.hint)
            assert len(key.hint) == len(full) - 37

    run_with(tmp_path, run)
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"ludus_live_000000" in kept
    assert b"ludus_live_0000000" not in kept


@pytest.mark.parametrize(
    "key", ["", "ludus_live_", "x", "ludus_live_" + "0" * 43, "ü" * 20, "\0", "k" * 100_000, "\ud800"]
)
def test_an_unknown_key_is_refused(tmp_path: Path, key: str) -> None:
    async def run(setup: Setup) -> Key | None:
        await setup.tenants.create("App")
        return await setup.tenants.authenticate(key)

    assert run_with(tmp_path, run) is None


def test_a_revoked_key_opens_nothing_at_once_here_and_soon_elsewhere(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App")
        elsewhere = Tenants(setup.store, setup.clock, lambda: "", SECRET)
        assert await setup.tenants.authenticate(new.live_key)
        assert await elsewhere.authenticate(new.live_key)
        await setup.tenants.revoke(new.live_key)
        assert await setup.tenants.authenticate(new.live_key) is None
        setup.clock.time += CACHE_MS - 1
        assert await elsewhere.authenticate(new.live_key)
        setup.clock.time += 1
        assert await elsewhere.authenticate(new.live_key) is None
        assert await setup.tenants.authenticate(new.test_key)

    run_with(tmp_path, run)


def test_a_clock_that_is_set_back_makes_no_key_last_longer(tmp_path: Path) -> None:
    async def run(setup: Setup) -> Key | None:
        new = await setup.tenants.create("App")
        elsewhere = Tenants(setup.store, setup.clock, lambda: "", SECRET)
        await elsewhere.authenticate(new.live_key)
        await setup.tenants.revoke(new.live_key)
        setup.clock.time -= 1
        return await elsewhere.authenticate(new.live_key)

    assert run_with(tmp_path, run) is None


@pytest.mark.parametrize("name_of", [lambda key: key.hint, lambda key: key.hash], ids=["hint", "hash"])
def test_a_key_is_revoked_by_its_hint_or_its_hash(tmp_path: Path, name_of: Callable[[Key], str]) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App")
        key = await setup.store.key(hashed(new.test_key))
        assert key
        await setup.tenants.revoke(name_of(key))
        assert await setup.tenants.authenticate(new.test_key) is None
        setup.clock.time += 5
        await setup.tenants.revoke(name_of(key))
        again = await setup.store.key(key.hash)
        assert again and again.revoked_at == START

    run_with(tmp_path, run)


def test_a_hint_that_fits_several_keys_revokes_none(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        first, second = [await setup.tenants.create(name) for name in ("One", "Two")]
        with pytest.raises(UnknownKey, match="2 keys"):
            await setup.tenants.revoke("ludus_live_000000")
        assert await setup.tenants.authenticate(first.live_key)
        assert await setup.tenants.authenticate(second.live_key)
        with pytest.raises(UnknownKey, match="no key"):
            await setup.tenants.revoke("ludus_live_zzzzzz")

    run_with(tmp_path, run)


def test_rotation_ends_the_old_keys_of_that_kind_and_keeps_the_origins(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App", origins=["https://app.example"])
        fresh = await setup.tenants.rotate("App", "live")
        assert await setup.tenants.authenticate(new.live_key) is None
        assert await setup.tenants.authenticate(new.test_key)
        key = await setup.tenants.authenticate(fresh)
        assert key and (key.kind, key.origins) == ("live", ("https://app.example",))

    run_with(tmp_path, run)


def test_rotation_can_leave_the_old_keys_good_until_they_are_revoked(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App")
        fresh = await setup.tenants.rotate(new.tenant.id, "test", keep=True)
        assert await setup.tenants.authenticate(new.test_key)
        assert await setup.tenants.authenticate(fresh)
        with pytest.raises(BadInput, match="live or test"):
            await setup.tenants.rotate(new.tenant.id, "root")

    run_with(tmp_path, run)


def test_a_key_made_after_the_origins_changed_has_the_new_ones(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App", origins=["https://old.example"])
        await setup.tenants.revoke(new.live_key)
        await setup.tenants.change("App", origins=["https://new.example"])
        key = await setup.tenants.authenticate(await setup.tenants.rotate("App", "live"))
        assert key and key.origins == ("https://new.example",)

    run_with(tmp_path, run)


def test_the_webhook_url_changes_or_ends_and_all_else_stays(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App", "https://old.example/", ["https://app.example"])
        keys = await setup.tenants.keys(new.tenant)
        for options, url in (
            ({"webhook_url": "https://new.example/"}, "https://new.example/"),
            ({"origins": ["https://app.example"]}, "https://new.example/"),
            ({"no_webhook": True}, None),
        ):
            changed = await setup.tenants.change("App", **options)
            assert changed == await setup.store.tenant(new.tenant.id) == new.tenant._replace(webhook_url=url)
        assert await setup.tenants.keys(new.tenant) == keys

    run_with(tmp_path, run)


def test_origins_change_for_good_keys_only_and_at_once_here(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App")
        other = await setup.tenants.create("Other")
        assert await setup.tenants.authenticate(new.test_key)
        await setup.tenants.revoke(new.live_key)
        await setup.tenants.change("App", origins=["https://App.example"])
        key = await setup.tenants.authenticate(new.test_key)
        assert key and key.origins == ("https://app.example",)
        assert await setup.tenants.authenticate(new.live_key) is None
        untouched = [hashed(new.live_key), hashed(other.live_key), hashed(other.test_key)]
        assert [found and found.origins for found in [await setup.store.key(hash) for hash in untouched]] == [
            ("*",)
        ] * 3

    run_with(tmp_path, run)


@pytest.mark.parametrize(("options", "problem"), [
    ({"webhook_url": "https://new.example/", "origins": ["app"]}, BadInput),
    ({"webhook_url": "http://127.0.0.1:9/", "origins": ["*"]}, PrivateAddress),
    ({"webhook_url": ""}, BadAddress),
    ({"origins": []}, BadInput),
])  # fmt: skip
def test_a_change_that_is_refused_changes_nothing(tmp_path: Path, options: Any, problem: type[Exception]) -> None:
    async def run(setup: Setup) -> None:
        await setup.tenants.create("App", "https://old.example/", ["https://app.example"])
        before = await setup.tenants.list()
        with pytest.raises(problem):
            await setup.tenants.change("App", **options)
        assert await setup.tenants.list() == before

    run_with(tmp_path, run)


def test_origins_need_a_good_key(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App")
        for key in (new.live_key, new.test_key):
            await setup.tenants.revoke(key)
        with pytest.raises(BadInput, match="no valid key"):
            await setup.tenants.change("App", origins=["*"])

    run_with(tmp_path, run)


def test_without_the_platforms_secret_no_tenant_or_webhook_secret_is_made(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        new = await setup.tenants.create("App")
        assert setup.tenants.webhook_secret(new.tenant.id) == new.webhook_secret
        blind = Tenants(setup.store, setup.clock, lambda: "0" * 43, None)
        with pytest.raises(BadInput, match="secret is not known"):
            blind.webhook_secret(new.tenant.id)
        with pytest.raises(BadInput, match="secret is not known"):
            await blind.create("Other")
        assert await blind.find("App") == new.tenant
        assert len(await blind.list()) == 1

    run_with(tmp_path, run)


def test_a_tenant_is_found_by_its_id_or_by_a_name_that_is_its_own(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        one, two, _ = [await setup.tenants.create(name) for name in ("One", "Two", "Two")]
        assert await setup.tenants.find("One") == await setup.tenants.find(one.tenant.id) == one.tenant
        assert await setup.tenants.find(two.tenant.id) == two.tenant
        with pytest.raises(UnknownTenant, match="2 tenants"):
            await setup.tenants.find("Two")
        with pytest.raises(UnknownTenant, match="no tenant"):
            await setup.tenants.find("Three")

    run_with(tmp_path, run)


def test_the_list_has_every_tenant_with_all_its_keys(tmp_path: Path) -> None:
    async def run(setup: Setup) -> None:
        one, two = [await setup.tenants.create(name) for name in ("One", "Two")]
        await setup.tenants.rotate("Two", "live")
        listed = {tenant: sorted(key.kind for key in keys) for tenant, keys in await setup.tenants.list()}
        assert listed == {one.tenant: ["live", "test"], two.tenant: ["live", "live", "test"]}

    run_with(tmp_path, run)


@pytest.mark.parametrize("name", ["", " App", "App ", "A\npp", "A\0pp", "x" * 81, "a\u202eb", "\ud800"])
def test_a_name_that_cannot_be_printed_on_a_line_is_refused(tmp_path: Path, name: str) -> None:
    async def run(setup: Setup) -> None:
        with pytest.raises(BadInput):
            await setup.tenants.create(name)
        assert await setup.tenants.list() == []

    run_with(tmp_path, run)


@pytest.mark.parametrize(("given", "kept"), [
    (["*"], ("*",)),
    (["https://App.Example", "https://app.example"], ("https://app.example",)),
    (["https://app.example:443", "http://localhost:80"], ("https://app.example", "http://localhost")),
    (["http://localhost:5173", "http://[::1]:80", "http://[::1]:81"], ("http://localhost:5173", "http://[::1]", "http://[::1]:81")),
    (["capacitor://localhost"], ("capacitor://localhost",)),
])  # fmt: skip
def test_origins_are_kept_as_browsers_send_them(tmp_path: Path, given: Sequence[str], kept: Sequence[str]) -> None:
    async def run(setup: Setup) -> Sequence[str]:
        new = await setup.tenants.create("App", origins=given)
        return (await setup.store.keys(new.tenant.id))[0].origins

    assert run_with(tmp_path, run) == kept


@pytest.mark.parametrize("origin", [
    "", "app.example", "https://app.example/", "https://app.example/x", "https://u@app.example", "https://*.example",
    "https://", "https://app.example:99999", "https://[::1", "https://a b", "x" * 999,
])  # fmt: skip
def test_what_is_no_origin_is_refused(tmp_path: Path, origin: str) -> None:
    async def run(setup: Setup) -> None:
        with pytest.raises(BadInput):
            await setup.tenants.create("App", origins=[origin])

    run_with(tmp_path, run)


def test_a_webhook_to_a_private_address_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    async def refused(setup: Setup) -> None:
        for url, problem in (("http://127.0.0.1:9/", PrivateAddress), ("gopher://app.example/", BadAddress)):
            with pytest.raises(problem):
                await setup.tenants.create("App", url)
        assert await setup.tenants.list() == []

    async def allowed(setup: Setup) -> str | None:
        return (await setup.tenants.create("App", "http://127.0.0.1:9/")).tenant.webhook_url

    run_with(tmp_path, refused)
    assert run_with(tmp_path, allowed, allow_private=True) == "http://127.0.0.1:9/"
