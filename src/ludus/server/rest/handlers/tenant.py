"""A tenant's own account: keys, sessions, webhook deliveries and usage."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from fastapi import Path, Query
from starlette.responses import StreamingResponse

from ludus.core.errors import LudusError
from ludus.server.http.downloads import download
from ludus.server.http.exports import Deletion
from ludus.server.rest import schemas
from ludus.server.rest.auth import CurrentKey
from ludus.server.rest.handlers.players import deletion
from ludus.server.rest.handlers.sessions import MODES, fields_of
from ludus.server.rest.schemas import (
    DeliveryList,
    NewKey,
    RotateKey,
    SessionList,
    SessionSummary,
    Usage,
)
from ludus.service.clock import iso
from ludus.service.erasure import Erasures
from ludus.service.export import Exports
from ludus.service.platform import Platform
from ludus.service.ports.writes import PutDelivery
from ludus.service.records import MAX_ID, Delivery, Key, Session
from ludus.service.sessions import Forbidden
from ludus.service.tables import NotFound
from ludus.service.tenants import Tenants
from ludus.service.webhooks.delivery import replayed
from ludus.service.webhooks.dispatcher import WebhookDispatcher

MOST: Final = 100
COUNTED: Final = 1000
"""The newest sessions, which usage counts."""
DAY: Final = 24 * 3600 * 1000
STATES: Final = ("waiting", "dead", "delivered")

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most, the newest first.")]
State = Annotated[Literal["waiting", "delivered", "dead"] | None, Query(description="Only those in this state.")]
DeliveryId = Annotated[str, Path(description="The `deliveryId`.", max_length=MAX_ID)]


class NotDead(LudusError):
    """A delivery that is on its way, or has arrived, can't be replayed."""

    code = "conflict"


class TenantAccount:
    def __init__(self, platform: Platform, tenants: Tenants, dispatcher: WebhookDispatcher, erasures: Erasures) -> None:
        self._platform = platform
        self._erasures = erasures
        self._exports = Exports(platform.store, lambda: platform.clock.moment().at)
        self._tenants = tenants
        self._dispatcher = dispatcher

    async def show(self, key: CurrentKey) -> schemas.Tenant:
        """The key's tenant: name, webhook, keys by their first characters, and usage."""
        tenant = await self._tenants.find(key.tenant)
        keys = await self._tenants.keys(tenant)
        content = tenant._asdict() | {
            "kind": key.kind,
            "created_at": iso(tenant.created_at),
            "keys": [_key(each, key) for each in keys],
            "usage": await self._usage(key),
        }
        return schemas.Tenant.model_validate(content)

    async def export(self, key: CurrentKey) -> StreamingResponse:
        """Everything stored about the tenant: sessions, games with moves, ratings, webhooks. No secrets."""
        _require_live_key(key)
        return download(await self._exports.tenant(await self._tenants.find(key.tenant)), key.tenant)

    async def delete(self, key: CurrentKey) -> Deletion:
        """Deletes the tenant with everything it has, games included. All its keys stop working at once."""
        _require_live_key(key)
        erasures = await self._erasures.request_tenant(await self._tenants.find(key.tenant))
        return deletion(is_complete=await self._erasures.finish(erasures))

    async def sessions(self, key: CurrentKey, limit: Limit = 50) -> SessionList:
        """The newest sessions made with keys of this kind."""
        return SessionList(sessions=[_session(each) for each in await self._sessions(key, limit)])

    async def deliveries(self, key: CurrentKey, state: State = None, limit: Limit = 50) -> DeliveryList:
        """Webhook deliveries: waiting, delivered and dead."""
        _require_live_key(key)
        wanted = (state,) if state else STATES
        found = [each for name in wanted for each in await self._platform.store.deliveries(name, key.tenant, limit)]
        newest = sorted(found, key=lambda each: (each.created_at, each.id), reverse=True)[:limit]
        return DeliveryList(deliveries=[_delivery(each) for each in newest])

    async def replay(self, id: DeliveryId, key: CurrentKey) -> schemas.Delivery:
        """Sends a dead delivery again, to the tenant's current webhook URL."""
        _require_live_key(key)
        delivery = await self._platform.store.delivery(id)
        if delivery is None or delivery.tenant != key.tenant:
            raise NotFound("there is no such delivery")
        tenant = await self._tenants.find(key.tenant)
        if delivery.state != "dead":
            raise NotDead(f"this delivery is {delivery.state}")
        if tenant.webhook_url is None:
            raise NotDead("the tenant no longer has a webhook URL")
        again = replayed(delivery, self._platform.clock.moment().at)._replace(url=tenant.webhook_url)
        await self._platform.store.commit(PutDelivery(again))
        self._dispatcher.wake()
        return _delivery(again)

    async def rotate(self, wanted: RotateKey, key: CurrentKey) -> NewKey:
        """A new key, shown only once; the old ones of its kind are revoked unless `keep` is set."""
        _require_live_key(key)
        text = await self._tenants.rotate(key.tenant, wanted.kind, keep=wanted.keep)
        return NewKey(kind=wanted.kind, key=text)

    async def _sessions(self, key: Key, most: int) -> list[Session]:
        modes = MODES[key.kind]
        return list(await self._platform.store.sessions_by(key.tenant, (modes[0], modes[-1]), most))

    async def _usage(self, key: Key) -> Usage:
        found, now = await self._sessions(key, COUNTED), self._platform.clock.moment().at
        count = {status: sum(each.status == status for each in found) for status in ("pending", "active", "ended")}
        today = sum(now - each.created_at < DAY for each in found)
        return Usage(**count, last_day=today, is_cut=len(found) == COUNTED)


def _require_live_key(key: Key) -> None:
    if key.kind != "live":
        raise Forbidden("Test API key cannot do this; use the live key")


def _key(each: Key, used: Key) -> schemas.ApiKey:
    revoked_at = None if each.revoked_at is None else iso(each.revoked_at)
    times = {"created_at": iso(each.created_at), "revoked_at": revoked_at}
    return schemas.ApiKey.model_validate(each._asdict() | times | {"is_this": each.hash == used.hash})


def _session(each: Session) -> SessionSummary:
    content = fields_of(each) | {"created_at": iso(each.created_at), "room_id": each.table}
    result = each.result
    return SessionSummary.model_validate(
        content | {"winner": result and result["winner"], "reason": result and result["reason"]}
    )


def _delivery(each: Delivery) -> schemas.Delivery:
    content = each._asdict() | {"session_id": each.session, "created_at": iso(each.created_at)}
    return schemas.Delivery.model_validate(content | {"due_at": None if each.due is None else iso(each.due)})
