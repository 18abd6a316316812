"""`ludus doctor`: checks an installation and a running server, and says what to do about what is wrong."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ludus.cli.database import DatabaseOption, DataOption
from ludus.cli.findings import Check, Finding, Level
from ludus.core.errors import LudusError

if TYPE_CHECKING:
    import httpx2

    from ludus.server.settings import Settings

FEW_BYTES, FEWEST_BYTES = 1 << 30, 100 << 20
"""The free space below which to warn, and below which the disk is almost full."""
FEW_HANDLES: Final = 4096
MOST_SKEW: Final = 5.0
"""The most seconds by which the server's clock may differ from this machine's."""
SECONDS: Final = 10.0
"""Seconds in which the server must answer."""
ADVICE: Final = {
    "starting": "wait; it may be compiling its engines",
    "stopping": "it is being stopped",
    "database_unreachable": "see whether the database runs and can be reached from the server",
    "not_storing": "see whether the disk is full or the database refuses to write",
    "lease_lost": "another server has taken the database; stop one of them",
    "bots_loading": "wait; its bots are being loaded",
    "bots_missing": "start a `ludus worker`: its servers have no engines",
    "bots_failed": "the server's log says why its bots cannot play",
}


COLOURS: Final = {
    Level.GOOD: typer.colors.GREEN,
    Level.WARNING: typer.colors.YELLOW,
    Level.BAD: typer.colors.RED,
}


def doctor(
    url: Annotated[
        str | None,
        typer.Option(help="A running server's address, as its users reach it; it is then checked as well."),
    ] = None,
    data: DataOption = None,
    database: DatabaseOption = None,
) -> None:
    """Check this installation, its data and a running server. Nothing is changed.

    The exit code is 1 if something is wrong.
    """
    from ludus.cli.deployment import check_bus
    from ludus.cli.settings import load_settings

    settings = load_settings({"data": data, "database": database}).settings
    checks = [check_machine(), check_folder(settings), check_secret(settings), check_database(settings)]
    if settings.bus:
        checks.append(check_bus(settings.bus))
    if url:
        checks += [check_proxies(url, settings), check_server(url.rstrip("/"))]
    found = [show(finding) for check in checks for finding in check]
    if Level.BAD in found:
        raise typer.Exit(1)


def show(finding: Finding) -> Level:
    mark = typer.style(finding.level.value, fg=COLOURS[finding.level])
    typer.echo(f"{mark} {finding.text}")
    if finding.advice:
        typer.echo(f"    {finding.advice}")
    return finding.level


def check_machine() -> Check:
    import resource  # not on every system

    from ludus.engines.precompile import is_precompiled
    from ludus.storage.sqlite.file import OLDEST

    if sqlite3.sqlite_version_info < OLDEST:
        yield Finding(Level.BAD, f"SQLite {sqlite3.sqlite_version}", "install 3.37 or newer, or use PostgreSQL")
    if is_precompiled():
        yield Finding(Level.GOOD, "the engines are compiled")
    else:
        yield Finding(
            Level.WARNING, "the engines are not compiled", "`ludus precompile` compiles them before the first start"
        )
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < FEW_HANDLES:
        yield Finding(
            Level.WARNING,
            f"at most {most:,} open files, and so fewer connections",
            "raise the limit: LimitNOFILE= in systemd, `ulimit -n` in a shell",
        )


def check_folder(settings: Settings) -> Check:
    folder = Path(settings.data)
    if not folder.is_dir():
        yield Finding(Level.WARNING, f"there is no data folder {folder} yet", "the first start creates it")
        return
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(Level.BAD, f"{folder} cannot be written to", "run this as the server's user, or change its owner")
    if folder.stat().st_mode & 0o077:
        yield Finding(Level.WARNING, f"other users can read {folder}", f"chmod 700 {folder}")
    free = shutil.disk_usage(folder).free
    level = Level.BAD if free < FEWEST_BYTES else Level.WARNING if free < FEW_BYTES else Level.GOOD
    advice = "" if level is Level.GOOD else "a server without space stores nothing; make room"
    yield Finding(level, f"{free / 1e9:,.1f} GB free in {folder}", advice)


def check_secret(settings: Settings) -> Check:
    from ludus.server.settings import refuse_weak_secret, secret_of

    try:
        refuse_weak_secret(settings)
        if settings.secret.strip() or (Path(settings.data) / "secret").exists():
            secret_of(settings)
            yield Finding(Level.GOOD, "the secret that signs tokens is there")
        else:
            yield Finding(Level.WARNING, "there is no secret yet", "the first start creates one")
    except LudusError as error:
        yield Finding(Level.BAD, str(error))


def check_database(settings: Settings) -> Check:
    from ludus.cli.deployment import check_deployment
    from ludus.storage.inspection import inspect

    try:
        found = asyncio.run(inspect(settings.database, Path(settings.data)))
    except LudusError as error:
        yield Finding(Level.BAD, str(error))
        return
    if found is None:
        yield Finding(Level.WARNING, "there is no database yet", "the first start creates it")
        return
    state = "a server is running on it" if found.is_served else "no server is running on it"
    yield Finding(Level.GOOD, f"the database can be read; {state}")
    if found.missing:
        text = f"{found.missing} migrations of the database are missing"
        yield Finding(Level.WARNING, text, "the next start applies them; make a backup first")
    if found.deployment is not None:
        yield from check_deployment(found.deployment, settings)


def check_proxies(url: str, settings: Settings) -> Check:
    """The server itself speaks HTTP only, so HTTPS means that there is a proxy."""
    if url.startswith("https:") and not settings.proxies:
        text = "a proxy is in front of the server, but the setting `proxies` is empty: all its clients share one limit"
        yield Finding(Level.WARNING, text, "set LUDUS_PROXIES to the proxy's address, as the server sees it")


def check_server(url: str) -> Check:
    """Checks the server as clients and load balancers see it."""
    import httpx2

    with httpx2.Client(timeout=SECONDS) as client:
        for check in (check_readiness, check_polling):
            try:
                yield from check(client, url)
            except httpx2.HTTPError as error:
                yield Finding(Level.BAD, f"{url} does not answer: {error}", "check that the server and its proxy run")
                return
    yield from check_websocket(url)


def check_readiness(client: httpx2.Client, url: str) -> Check:
    answer = client.get(f"{url}/readyz")
    failed = answer.json().get("failed", []) if "json" in answer.headers.get("content-type", "") else None
    if failed is None:
        text = f"{url}/readyz answers {answer.status_code}, but not like a Ludus server"
        yield Finding(Level.BAD, text, "name the server's own address and path; check that the proxy passes it on")
    elif answer.status_code == 200:
        yield Finding(Level.GOOD, f"{url} is ready")
    for code in failed or ():
        yield Finding(Level.BAD, f"{url} is not ready: {code}", ADVICE.get(code, ""))
    if "date" in answer.headers:
        skew = (parsedate_to_datetime(answer.headers["date"]) - datetime.now(UTC)).total_seconds()
        if abs(skew) > MOST_SKEW:
            text = f"the server's clock differs from this machine's by {skew:+,.0f} s"
            yield Finding(
                Level.WARNING,
                text,
                "set both by NTP; the lifetimes of tokens, webhook retries and retention depend on it",
            )


def check_polling(client: httpx2.Client, url: str) -> Check:
    answer = client.get(f"{url}/socket.io/?EIO=4&transport=polling")
    if answer.status_code == 200 and answer.text.startswith("0{"):
        yield Finding(Level.GOOD, "rooms answer over HTTP")
    else:
        yield Finding(Level.BAD, f"rooms answer {answer.status_code} over HTTP", "the proxy must pass on /socket.io/")


def check_websocket(url: str) -> Check:
    from websockets.exceptions import WebSocketException
    from websockets.sync.client import connect

    address = f"ws{url.removeprefix('http')}/socket.io/?EIO=4&transport=websocket"
    try:
        with connect(address, open_timeout=SECONDS, close_timeout=1) as socket:
            is_open = str(socket.recv(timeout=SECONDS)).startswith("0{")
    except (OSError, WebSocketException, TimeoutError):
        is_open = False
    if is_open:
        yield Finding(Level.GOOD, "WebSockets get through")
    else:
        advice = (
            "the proxy must pass on the headers Upgrade and Connection; without them clients poll, at a higher cost"
        )
        yield Finding(Level.WARNING, "WebSockets do not get through", advice)
