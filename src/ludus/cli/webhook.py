"""`ludus webhook`: lists webhooks that could not be delivered, and sends them again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ludus.cli.database import DatabaseOption, DataOption, open_store
from ludus.cli.tenant import JsonOption
from ludus.cli.terminal import counted
from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.service.ports.store import Store
    from ludus.service.records import Delivery, Tenant

app = typer.Typer(name="webhook", help="Webhooks that could not be delivered.", no_args_is_help=True)

TenantOption = Annotated[str | None, typer.Option(metavar="ID", help="Only this tenant's.", show_default=False)]


class Replayed(NamedTuple):
    sent: int
    without_url: Sequence[Tenant]
    """Tenants with dead deliveries that no longer have a webhook URL."""


@app.command()
def dead(
    tenant: TenantOption = None,
    most: Annotated[int, typer.Option("--most", "-n", min=1, max=100_000, help="How many, newest first.")] = 100,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the webhooks that the server gave up on."""
    deliveries = asyncio.run(_dead(tenant, most, data, database))
    if as_json:
        typer.echo(json.dumps([_listed(delivery) for delivery in deliveries]))
        return
    if not deliveries:
        typer.echo("no dead webhooks")
    for delivery in deliveries:
        tried = f"{counted(delivery.attempts, 'attempt')}, the last: {delivery.problem}"
        typer.echo(f"{delivery.id}  {delivery.event}  {delivery.tenant}  {delivery.url}  {tried}")


@app.command()
def replay(
    id: Annotated[str | None, typer.Argument(metavar="ID", help="Which one.", show_default=False)] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    tenant: TenantOption = None,
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Send dead webhooks again, to the tenant's current URL: at once, or when the server next runs."""
    if (id is None) != every or (id is not None and tenant is not None):
        raise BadInput("name one webhook by its id, or use --all, optionally with --tenant")
    sent, without_url = asyncio.run(_replay(id, tenant, data, database))
    typer.echo(f"{counted(sent, 'webhook')} will be sent again.")
    for each in without_url:
        typer.echo(f"Those of {each.id} stay dead: it no longer has a webhook URL.")


async def _dead(tenant: str | None, most: int, data: Path | None, database: str | None) -> Sequence[Delivery]:
    async with open_store(data, database) as (store, _):
        if tenant is not None:
            await _tenant(store, tenant)
        return await store.deliveries("dead", tenant, most)


async def _replay(id: str | None, tenant: str | None, data: Path | None, database: str | None) -> Replayed:
    from ludus.service.clock import WallClock

    async with open_store(data, database) as (store, _):
        now = WallClock().now()  # one time for all keeps them in order
        if id is not None:
            delivery = await _dead_delivery(store, id)
            await _revive(store, [delivery], _url(await _tenant(store, delivery.tenant)), now)
            return Replayed(1, ())
        if tenant is not None:
            owner = await _tenant(store, tenant)
            return Replayed(await _revive_all(store, tenant, _url(owner), now), ())
        return await _revive_everywhere(store, now)


async def _tenant(store: Store, id: str) -> Tenant:
    from ludus.service.tenants import UnknownTenant

    found = await store.tenant(id)
    if found is None:
        raise UnknownTenant(f"there is no tenant {id!r}")
    return found


def _url(tenant: Tenant) -> str:
    if tenant.webhook_url is None:
        raise BadInput(f"tenant {tenant.id!r} no longer has a webhook URL; set one with ludus tenant set")
    return tenant.webhook_url


async def _dead_delivery(store: Store, id: str) -> Delivery:
    delivery = await store.delivery(id)
    if delivery is None or delivery.state != "dead":
        raise BadInput(f"webhook {id!r} is {delivery.state}, not dead" if delivery else f"there is no webhook {id!r}")
    return delivery


async def _revive_everywhere(store: Store, now: int) -> Replayed:
    sent, without_url = 0, []
    for tenant in await store.tenants():
        if tenant.webhook_url is not None:
            sent += await _revive_all(store, tenant.id, tenant.webhook_url, now)
        elif await store.deliveries("dead", tenant.id, 1):
            without_url.append(tenant)
    return Replayed(sent, without_url)


async def _revive_all(store: Store, tenant: str, url: str, now: int) -> int:
    sent = 0
    while deliveries := await store.deliveries("dead", tenant):
        await _revive(store, deliveries, url, now)
        sent += len(deliveries)
    return sent


async def _revive(store: Store, deliveries: Sequence[Delivery], url: str, now: int) -> None:
    from ludus.service.ports.writes import PutDelivery
    from ludus.service.webhooks.delivery import replayed

    await store.commit(*(PutDelivery(replayed(delivery, now)._replace(url=url)) for delivery in deliveries))


def _listed(delivery: Delivery) -> dict[str, Any]:
    content = {"body": json.loads(delivery.body), "problem": delivery.problem}
    names = {"id": delivery.id, "tenant": delivery.tenant, "sessionId": delivery.session, "event": delivery.event}
    return {**names, "url": delivery.url, "attempts": delivery.attempts, "createdAt": delivery.created_at, **content}
