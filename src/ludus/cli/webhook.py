"""`ludus webhook`: what could not be delivered, and how to send it again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ludus.cli.tenant import DatabaseOption, DataOption, JsonOption, entered
from ludus.cli.terminal import counted
from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.service.ports import Store
    from ludus.service.records import Delivery, Tenant

app = typer.Typer(name="webhook", help="Webhooks that could not be delivered.", no_args_is_help=True)

TenantOption = Annotated[str | None, typer.Option(metavar="ID", help="Of this tenant only.", show_default=False)]


class Replayed(NamedTuple):
    sent: int
    unheard: Sequence[Tenant]
    """Who has dead letters but no URL any more."""


@app.command()
def dead(
    tenant: TenantOption = None,
    most: Annotated[int, typer.Option("--most", "-n", min=1, max=100_000, help="How many, the newest first.")] = 100,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the webhooks that were given up."""
    letters = asyncio.run(_dead(tenant, most, data, database))
    if as_json:
        typer.echo(json.dumps([_listed(letter) for letter in letters]))
        return
    if not letters:
        typer.echo("no dead letters")
    for letter in letters:
        tried = f"{counted(letter.attempts, 'attempt')}, the last: {letter.problem}"
        typer.echo(f"{letter.id}  {letter.event}  {letter.tenant}  {letter.url}  {tried}")


@app.command()
def replay(
    id: Annotated[str | None, typer.Argument(metavar="ID", help="Which one.", show_default=False)] = None,
    every: Annotated[bool, typer.Option("--all", help="All of them.")] = False,
    tenant: TenantOption = None,
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Send dead webhooks again, to where their tenant hears now; the server does it when it runs."""
    if (id is None) != every or (id is not None and tenant is not None):
        raise BadInput("name one webhook by its id, or say --all, of one tenant if need be")
    sent, unheard = asyncio.run(_replay(id, tenant, data, database))
    typer.echo(f"{counted(sent, 'webhook')} will be sent again.")
    for each in unheard:
        typer.echo(f"Those of {each.id} stay dead: it has no webhook URL any more.")


async def _dead(tenant: str | None, most: int, data: Path | None, database: str | None) -> Sequence[Delivery]:
    async with entered(data, database) as (store, _):
        if tenant is not None:
            await _tenant(store, tenant)
        return await store.deliveries("dead", tenant, most)


async def _replay(id: str | None, tenant: str | None, data: Path | None, database: str | None) -> Replayed:
    from ludus.service.clock import WallClock

    async with entered(data, database) as (store, _):
        now = WallClock().now()  # one time for all: they go in the order in which they were made
        if id is not None:
            letter = await _dead_letter(store, id)
            await _revive(store, [letter], _url(await _tenant(store, letter.tenant)), now)
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
        raise BadInput(f"tenant {tenant.id!r} has no webhook URL any more; ludus tenant set can give it one")
    return tenant.webhook_url


async def _dead_letter(store: Store, id: str) -> Delivery:
    letter = await store.delivery(id)
    if letter is None or letter.state != "dead":
        raise BadInput(f"webhook {id!r} is {letter.state}, not dead" if letter else f"there is no webhook {id!r}")
    return letter


async def _revive_everywhere(store: Store, now: int) -> Replayed:
    sent, unheard = 0, []
    for tenant in await store.tenants():
        if tenant.webhook_url is not None:
            sent += await _revive_all(store, tenant.id, tenant.webhook_url, now)
        elif await store.deliveries("dead", tenant.id, 1):
            unheard.append(tenant)
    return Replayed(sent, unheard)


async def _revive_all(store: Store, tenant: str, url: str, now: int) -> int:
    sent = 0
    while letters := await store.deliveries("dead", tenant):
        await _revive(store, letters, url, now)
        sent += len(letters)
    return sent


async def _revive(store: Store, letters: Sequence[Delivery], url: str, now: int) -> None:
    from ludus.service.ports import PutDelivery
    from ludus.service.webhooks.delivery import replayed

    await store.commit(*(PutDelivery(replayed(letter, now)._replace(url=url)) for letter in letters))


def _listed(letter: Delivery) -> dict[str, Any]:
    content = {"body": json.loads(letter.body), "problem": letter.problem}
    names = {"id": letter.id, "tenant": letter.tenant, "sessionId": letter.session, "event": letter.event}
    return {**names, "url": letter.url, "attempts": letter.attempts, "createdAt": letter.created_at, **content}
