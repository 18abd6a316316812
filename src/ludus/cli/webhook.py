"""`ludus webhook`: what could not be delivered, and how to send it again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.tenant import DatabaseOption, DataOption, JsonOption, entered
from ludus.cli.terminal import counted
from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.service.ports import Store
    from ludus.service.records import Delivery

app = typer.Typer(name="webhook", help="Webhooks that could not be delivered.", no_args_is_help=True)

TenantOption = Annotated[str | None, typer.Option(metavar="ID", help="Of this tenant only.", show_default=False)]


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
    """Send dead webhooks again, as if they had never been tried; the server does it when it runs."""
    if (id is None) != every or (id is not None and tenant is not None):
        raise BadInput("name one webhook by its id, or say --all, of one tenant if need be")
    sent = asyncio.run(_replay(id, tenant, data, database))
    typer.echo(f"{counted(sent, 'webhook')} will be sent again.")


async def _dead(tenant: str | None, most: int, data: Path | None, database: str | None) -> Sequence[Delivery]:
    async with entered(data, database) as (store, _):
        return await store.deliveries("dead", tenant, most)


async def _replay(id: str | None, tenant: str | None, data: Path | None, database: str | None) -> int:
    from ludus.service.clock import WallClock

    async with entered(data, database) as (store, _):
        sent, now = 0, WallClock().now()  # one time for all: they go in the order in which they were made
        if id is not None:
            await _revive(store, [await _dead_letter(store, id)], now)
            return 1
        while letters := await store.deliveries("dead", tenant):
            await _revive(store, letters, now)
            sent += len(letters)
        return sent


async def _dead_letter(store: Store, id: str) -> Delivery:
    letter = await store.delivery(id)
    if letter is None or letter.state != "dead":
        raise BadInput(f"webhook {id!r} is {letter.state}, not dead" if letter else f"there is no webhook {id!r}")
    return letter


async def _revive(store: Store, letters: Sequence[Delivery], now: int) -> None:
    from ludus.service.ports import PutDelivery
    from ludus.service.webhooks import replayed

    await store.commit(*(PutDelivery(replayed(letter, now)) for letter in letters))


def _listed(letter: Delivery) -> dict[str, Any]:
    content = {"body": json.loads(letter.body), "problem": letter.problem}
    names = {"id": letter.id, "tenant": letter.tenant, "sessionId": letter.session, "event": letter.event}
    return {**names, "url": letter.url, "attempts": letter.attempts, "createdAt": letter.created_at, **content}
