"""The tenant that the sessions of our own page belong to. It has no usable key."""

from __future__ import annotations

from typing import Final

from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutKey, PutTenant
from ludus.service.records import Key, Tenant
from ludus.service.sessions import PAGE_TENANT

NO_KEY: Final = "page"
"""In place of a key's hash; no key has it."""


async def ensure_page_tenant(store: Store, now: int) -> None:
    """Created for the first person: every session belongs to a tenant. Safe to repeat."""
    if await store.tenant(PAGE_TENANT) is None:
        tenant = Tenant(PAGE_TENANT, "The page itself", now)
        await store.commit(PutTenant(tenant), PutKey(Key(NO_KEY, PAGE_TENANT, "live", "none", ("*",), now)))
