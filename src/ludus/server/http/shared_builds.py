"""Lists and statistics in high demand: built a few times a second at most, and shared by all requests."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from time import monotonic
from typing import Final

from ludus.service.documents import Document, SizedCache, written

PER_SECOND: Final = 4
"""Builds of one list: ordinary visitors always get a new one, and a crowd costs no more than they do."""
MAX_BYTES: Final = 8 * 1024 * 1024


class Shared:
    """A document, and how often it was built in the current second."""

    __slots__ = ("builds", "document", "since")

    def __init__(self, document: Document, now: float) -> None:
        self.document = document
        self.since = now
        self.builds = 1

    def may_build(self, now: float, seconds: float, most: int) -> bool:
        if now - self.since >= seconds:
            self.since, self.builds = now, 0
        self.builds += 1
        return self.builds <= most


class SharedBuilds:
    def __init__(self, clock: Callable[[], float] = monotonic, *, seconds: float | None = None) -> None:
        """`clock` returns seconds. With `seconds`, a document is built once in that time."""
        self._clock = clock
        self._span, self._most = (1.0, PER_SECOND) if seconds is None else (seconds, 1)
        self._shared: SizedCache[Hashable, Shared] = SizedCache(MAX_BYTES)
        self._pending: dict[Hashable, asyncio.Task[Document]] = {}

    async def get(self, key: Hashable, build: Callable[[], Awaitable[bytes]]) -> Document:
        """The document of this key. Those who ask while it is being built get the same one, or the same error."""
        shared = self._shared.get(key)
        if shared is not None and not shared.may_build(self._clock(), self._span, self._most):
            return shared.document
        pending = self._pending.get(key)
        if pending is None:
            pending = self._pending[key] = asyncio.create_task(self._build(key, build))
            pending.add_done_callback(lambda task: self._forget(key, task))
        return await asyncio.shield(pending)  # one that gives up must not take it away from the others

    def _forget(self, key: Hashable, task: asyncio.Task[Document]) -> None:
        del self._pending[key]
        if not task.cancelled():
            task.exception()  # retrieved, even if all who asked are gone

    async def _build(self, key: Hashable, build: Callable[[], Awaitable[bytes]]) -> Document:
        document = written(await build())
        shared = self._shared.get(key)
        if shared is None:
            shared = Shared(document, self._clock())
        shared.document = document
        self._shared.put(key, shared, len(document.content))
        return document


class BuiltOnce:
    """Documents that never change, written on the first request in a thread: the largest take half a second."""

    def __init__(self, build: Callable[[str], bytes], most: int = 16) -> None:
        """`build` is called with the key; the latest `most` documents are kept."""
        self._build = build
        self._most = most
        self._built: OrderedDict[str, asyncio.Task[Document]] = OrderedDict()

    async def get(self, key: str = "") -> Document:
        task = self._built.get(key)
        if task is None or (task.done() and task.exception() is not None):
            task = self._built[key] = asyncio.create_task(self._write(key))
            while len(self._built) > self._most:
                self._built.popitem(last=False)
        return await asyncio.shield(task)

    async def _write(self, key: str) -> Document:
        return written(await asyncio.to_thread(self._build, key))
