"""What `ludus tenant` and `ludus agent` share: exporting and deleting stored personal data."""

from __future__ import annotations

import asyncio
import secrets
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from ludus.cli.database import is_alone, open_store
from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from ludus.service.agents import Agents
    from ludus.service.erasure import Erasures
    from ludus.service.export import Exports
    from ludus.service.ports.store import Store
    from ludus.service.records import Erasure
    from ludus.service.tenants import Tenants

POLL_SECONDS: Final = 0.2
WAIT_SECONDS: Final = 60.0
"""How long to wait for a running server to delete something."""
MODES: Final = ("live", "test", "training")

OutOption = Annotated[
    Path | None, typer.Option("--out", metavar="FILE", help="Write to this file.", show_default=False)
]
YesOption = Annotated[bool, typer.Option("--yes", help="Don't ask for confirmation.")]


class OpenService(NamedTuple):
    """The parts of the platform that keep track of stored personal data."""

    store: Store
    agents: Agents
    tenants: Tenants
    erasures: Erasures
    exports: Exports


@asynccontextmanager
async def open_service(data: Path | None, database: str | None) -> AsyncIterator[OpenService]:
    from ludus.bus.memory import MemoryBus
    from ludus.service.agents import Agents
    from ludus.service.clock import WallClock
    from ludus.service.engine_pool import EnginePool
    from ludus.service.erasure import Erasures
    from ludus.service.export import Exports
    from ludus.service.platform import Platform, Timeouts
    from ludus.service.tenants import Tenants
    from ludus.service.webhooks.outbox import WebhookOutbox

    clock = WallClock()
    async with open_store(data, database) as (store, _):
        platform = Platform(store, MemoryBus(), EnginePool(1), secrets.token_bytes(32), Timeouts(), clock=clock)
        outbox = WebhookOutbox(store, lambda: str(uuid.uuid4()), clock, lambda: None)
        platform.tables.hooks.append(outbox.on_decision)
        platform.expiry_hooks.append(outbox.expired)
        agents = Agents(store, clock, str, str, str)  # registers no tenant
        tenants = Tenants(store, clock, str, None)
        erasures = Erasures(platform, agents, tenants, outbox)
        yield OpenService(store, agents, tenants, erasures, Exports(store, clock.now))


def export(
    data: Path | None,
    database: str | None,
    out: Path | None,
    find: Callable[[OpenService], Awaitable[AsyncIterator[bytes]]],
) -> None:
    """Writes the document to the file, or to standard output."""

    async def work() -> None:
        async with open_service(data, database) as service:
            document = await find(service)
            if out is None:
                await _write(document, sys.stdout.buffer)
                return
            with out.open("wb") as file:
                await _write(document, file)

    asyncio.run(work())


async def _write(document: AsyncIterator[bytes], file: IO[bytes]) -> None:
    async for part in document:
        file.write(part)
    file.flush()


def forget(
    data: Path | None,
    database: str | None,
    request: Callable[[OpenService], Awaitable[Sequence[Erasure]]],
) -> bool:
    """Whether everything is deleted; if not, the server continues."""

    async def work() -> bool:
        async with open_service(data, database) as service:
            requested = await request(service)
            # a running server deletes by itself, since it has games in memory
            return await (_finish(service, requested) if await is_alone(service.store) else _wait(service, requested))

    return asyncio.run(work())


def confirm(question: str, *, yes: bool) -> None:
    if not yes and not typer.confirm(f"{question} This cannot be undone."):
        raise BadInput("nothing was deleted")


def report(what: str, *, is_complete: bool) -> None:
    typer.echo(f"{what} is deleted." if is_complete else f"{what} is being deleted by the server.")


async def _finish(service: OpenService, requested: Sequence[Erasure]) -> bool:
    await asyncio.gather(*map(service.erasures.begin, requested))
    return True


async def _wait(service: OpenService, requested: Sequence[Erasure]) -> bool:
    subjects = {erasure.subject for erasure in requested}
    for _ in range(round(WAIT_SECONDS / POLL_SECONDS)):
        if not subjects & {erasure.subject for erasure in await service.store.erasures(1000)}:
            return True
        await asyncio.sleep(POLL_SECONDS)
    return False
