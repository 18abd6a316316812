"""Whether the server can take games now: what load balancers ask."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Final

import structlog

from ludus.service.cluster import Work
from ludus.service.platform import Platform

log = structlog.get_logger("ludus.readiness")

DATABASE_SECONDS: Final = 2.0
"""In which the database must answer."""


class Failed(StrEnum):
    """What keeps a server from being ready. The codes never change."""

    STARTING = "starting"
    STOPPING = "stopping"
    DATABASE = "database_unreachable"
    WRITES = "not_storing"
    LEASE = "lease_lost"
    LOADING = "bots_loading"
    BOTS = "bots_failed"
    WORKERS = "bots_missing"


class Readiness:
    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self.is_open = False
        self.is_stopping = False
        self._has_answer = True

    async def failed(self) -> list[Failed]:
        """Empty for a server that is ready."""
        if self.is_stopping:
            return [Failed.STOPPING]
        if not self.is_open:
            return [Failed.STARTING]
        found = [] if await self._has_database() else [Failed.DATABASE]
        if not self._platform.store.is_storing:
            found.append(Failed.WRITES)
        if not self._platform.has_lease:
            found.append(Failed.LEASE)
        return found + self._bots()

    async def _has_database(self) -> bool:
        try:
            async with asyncio.timeout(DATABASE_SECONDS):
                await self._platform.store.ping()
        except Exception as error:
            if self._has_answer:  # the first in a row; probes come every few seconds
                log.warning("the database does not answer", error=type(error).__name__)
            self._has_answer = False
        else:
            self._has_answer = True
        return self._has_answer

    def _bots(self) -> list[Failed]:
        pool = self._platform.engine_pool
        if not pool.has_workers:
            return [] if self._platform.cluster.able(Work.BOTS) else [Failed.WORKERS]
        if pool.problems:
            return [Failed.BOTS]
        return [Failed.LOADING] if pool.unloaded else []
