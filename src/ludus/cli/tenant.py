"""`ludus tenant`: the apps that may use the house, and their keys."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

if TYPE_CHECKING:
    from ludus.server.settings import Settings
    from ludus.service.ports import Store
    from ludus.service.records import Key, Tenant
    from ludus.service.tenants import NewTenant, Tenants

Result = TypeVar("Result")

app = typer.Typer(name="tenant", help="The apps that may use the house, and their keys.", no_args_is_help=True)

TenantArgument = Annotated[str, typer.Argument(metavar="TENANT", help="Its id or its name.", show_default=False)]
DataOption = Annotated[
    Path | None, typer.Option(help="The house's folder; else as `ludus serve` has it.", show_default=False)
]
DatabaseOption = Annotated[
    str | None, typer.Option(help="sqlite:PATH or postgresql://…; else as `ludus serve` has it.", show_default=False)
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class House(NamedTuple):
    """What a command needs of the house, whether its server runs or not."""

    store: Store
    settings: Settings


@asynccontextmanager
async def entered(data: Path | None, database: str | None) -> AsyncIterator[House]:
    from ludus.server.settings import config_file, load
    from ludus.storage import store_for

    file = config_file(os.environ, Path.cwd())
    settings = load(os.environ, file, {"data": data, "database": database}).settings
    store = store_for(settings.database, Path(settings.data))
    await store.open()
    try:
        yield House(store, settings)
    finally:
        await store.close()


def with_tenants(data: Path | None, database: str | None, deed: Callable[[Tenants], Awaitable[Result]]) -> Result:
    """What the deed returns, done in the house that the options name."""

    async def work() -> Result:
        import secrets

        from ludus.server.settings import secret_of
        from ludus.service.clock import WallClock
        from ludus.service.tenants import Tenants

        async with entered(data, database) as (store, settings):
            secret, may_be_private = secret_of(settings), settings.webhook_private
            new_secret = partial(secrets.token_urlsafe, 32)
            return await deed(Tenants(store, WallClock(), new_secret, secret, allow_private=may_be_private))

    return asyncio.run(work())


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="What people call the app.", show_default=False)],
    webhook: Annotated[
        str | None, typer.Option(metavar="URL", help="Where to tell what happens in live games.", show_default=False)
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="From where browsers may use the keys; repeatable. * is anywhere."),
    ] = None,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a tenant, and print its keys this once."""
    new = with_tenants(data, database, lambda tenants: tenants.create(name, webhook, origin or ("*",)))
    if as_json:
        typer.echo(json.dumps(_secrets(new)))
        return
    typer.echo(f"tenant          {new.tenant.id}  {new.tenant.name}")
    typer.echo(f"live key        {new.live_key}")
    typer.echo(f"test key        {new.test_key}")
    typer.echo(f"webhook secret  {new.webhook_secret}")
    typer.echo("Keep them well: the keys are stored as hashes and cannot be shown again.")


@app.command("list")
def show(data: DataOption = None, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """List the tenants and their keys."""
    found = with_tenants(data, database, lambda tenants: tenants.list())
    if as_json:
        typer.echo(json.dumps([_public(tenant, keys) for tenant, keys in found]))
        return
    for tenant, keys in found:
        typer.echo(f"{tenant.id}  {tenant.name}  {tenant.webhook_url or 'no webhook'}")
        for key in keys:
            state = "revoked" if key.revoked_at is not None else "good"
            typer.echo(f"  {key.hint}…  {state:<7}  since {day(key.created_at)}  {' '.join(key.origins)}")


@app.command()
def rotate(
    tenant: TenantArgument,
    kind: Annotated[str, typer.Argument(metavar="live|test", help="Which key.", show_default=False)],
    keep: Annotated[bool, typer.Option("--keep", help="Leave the old keys good, until they are revoked.")] = False,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a new key and print it this once; the old ones of its kind end."""
    key = with_tenants(data, database, lambda tenants: tenants.rotate(tenant, kind, keep=keep))
    typer.echo(json.dumps({f"{kind}Key": key}) if as_json else key)


@app.command()
def revoke(
    key: Annotated[
        str, typer.Argument(help="Its first characters as listed, its hash, or itself.", show_default=False)
    ],
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """End a key; a running server knows it within seconds."""
    ended = with_tenants(data, database, lambda tenants: tenants.revoke(key))
    typer.echo(f"{ended.hint}… of {ended.tenant} is revoked.")


def day(ms: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()


def _secrets(new: NewTenant) -> dict[str, Any]:
    keys = {"liveKey": new.live_key, "testKey": new.test_key, "webhookSecret": new.webhook_secret}
    return {"tenant": new.tenant.id, "name": new.tenant.name, **keys}


def _public(tenant: Tenant, keys: Any) -> dict[str, Any]:
    return {
        "tenant": tenant.id,
        "name": tenant.name,
        "webhook": tenant.webhook_url,
        "createdAt": tenant.created_at,
        "keys": [_listed(key) for key in keys],
    }


def _listed(key: Key) -> dict[str, Any]:
    times = {"createdAt": key.created_at, "revokedAt": key.revoked_at}
    return {"kind": key.kind, "hint": key.hint, "hash": key.hash, "origins": list(key.origins), **times}
