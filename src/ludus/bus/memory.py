"""The bus of a single process."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from ludus.service.ports import Note

log = logging.getLogger(__name__)


class MemoryBus:
    """`publish` awaits all listeners, in the order of their subscription."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Note], Awaitable[None]]] = []

    def subscribe(self, listener: Callable[[Note], Awaitable[None]]) -> None:
        self._listeners.append(listener)

    async def publish(self, note: Note) -> None:
        for listener in tuple(self._listeners):
            try:
                await listener(note)
            except Exception:
                # the change is already stored, and the other listeners must be notified
                log.exception("a listener failed on %r", note)
