"""A store whose process is killed at one of its commits."""

from __future__ import annotations

from typing import Any

from ludus.service.ports.store import Store
from ludus.service.ports.writes import Write


class Killed(BaseException):
    """The process is gone."""


class MortalStore:
    def __init__(self, store: Store) -> None:
        self._store = store
        self.commits_left: int | None = None
        """How many commits are done before the kill; None if there is none."""
        self.does_last = False
        """Whether the commit at which the process is killed is stored."""

    async def commit(self, *writes: Write) -> None:
        if self.commits_left == 0 and not self.does_last:
            raise Killed
        await self._store.commit(*writes)
        if self.commits_left == 0:
            raise Killed
        if self.commits_left is not None:
            self.commits_left -= 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)
