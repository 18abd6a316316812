"""`ludus tenant`: manages the apps that may use the server, and their API keys."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from ludus.cli import personal_data
from ludus.cli.database import DatabaseOption, DataOption, open_store
from ludus.cli.personal_data import OpenService, OutOption, YesOption
from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from ludus.server.settings import Settings
    from ludus.service.records import Erasure, Key, Tenant
    from ludus.service.tenants import NewTenant, Tenants

Result = TypeVar("Result")

app = typer.Typer(name="tenant", help="Manage the apps that may use the server, and their keys.", no_args_is_help=True)

TenantArgument = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's id or name.", show_default=False)]
WebhookOption = Annotated[
    str | None, typer.Option(metavar="URL", help="Where to send webhooks about live games.", show_default=False)
]
OriginOption = Annotated[
    list[str] | None,
    typer.Option(metavar="ORIGIN", help="Origin from which browsers may use the keys; repeatable. * is any."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class TenantInfo(NamedTuple):
    """A tenant, its keys and, only if requested, its webhook secret."""

    tenant: Tenant
    keys: Sequence[Key]
    webhook_secret: str | None = None


def with_tenants(
    data: Path | None,
    database: str | None,
    action: Callable[[Tenants], Awaitable[Result]],
    *,
    may_create: bool = False,
) -> Result:
    """Runs an action on the database that the options name."""

    async def work() -> Result:
        import secrets

        from ludus.service.clock import WallClock
        from ludus.service.tenants import Tenants

        async with open_store(data, database, may_create=may_create) as (store, settings):
            secret = secret_in(settings, may_create=may_create)
            new_secret, may_be_private = partial(secrets.token_urlsafe, 32), settings.webhook_private
            return await action(Tenants(store, WallClock(), new_secret, secret, allow_private=may_be_private))

    return asyncio.run(work())


def secret_in(settings: Settings, *, may_create: bool) -> bytes | None:
    """The server's secret. One created in the wrong folder would give useless webhook secrets."""
    from ludus.server.settings import secret_of

    is_there = settings.secret.strip() or (Path(settings.data) / "secret").exists()
    return secret_of(settings) if is_there or may_create else None


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="The name of the app.", show_default=False)],
    webhook: WebhookOption = None,
    origin: OriginOption = None,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a tenant and print its keys. They are shown only once."""
    origins = origin or ("*",)
    new = with_tenants(data, database, lambda tenants: tenants.create(name, webhook, origins), may_create=True)
    if as_json:
        typer.echo(json.dumps(_secrets(new)))
        return
    typer.echo(f"tenant          {new.tenant.id}  {new.tenant.name}")
    typer.echo(f"live key        {new.live_key}")
    typer.echo(f"test key        {new.test_key}")
    typer.echo(f"webhook secret  {new.webhook_secret}")
    typer.echo("Keep them safe: keys are stored as hashes and cannot be shown again.")


@app.command("set")
def change(
    tenant: TenantArgument,
    webhook: WebhookOption = None,
    no_webhook: Annotated[bool, typer.Option("--no-webhook", help="Stop sending webhooks.")] = False,
    origin: OriginOption = None,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a tenant's webhook URL, or the origins of its active keys. A running server notices within seconds."""
    if webhook is not None and no_webhook:
        raise BadInput("give --webhook or --no-webhook, not both")
    if webhook is None and not no_webhook and not origin:
        raise BadInput("give something to change: --webhook, --no-webhook or --origin")

    async def action(tenants: Tenants) -> TenantInfo:
        now = await tenants.change(tenant, webhook_url=webhook, no_webhook=no_webhook, origins=origin or None)
        return TenantInfo(now, await tenants.keys(now))

    print_tenant(with_tenants(data, database, action), as_json=as_json)


@app.command()
def show(
    tenant: TenantArgument,
    secret: Annotated[bool, typer.Option("--secret", help="Show the webhook secret too.")] = False,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a tenant: its webhook URL, its origins and the first characters of its keys."""

    async def action(tenants: Tenants) -> TenantInfo:
        found = await tenants.find(tenant)
        return TenantInfo(found, await tenants.keys(found), tenants.webhook_secret(found.id) if secret else None)

    print_tenant(with_tenants(data, database, action), as_json=as_json)


def print_tenant(info: TenantInfo, *, as_json: bool) -> None:
    tenant, keys, secret = info
    origins = list(dict.fromkeys(origin for key in keys if key.revoked_at is None for origin in key.origins))
    if as_json:
        data = {**_public(tenant, keys), "origins": origins}
        typer.echo(json.dumps(data if secret is None else {**data, "webhookSecret": secret}))
        return
    typer.echo(f"tenant          {tenant.id}  {tenant.name}")
    typer.echo(f"webhook         {tenant.webhook_url or 'none'}")
    typer.echo(f"origins         {' '.join(origins) or 'none: no key is active'}")
    for key in keys:
        typer.echo(f"{key.kind} key        {_hint(key)}")
    if secret is not None:
        typer.echo(f"webhook secret  {secret}")


@app.command("list")
def list_all(data: DataOption = None, database: DatabaseOption = None, as_json: JsonOption = False) -> None:
    """List the tenants and their keys."""
    found = with_tenants(data, database, lambda tenants: tenants.list())
    if as_json:
        typer.echo(json.dumps([_public(tenant, keys) for tenant, keys in found]))
        return
    if not found:
        typer.echo("no tenants")
    for tenant, keys in found:
        typer.echo(f"{tenant.id}  {tenant.name}  {tenant.webhook_url or 'no webhook'}")
        for key in keys:
            typer.echo(f"  {_hint(key)}  {' '.join(key.origins)}")


@app.command()
def rotate(
    tenant: TenantArgument,
    kind: Annotated[str, typer.Argument(metavar="live|test", help="Which key.", show_default=False)],
    keep: Annotated[bool, typer.Option("--keep", help="Keep the old keys active until they are revoked.")] = False,
    data: DataOption = None,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a new key and print it, only once; old keys of its kind stop working."""
    key = with_tenants(data, database, lambda tenants: tenants.rotate(tenant, kind, keep=keep))
    typer.echo(json.dumps({f"{kind}Key": key}) if as_json else key)


@app.command()
def revoke(
    key: Annotated[
        str,
        typer.Argument(help="Its first characters as listed, its hash, or the key itself.", show_default=False),
    ],
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Revoke a key. A running server notices within seconds."""
    ended = with_tenants(data, database, lambda tenants: tenants.revoke(key))
    typer.echo(f"{ended.hint}… of {ended.tenant} is revoked.")


PlayerOption = Annotated[
    str | None, typer.Option(metavar="ID", help="Only this player of the tenant.", show_default=False)
]


@app.command()
def export(
    tenant: TenantArgument,
    player: PlayerOption = None,
    out: OutOption = None,
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Print everything stored about a tenant or one of its players, as JSON: sessions, games, ratings, webhooks."""

    async def find(service: OpenService) -> AsyncIterator[bytes]:
        owner = await service.tenants.find(tenant)
        if player is None:
            return await service.exports.tenant(owner)
        return await service.exports.player(owner.id, player, personal_data.MODES)

    personal_data.export(data, database, out, find)


@app.command()
def forget(
    tenant: TenantArgument,
    player: PlayerOption = None,
    yes: YesOption = False,
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Delete a tenant with all its games, or one of its players, whose games stay and show a pseudonym."""
    whom = f"The tenant {tenant!r}" if player is None else f"The player {player!r}"
    personal_data.confirm(f"Delete {whom[0].lower()}{whom[1:]}?", yes=yes)

    async def request(service: OpenService) -> Sequence[Erasure]:
        owner = await service.tenants.find(tenant)
        if player is None:
            return await service.erasures.request_tenant(owner)
        return await service.erasures.request_player(owner.id, player, personal_data.MODES)

    personal_data.report(whom, is_complete=personal_data.forget(data, database, request))


def day(ms: int) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(ms / 1000, UTC).date().isoformat()


def _secrets(new: NewTenant) -> dict[str, Any]:
    keys = {"liveKey": new.live_key, "testKey": new.test_key, "webhookSecret": new.webhook_secret}
    return {"tenant": new.tenant.id, "name": new.tenant.name, **keys}


def _hint(key: Key) -> str:
    state = "revoked" if key.revoked_at is not None else "active"
    return f"{key.hint}…  {state:<7}  since {day(key.created_at)}"


def _public(tenant: Tenant, keys: Sequence[Key]) -> dict[str, Any]:
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
