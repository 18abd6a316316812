"""Several processes on one database: which of them are alive, and which part of the work is whose.

A process that serves is a member: a row that says when it was last seen, in uptime. The work that nobody asks for
(deadlines, pairing, webhooks, bots' turns) is divided into shards by the last digit of the ids. A lease says which
member does a shard's work, and is valid while that member is alive. Taking one is a compare-and-set on its token.

A lease only avoids double work. Everything written under it is a compare-and-set on its own version, so a suspended
member that believes it still has its leases can do no harm.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from enum import StrEnum
from math import ceil
from random import Random
from typing import Final
from zlib import crc32

from ludus.core.errors import LudusError
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import DropMember, PutMember, TakeLease
from ludus.service.records import MEMBER_MS, LeaseRow, Member
from ludus.service.shards import SHARDS, shard_of

log = logging.getLogger(__name__)

PROOF_SECONDS: Final = 2.5
"""In which every process that runs has a heartbeat."""
FORGET_MS: Final = 60_000
"""Of uptime, after which a dead member's row is removed."""


class Role(StrEnum):
    """What a member does: serve clients, think for bots, or both."""

    SERVER = "server"
    WORKER = "worker"
    BOTH = "both"
    STARTING = "starting"
    """A worker that loads its engines."""


class Work(StrEnum):
    """What leases are for."""

    SWEEP = "sweep"
    """Deadlines, pairing, webhooks and clean-up; done by those who serve."""
    BOTS = "bots"
    """Bots' turns and analyses; done by those with engines."""


ROLES: Final = {Work.SWEEP: (Role.SERVER, Role.BOTH), Work.BOTS: (Role.WORKER, Role.BOTH)}


class OtherSecret(LudusError):
    """The cluster's other processes have another secret, so they would not accept each other's tokens."""

    code = "other_secret"


def secret_mark(secret: bytes) -> str:
    """Distinguishes secrets without revealing them."""
    return hmac.digest(secret, b"ludus cluster", hashlib.sha256).hex()[:16]


class Cluster:
    def __init__(
        self,
        store: Store,
        member: Member,
        *,
        is_sole: bool = True,
        role: Callable[[], Role] | None = None,
        pause: Callable[[], Awaitable[None]] = lambda: asyncio.sleep(PROOF_SECONDS),
    ) -> None:
        """A sole process has no others beside it: all work is its own.

        `role` says what this process can do at the moment, if that changes while it runs. In a `pause`, every process
        that runs has a heartbeat.
        """
        self._store = store
        self._self = member
        self.is_sole = is_sole
        self._role = role
        self._pause = pause
        self.members: dict[str, Member] = {member.id: member}
        """Those known to be alive, this one included."""
        self.shards: dict[Work, frozenset[str]] = dict.fromkeys(Work, frozenset(SHARDS if is_sole else ""))
        """This member's."""
        self._clock = 0

    @property
    def id(self) -> str:
        return self._self.id

    def has(self, work: Work, id: str) -> bool:
        """Whether this member does this work for a table, session or delivery with this id."""
        return shard_of(id) in self.shards[work]

    def able(self, work: Work) -> Sequence[str]:
        """The members that can do this work."""
        return [each.id for each in self.members.values() if each.role in ROLES[work] and not each.is_leaving]

    def shards_to_read(self, work: Work) -> Collection[str] | None:
        """For the store's reads; None where all shards are this member's."""
        return None if self.is_sole else self.shards[work]

    def digit(self, rng: Random) -> str:
        """The last digit for a new table's id: one of this member's shards, so that its bots think in this process."""
        return rng.choice(sorted(self.shards[Work.BOTS] or SHARDS))

    async def join(self, clock: int) -> None:
        """Registers this process. `clock` is uptime, here and below; `OtherSecret` if it does not fit the others."""
        self._clock = clock
        if not self.is_sole and await self._strangers() and await self._strangers(is_sure=True):
            raise OtherSecret("the cluster's other processes have another secret: set LUDUS_SECRET to theirs")
        self._self = self._self._replace(seen=clock, is_leaving=False)
        self.members[self.id] = self._self
        await self._store.commit(PutMember(self._self))

    async def _strangers(self, *, is_sure: bool = False) -> bool:
        """Whether there are members with another secret.

        Once all processes have stopped, uptime stands still and they look alive: only a heartbeat is sure proof.
        """
        before = self.members
        if is_sure:
            await self._pause()
        await self.look(self._clock)
        others = [each for each in self.members.values() if each.id != self.id and not each.is_leaving]
        strangers = [each for each in others if each.secret_mark != self._self.secret_mark]
        return any(not is_sure or each.id not in before or each.seen > before[each.id].seen for each in strangers)

    async def leave(self) -> None:
        """Gives up the leases. The row stays until it expires, so that clients have time to connect elsewhere."""
        if self.is_sole:
            await self._store.commit(DropMember(self.id))
            return
        self._self = self._self._replace(seen=self._clock, is_leaving=True)
        await self._store.commit(PutMember(self._self))
        held = [row for row in await self._store.leases() if row.holder == self.id]
        self.shards = dict.fromkeys(Work, frozenset())
        await self._take(row._replace(holder=None) for row in held)

    async def look(self, clock: int) -> None:
        """Reads who is alive."""
        self._clock = clock
        rows = await self._store.members()
        self.members = {row.id: row for row in rows if self._is_alive(row)} | {self.id: self._self}

    async def look_again(self) -> None:
        await self.look(self._clock)

    def _is_alive(self, member: Member) -> bool:
        return self._clock - member.seen <= MEMBER_MS

    async def is_alive(self, member: str) -> bool:
        """Asks the store about a member that has perhaps just joined."""
        if member not in self.members and not self.is_sole:
            await self.look(self._clock)
        return member in self.members

    async def balance(self, clock: int) -> frozenset[str]:
        """Takes leases that nobody holds, and gives up those above its share; returns the shards that are new here."""
        if self.is_sole:
            return frozenset()
        await self.look(clock)
        await self._update_role()
        rows = {row.name: row for row in await self._store.leases()}
        changes = [change for work in Work for change in self._changes(work, rows)]
        taken = await self._take(changes)
        before = self.shards
        held = rows | {row.name: row for row in taken}
        self.shards = {work: self._held(work, held) for work in Work}
        return frozenset[str]().union(*[self.shards[work] - before[work] for work in Work])

    async def _update_role(self) -> None:
        role = self._role() if self._role else self._self.role
        if role != self._self.role and not self._self.is_leaving:
            changed = self._self._replace(role=role, seen=self._clock)
            await self._store.commit(PutMember(changed))
            self._self = self.members[self.id] = changed

    async def forget_dead(self) -> None:
        """Removes the rows of members that have been dead for a while."""
        for row in await self._store.members():
            if self._clock - row.seen > FORGET_MS and row.id != self.id:
                await self._store.commit(DropMember(row.id))

    def _held(self, work: Work, rows: dict[str, LeaseRow]) -> frozenset[str]:
        names = [name_of(work, shard) for shard in SHARDS]
        return frozenset(name[-1] for name in names if name in rows and rows[name].holder == self.id)

    def _changes(self, work: Work, rows: dict[str, LeaseRow]) -> list[LeaseRow]:
        eligible = self.able(work)
        leases = [rows.get(name_of(work, shard), LeaseRow(name_of(work, shard), None, 0)) for shard in SHARDS]
        own = [row for row in leases if row.holder == self.id]
        share = ceil(len(SHARDS) / len(eligible)) if self.id in eligible else 0
        free = [row for row in leases if row.holder not in eligible]
        free.sort(key=lambda row: crc32(f"{self.id}{row.name}".encode()))  # so that members do not want the same ones
        released = [row._replace(holder=None) for row in own[share:]]
        return released + [row._replace(holder=self.id) for row in free[: max(0, share - len(own))]]

    async def _take(self, changes: Iterable[LeaseRow]) -> Sequence[LeaseRow]:
        """Each by itself: another member may be faster with some."""
        rows = [row._replace(token=row.token + 1) for row in changes]
        done = await asyncio.gather(*[self._store.commit(TakeLease(*row)) for row in rows], return_exceptions=True)
        for error in done:
            if error is not None and not isinstance(error, Conflict):
                raise error
        return [row for row, error in zip(rows, done, strict=True) if error is None]


def name_of(work: Work, shard: str) -> str:
    return f"{work}/{shard}"
