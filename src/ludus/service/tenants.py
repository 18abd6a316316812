"""Tenants, the apps whose back ends use the platform, and their API keys."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from ludus.core.errors import BadInput, LudusError
from ludus.service.origins import read_origin
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutKey, PutTenant
from ludus.service.records import Key, Tenant
from ludus.service.webhooks.addresses import check_url
from ludus.service.webhooks.delivery import webhook_secret

KINDS: Final = ("live", "test")
MAX_NAME: Final = 80
MAX_KEY: Final = 128
MAX_ORIGINS: Final = 50
HINT: Final = len("ludus_live_") + 6
"""Characters of a key that may be shown: enough to tell keys apart, and the remaining 37 cannot be guessed."""
CACHE_MS: Final = 2000
"""Milliseconds for which a valid key is cached."""


class UnknownTenant(LudusError):
    code = "unknown_tenant"


class UnknownKey(LudusError):
    code = "unknown_key"


class NewTenant(NamedTuple):
    """A tenant with its secrets; the keys cannot be seen again."""

    tenant: Tenant
    live_key: str
    test_key: str
    webhook_secret: str


class Tenants:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        new_secret: Callable[[], str],
        secret: bytes | None,
        *,
        allow_private: bool = False,
    ) -> None:
        """`new_secret` returns 256 random bits in 43 characters, as `secrets.token_urlsafe(32)` does.

        Without the platform's `secret` no tenant can be created, since webhook secrets derive from it.
        """
        self._store = store
        self._clock = clock
        self._new_secret = new_secret
        self._secret = secret
        self._allow_private = allow_private
        self._known: dict[str, tuple[int, Key]] = {}

    async def create(self, name: str, webhook_url: str | None = None, origins: Sequence[str] = ("*",)) -> NewTenant:
        check_name(name)
        allowed = check_origins(origins)
        if webhook_url is not None:
            check_url(webhook_url, allow_private=self._allow_private)
        id = f"tenant_{hashed(self._new_secret())[:16]}"
        tenant = Tenant(id, name, self._clock.now(), webhook_url)
        (live_key, live), (test_key, test) = (self._new_key(id, kind, allowed) for kind in KINDS)
        new = NewTenant(tenant, live_key, test_key, self.webhook_secret(id))
        await self._store.commit(PutTenant(tenant), PutKey(live), PutKey(test))
        return new

    async def change(
        self,
        name: str,
        *,
        webhook_url: str | None = None,
        no_webhook: bool = False,
        origins: Sequence[str] | None = None,
    ) -> Tenant:
        """Changes the webhook URL, the origins of all valid keys, or both."""
        owner = await self.find(name)
        if webhook_url is not None:
            check_url(webhook_url, allow_private=self._allow_private)
        changed = owner._replace(webhook_url=None if no_webhook else webhook_url or owner.webhook_url)
        keys = [] if origins is None else await self._with_origins(owner, check_origins(origins))
        await self._store.commit(PutTenant(changed), *map(PutKey, keys))
        return changed

    def webhook_secret(self, id: str) -> str:
        if self._secret is None:
            raise BadInput("the platform's secret is not known here, and webhook secrets derive from it")
        return webhook_secret(self._secret, id)

    async def authenticate(self, key: str) -> Key | None:
        """The key's record if it is valid; after a revocation elsewhere it may stay cached for two seconds."""
        if len(key) > MAX_KEY or not key.isascii():
            return None
        hash, now = hashed(key), self._clock.now()
        since, known = self._known.get(hash, (0, None))
        if known is not None and 0 <= now - since < CACHE_MS:
            return known
        found = await self._store.key(hash)
        if found is None or found.revoked_at is not None:
            self._known.pop(hash, None)
            return None
        self._known[hash] = now, found
        return found

    def forget(self, tenant: str) -> None:
        """Keys of the tenant are looked up again when they are next used."""
        self._known = {hash: known for hash, known in self._known.items() if known[1].tenant != tenant}

    async def rotate(self, tenant: str, kind: str, *, keep: bool = False) -> str:
        """A new key with the tenant's origins; revokes the others of its kind unless `keep` is set."""
        if kind not in KINDS:
            raise BadInput(f"a key is {' or '.join(KINDS)}, not {kind!r}")
        owner = await self.find(tenant)
        keys = await self._store.keys(owner.id)
        old = [key for key in keys if key.kind == kind]
        # Prefer a valid key, even of the other kind: `change` does not update the origins of revoked ones.
        model = max(keys, key=lambda key: (key.revoked_at is None, key.kind == kind, key.created_at), default=None)
        text, key = self._new_key(owner.id, kind, model.origins if model else ("*",))
        await self._store.commit(PutKey(key), *(PutKey(self._revoked(each)) for each in old if not keep))
        return text

    async def revoke(self, key: str) -> Key:
        """Revokes a key, given by its hint, its hash or the key itself."""
        found = [each for each in await self._all_keys() if key in (each.hint, each.hash) or hashed(key) == each.hash]
        if not found:
            raise UnknownKey(f"there is no key {key[:HINT]}…")
        if len(found) > 1:
            raise UnknownKey(f"{len(found)} keys begin with {key}; name one by its hash")
        await self._store.commit(PutKey(self._revoked(found[0])))
        return found[0]

    async def find(self, name: str) -> Tenant:
        """The tenant with this id or this unique name."""
        if tenant := await self._store.tenant(name):
            return tenant
        found = [tenant for tenant in await self._store.tenants() if tenant.name == name]
        if not found:
            raise UnknownTenant(f"there is no tenant {name!r}")
        if len(found) > 1:
            raise UnknownTenant(f"{len(found)} tenants are called {name!r}; name one by its id")
        return found[0]

    async def list(self) -> Sequence[tuple[Tenant, Sequence[Key]]]:
        """Every tenant with its keys, revoked ones included."""
        return [(tenant, await self.keys(tenant)) for tenant in await self._store.tenants()]

    async def keys(self, tenant: Tenant) -> Sequence[Key]:
        return await self._store.keys(tenant.id)

    def _new_key(self, tenant: str, kind: str, origins: tuple[str, ...]) -> tuple[str, Key]:
        text = f"ludus_{kind}_{self._new_secret()}"
        return text, Key(hashed(text), tenant, kind, text[:HINT], origins, self._clock.now())

    async def _with_origins(self, owner: Tenant, origins: tuple[str, ...]) -> Sequence[Key]:
        valid = [key for key in await self._store.keys(owner.id) if key.revoked_at is None]
        if not valid:
            raise BadInput(f"tenant {owner.name!r} has no valid key; rotate one first")
        for key in valid:
            self._known.pop(key.hash, None)
        return [key._replace(origins=origins) for key in valid]

    def _revoked(self, key: Key) -> Key:
        self._known.pop(key.hash, None)
        return key if key.revoked_at is not None else key._replace(revoked_at=self._clock.now())

    async def _all_keys(self) -> Sequence[Key]:
        return [key for _, keys in await self.list() for key in keys]


def hashed(key: str) -> str:
    """SHA-256 in hex. Slow hashes are for passwords; 256 random bits cannot be brute-forced."""
    return hashlib.sha256(key.encode(errors="replace")).hexdigest()


def check_name(name: str) -> None:
    if not name.isprintable() or name != name.strip() or not 1 <= len(name) <= MAX_NAME:
        raise BadInput(f"a tenant's name has 1 to {MAX_NAME} printable characters, with no space at its ends")


def check_origins(origins: Sequence[str]) -> tuple[str, ...]:
    if not 1 <= len(origins) <= MAX_ORIGINS:
        raise BadInput(f"a tenant has 1 to {MAX_ORIGINS} origins; * allows all")
    return tuple(dict.fromkeys(map(read_origin, origins)))
