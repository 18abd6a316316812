"""A tenant's keys are shown once, kept as hashes, and end when they are revoked."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from ludus.core.errors import BadInput
from ludus.service.ports import Store
from ludus.service.records import Key
from ludus.service.tenants import CACHE_MS, Tenants, UnknownKey, UnknownTenant, hashed
from ludus.service.webhooks.addresses import BadAddress, PrivateAddress
from ludus.service.webhooks.delivery import webhook_secret
from ludus.storage import store_for

Result = TypeVar("Result")
NOW = 1_700_000_000_000
SECRET = b"platform"


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.ms = NOW

    def now(self) -> int:
        return self.ms


class Office:
    def __init__(self, store: Store, **options: Any) -> None:
        self.clock, self.store = Hands(), store
        counter = itertools.count(1)
        self.tenants = Tenants(store, self.clock, lambda: f"{next(counter):043}", SECRET, **options)


def within(folder: Path, deed: Callable[[Office], Awaitable[Result]], **options: Any) -> Result:
    async def work() -> Result:
        store = store_for("", folder)
        await store.open()
        try:
            return await deed(Office(store, **options))
        finally:
            await store.close()

    return asyncio.run(work())


def test_a_new_tenant_gets_two_keys_and_a_webhook_secret(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App", "https://app.example/hooks", ["https://app.example"])
        assert re.fullmatch(r"ludus_live_[\w-]{43}", new.live_key)
        assert re.fullmatch(r"ludus_test_[\w-]{43}", new.test_key)
        assert new.webhook_secret == webhook_secret(SECRET, new.tenant.id)
        assert await office.store.tenant(new.tenant.id) == new.tenant
        assert new.tenant[1:] == ("App", NOW, "https://app.example/hooks")
        live, test = await office.tenants.authenticate(new.live_key), await office.tenants.authenticate(new.test_key)
        assert live and test
        assert (live.kind, live.tenant, live.origins) == ("live", new.tenant.id, ("https://app.example",))
        assert (test.kind, test.tenant, test.origins) == ("test", new.tenant.id, ("https://app.example",))

    within(tmp_path, deed)


def test_no_key_is_stored_only_its_hash(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App")
        for key in await office.store.keys(new.tenant.id):
            full = new.live_key if key.kind == "live" else new.test_key
            assert key.hash == hashed(full)
            assert full.startswith(key.hint)
            assert len(key.hint) == len(full) - 37

    within(tmp_path, deed)
    kept = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"ludus_live_000000" in kept
    assert b"ludus_live_0000000" not in kept


@pytest.mark.parametrize(
    "key", ["", "ludus_live_", "x", "ludus_live_" + "0" * 43, "ü" * 20, "\0", "k" * 100_000, "\ud800"]
)
def test_what_is_no_key_of_the_house_opens_nothing(tmp_path: Path, key: str) -> None:
    async def deed(office: Office) -> Key | None:
        await office.tenants.create("App")
        return await office.tenants.authenticate(key)

    assert within(tmp_path, deed) is None


def test_a_revoked_key_opens_nothing_at_once_here_and_soon_elsewhere(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App")
        elsewhere = Tenants(office.store, office.clock, lambda: "", SECRET)
        assert await office.tenants.authenticate(new.live_key)
        assert await elsewhere.authenticate(new.live_key)
        await office.tenants.revoke(new.live_key)
        assert await office.tenants.authenticate(new.live_key) is None
        office.clock.ms += CACHE_MS - 1
        assert await elsewhere.authenticate(new.live_key)
        office.clock.ms += 1
        assert await elsewhere.authenticate(new.live_key) is None
        assert await office.tenants.authenticate(new.test_key)

    within(tmp_path, deed)


def test_a_clock_that_is_set_back_makes_no_key_last_longer(tmp_path: Path) -> None:
    async def deed(office: Office) -> Key | None:
        new = await office.tenants.create("App")
        elsewhere = Tenants(office.store, office.clock, lambda: "", SECRET)
        await elsewhere.authenticate(new.live_key)
        await office.tenants.revoke(new.live_key)
        office.clock.ms -= 1
        return await elsewhere.authenticate(new.live_key)

    assert within(tmp_path, deed) is None


@pytest.mark.parametrize("name_of", [lambda key: key.hint, lambda key: key.hash], ids=["hint", "hash"])
def test_a_key_is_revoked_by_its_hint_or_its_hash(tmp_path: Path, name_of: Callable[[Key], str]) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App")
        key = await office.store.key(hashed(new.test_key))
        assert key
        await office.tenants.revoke(name_of(key))
        assert await office.tenants.authenticate(new.test_key) is None
        office.clock.ms += 5
        await office.tenants.revoke(name_of(key))
        again = await office.store.key(key.hash)
        assert again and again.revoked_at == NOW

    within(tmp_path, deed)


def test_a_hint_that_fits_several_keys_revokes_none(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        first, second = [await office.tenants.create(name) for name in ("One", "Two")]
        with pytest.raises(UnknownKey, match="2 keys"):
            await office.tenants.revoke("ludus_live_000000")
        assert await office.tenants.authenticate(first.live_key)
        assert await office.tenants.authenticate(second.live_key)
        with pytest.raises(UnknownKey, match="no key"):
            await office.tenants.revoke("ludus_live_zzzzzz")

    within(tmp_path, deed)


def test_rotation_ends_the_old_keys_of_that_kind_and_keeps_the_origins(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App", origins=["https://app.example"])
        fresh = await office.tenants.rotate("App", "live")
        assert await office.tenants.authenticate(new.live_key) is None
        assert await office.tenants.authenticate(new.test_key)
        key = await office.tenants.authenticate(fresh)
        assert key and (key.kind, key.origins) == ("live", ("https://app.example",))

    within(tmp_path, deed)


def test_rotation_can_leave_the_old_keys_good_until_they_are_revoked(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App")
        fresh = await office.tenants.rotate(new.tenant.id, "test", keep=True)
        assert await office.tenants.authenticate(new.test_key)
        assert await office.tenants.authenticate(fresh)
        with pytest.raises(BadInput, match="live or test"):
            await office.tenants.rotate(new.tenant.id, "root")

    within(tmp_path, deed)


def test_a_key_made_after_the_origins_changed_has_the_new_ones(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App", origins=["https://old.example"])
        await office.tenants.revoke(new.live_key)
        await office.tenants.change("App", origins=["https://new.example"])
        key = await office.tenants.authenticate(await office.tenants.rotate("App", "live"))
        assert key and key.origins == ("https://new.example",)

    within(tmp_path, deed)


def test_the_webhook_url_changes_or_ends_and_all_else_stays(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App", "https://old.example/", ["https://app.example"])
        keys = await office.tenants.keys(new.tenant)
        for options, url in (
            ({"webhook_url": "https://new.example/"}, "https://new.example/"),
            ({"origins": ["https://app.example"]}, "https://new.example/"),
            ({"no_webhook": True}, None),
        ):
            changed = await office.tenants.change("App", **options)
            assert changed == await office.store.tenant(new.tenant.id) == new.tenant._replace(webhook_url=url)
        assert await office.tenants.keys(new.tenant) == keys

    within(tmp_path, deed)


def test_origins_change_for_good_keys_only_and_at_once_here(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App")
        other = await office.tenants.create("Other")
        assert await office.tenants.authenticate(new.test_key)
        await office.tenants.revoke(new.live_key)
        await office.tenants.change("App", origins=["https://App.example"])
        key = await office.tenants.authenticate(new.test_key)
        assert key and key.origins == ("https://app.example",)
        assert await office.tenants.authenticate(new.live_key) is None
        untouched = [hashed(new.live_key), hashed(other.live_key), hashed(other.test_key)]
        assert [found and found.origins for found in [await office.store.key(hash) for hash in untouched]] == [
            ("*",)
        ] * 3

    within(tmp_path, deed)


@pytest.mark.parametrize(("options", "problem"), [
    ({"webhook_url": "https://new.example/", "origins": ["app"]}, BadInput),
    ({"webhook_url": "http://127.0.0.1:9/", "origins": ["*"]}, PrivateAddress),
    ({"webhook_url": ""}, BadAddress),
    ({"origins": []}, BadInput),
])  # fmt: skip
def test_a_change_that_is_refused_changes_nothing(tmp_path: Path, options: Any, problem: type[Exception]) -> None:
    async def deed(office: Office) -> None:
        await office.tenants.create("App", "https://old.example/", ["https://app.example"])
        before = await office.tenants.list()
        with pytest.raises(problem):
            await office.tenants.change("App", **options)
        assert await office.tenants.list() == before

    within(tmp_path, deed)


def test_origins_need_a_good_key(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App")
        for key in (new.live_key, new.test_key):
            await office.tenants.revoke(key)
        with pytest.raises(BadInput, match="no valid key"):
            await office.tenants.change("App", origins=["*"])

    within(tmp_path, deed)


def test_without_the_houses_secret_no_tenant_is_made_and_no_webhook_secret_told(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        new = await office.tenants.create("App")
        assert office.tenants.webhook_secret(new.tenant.id) == new.webhook_secret
        blind = Tenants(office.store, office.clock, lambda: "0" * 43, None)
        with pytest.raises(BadInput, match="secret is not known"):
            blind.webhook_secret(new.tenant.id)
        with pytest.raises(BadInput, match="secret is not known"):
            await blind.create("Other")
        assert await blind.find("App") == new.tenant
        assert len(await blind.list()) == 1

    within(tmp_path, deed)


def test_a_tenant_is_found_by_its_id_or_by_a_name_that_is_its_own(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        one, two, _ = [await office.tenants.create(name) for name in ("One", "Two", "Two")]
        assert await office.tenants.find("One") == await office.tenants.find(one.tenant.id) == one.tenant
        assert await office.tenants.find(two.tenant.id) == two.tenant
        with pytest.raises(UnknownTenant, match="2 tenants"):
            await office.tenants.find("Two")
        with pytest.raises(UnknownTenant, match="no tenant"):
            await office.tenants.find("Three")

    within(tmp_path, deed)


def test_the_list_has_every_tenant_with_all_its_keys(tmp_path: Path) -> None:
    async def deed(office: Office) -> None:
        one, two = [await office.tenants.create(name) for name in ("One", "Two")]
        await office.tenants.rotate("Two", "live")
        listed = {tenant: sorted(key.kind for key in keys) for tenant, keys in await office.tenants.list()}
        assert listed == {one.tenant: ["live", "test"], two.tenant: ["live", "live", "test"]}

    within(tmp_path, deed)


@pytest.mark.parametrize("name", ["", " App", "App ", "A\npp", "A\0pp", "x" * 81, "a\u202eb", "\ud800"])
def test_a_name_that_cannot_be_printed_on_a_line_is_refused(tmp_path: Path, name: str) -> None:
    async def deed(office: Office) -> None:
        with pytest.raises(BadInput):
            await office.tenants.create(name)
        assert await office.tenants.list() == []

    within(tmp_path, deed)


@pytest.mark.parametrize(("given", "kept"), [
    (["*"], ("*",)),
    (["https://App.Example", "https://app.example"], ("https://app.example",)),
    (["https://app.example:443", "http://localhost:80"], ("https://app.example", "http://localhost")),
    (["http://localhost:5173", "http://[::1]:80", "http://[::1]:81"], ("http://localhost:5173", "http://[::1]", "http://[::1]:81")),
    (["capacitor://localhost"], ("capacitor://localhost",)),
])  # fmt: skip
def test_origins_are_kept_as_browsers_send_them(tmp_path: Path, given: Sequence[str], kept: Sequence[str]) -> None:
    async def deed(office: Office) -> Sequence[str]:
        new = await office.tenants.create("App", origins=given)
        return (await office.store.keys(new.tenant.id))[0].origins

    assert within(tmp_path, deed) == kept


@pytest.mark.parametrize("origin", [
    "", "app.example", "https://app.example/", "https://app.example/x", "https://u@app.example", "https://*.example",
    "https://", "https://app.example:99999", "https://[::1", "https://a b", "x" * 999,
])  # fmt: skip
def test_what_is_no_origin_is_refused(tmp_path: Path, origin: str) -> None:
    async def deed(office: Office) -> None:
        with pytest.raises(BadInput):
            await office.tenants.create("App", origins=[origin])

    within(tmp_path, deed)


def test_a_webhook_to_a_private_address_is_refused_unless_it_is_allowed(tmp_path: Path) -> None:
    async def refused(office: Office) -> None:
        for url, problem in (("http://127.0.0.1:9/", PrivateAddress), ("gopher://app.example/", BadAddress)):
            with pytest.raises(problem):
                await office.tenants.create("App", url)
        assert await office.tenants.list() == []

    async def allowed(office: Office) -> str | None:
        return (await office.tenants.create("App", "http://127.0.0.1:9/")).tenant.webhook_url

    within(tmp_path, refused)
    assert within(tmp_path, allowed, allow_private=True) == "http://127.0.0.1:9/"
