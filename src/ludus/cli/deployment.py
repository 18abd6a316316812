"""What `ludus doctor` checks if several processes share the work: PostgreSQL, Redis and the processes themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ludus import __version__
from ludus.cli.findings import Check, Finding, Level
from ludus.core.errors import LudusError
from ludus.service.shards import SHARDS

if TYPE_CHECKING:
    from ludus.server.settings import Settings
    from ludus.service.records import Member
    from ludus.storage.inspection import Deployment

MOST_SKEW: Final = 2.0
"""The most seconds between the clocks of this machine and the database."""
SECONDS: Final = 5.0
"""Seconds in which Redis or a process must answer."""
SHARES: Final = len(SHARDS)
"""The shares of each kind of work."""
WORK: Final = {
    "sweep": ("deadlines, pairing and webhooks", "start a server: `ludus serve`"),
    "bots": ("bots and analyses", "start a worker: `ludus worker`, or a server with bot_workers"),
}
EVICTING: Final = "allkeys"
"""How the names of Redis policies that remove keys without an expiry start."""


def check_deployment(found: Deployment, settings: Settings) -> Check:
    yield from check_durability(found)
    yield from check_connections(found)
    if abs(found.skew) > MOST_SKEW:
        text = f"the database's clock differs from this machine's by {found.skew:+,.1f} s"
        yield Finding(Level.WARNING, text, "set both by NTP; tokens and logs depend on it")
    if settings.bus:
        yield from check_members(found, settings)


def check_durability(found: Deployment) -> Check:
    risky = [
        name for name in ("fsync", "full_page_writes", "synchronous_commit") if found.parameters.get(name) == "off"
    ]
    for name in risky:
        text = f"PostgreSQL has {name} = off: a crash of its machine loses moves that were acknowledged"
        yield Finding(Level.BAD, text, f"set {name} = on")
    if not risky:
        yield Finding(Level.GOOD, "PostgreSQL keeps what it has acknowledged")


def check_connections(found: Deployment) -> Check:
    from ludus.storage.postgres.store import CONNECTIONS_OF_A_PROCESS

    parameters = found.parameters
    usable = int(parameters["max_connections"]) - int(parameters["superuser_reserved_connections"])
    most, processes = usable // CONNECTIONS_OF_A_PROCESS, max(1, len(found.members))
    text = f"PostgreSQL's max_connections suffice for {most:,} processes; {len(found.members):,} are running"
    if most <= processes:  # a rolling update starts one more
        wanted = (processes + 1) * CONNECTIONS_OF_A_PROCESS + usable - most * CONNECTIONS_OF_A_PROCESS
        advice = f"each may open {CONNECTIONS_OF_A_PROCESS}; set max_connections to {wanted} or more, then restart it"
        yield Finding(Level.WARNING, text, advice)
    else:
        yield Finding(Level.GOOD, text)


def check_members(found: Deployment, settings: Settings) -> Check:
    if not found.members:
        yield Finding(Level.WARNING, "no process of the cluster is running", "start one: `ludus serve`")
        return
    for member in found.members:
        state = "is leaving" if member.is_leaving else "is alive"
        yield Finding(
            Level.GOOD, f"{member.role} {member.id} ({member.program}) {state} at {member.address or 'no address'}"
        )
        yield from check_address(member)
    programs = sorted({member.program for member in found.members})
    if programs != [__version__]:
        text = f"the processes run Ludus {' and '.join(programs)}, and this is {__version__}"
        yield Finding(Level.WARNING, text, "finish the upgrade: one process after the other")
    yield from check_secret_of_members(found, settings)
    for work, (what, advice) in WORK.items():
        held = sum(lease.name.startswith(f"{work}/") for lease in found.leases)
        if held < SHARES:
            text = f"no process does {SHARES - held} of {SHARES} shares of the work on {what}"
            yield Finding(
                Level.BAD if held == 0 else Level.WARNING, text, advice if held == 0 else "check again in a few seconds"
            )


def check_secret_of_members(found: Deployment, settings: Settings) -> Check:
    from ludus.server.settings import secret_of
    from ludus.service.cluster import secret_mark

    try:
        mark = secret_mark(secret_of(settings)) if settings.secret.strip() else None
    except LudusError:
        return  # already reported
    if any(member.secret_mark != mark for member in found.members):
        text = "the processes' secret differs from this machine's"
        yield Finding(Level.BAD, text, "set LUDUS_SECRET to theirs: a process with a different one does not start")


def check_address(member: Member) -> Check:
    """Checks a process's address, to which other processes forward requests and Prometheus sends its own."""
    import httpx2

    if not member.address:
        return
    try:
        answer = httpx2.get(f"http://{member.address}/metrics", timeout=SECONDS)
        is_reached = answer.status_code == 200 and "ludus_" in answer.text
    except httpx2.HTTPError:
        is_reached = False
    if not is_reached:
        text = f"{member.address} cannot be reached from here, by metrics or by requests of other processes"
        advice = "if this is one of its machines: set LUDUS_INTERNAL_HOST, and open LUDUS_INTERNAL_PORT between them"
        yield Finding(Level.WARNING, text, advice)


def check_bus(url: str) -> Check:
    from redis import Redis, RedisError

    from ludus.server.settings import hide_password

    shown = hide_password(url)
    try:
        client = Redis.from_url(as_redis(url), socket_timeout=SECONDS, socket_connect_timeout=SECONDS)
        with client:
            client.ping()
            policy = str(client.info("memory").get("maxmemory_policy", ""))
    except (RedisError, OSError, ValueError) as error:
        advice = "games go on, but processes notice each other's moves a second late; check that Redis runs"
        yield Finding(Level.BAD, f"{shown} cannot be used: {error}", advice)
        return
    yield Finding(Level.GOOD, f"{shown} answers")
    if policy.startswith(EVICTING):
        text = f"Redis has maxmemory-policy {policy}: it may remove notes that have not been read"
        yield Finding(Level.WARNING, text, "set it to noeviction or volatile-lru, or give Ludus a Redis of its own")


def as_redis(url: str) -> str:
    """The URL with the scheme that Redis's client knows; a host may be called `valkey` as well.

    >>> as_redis("valkeys://valkey:6379"), as_redis("redis://valkey:6379")
    ('rediss://valkey:6379', 'redis://valkey:6379')
    """
    return f"redis{url.removeprefix('valkey')}" if url.startswith("valkey") else url
