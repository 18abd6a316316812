"""The bus of a house that is one process."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from ludus.service.ports import Note

log = logging.getLogger(__name__)


class MemoryBus:
    """Whoever publishes waits until all have heard it, in the order in which they subscribed."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Note], Awaitable[None]]] = []

    def subscribe(self, listener: Callable[[Note], Awaitable[None]]) -> None:
        self._listeners.append(listener)

    async def publish(self, note: Note) -> None:
        for listener in tuple(self._listeners):
            try:
                await listener(note)
            except Exception:
                # what happened is stored already, and the others have to hear of it
                log.exception("a listener failed to take %r", note)
