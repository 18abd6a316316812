"""The bus of a single process."""

from __future__ import annotations

from collections.abc import Callable

from ludus.bus.dispatcher import Dispatcher, Do, Listener
from ludus.service.ports.bus import Concern, Note


class MemoryBus:
    is_connected = True

    def __init__(self, do: Do | None = None) -> None:
        self.on_gap: list[Callable[[], None]] = []
        self._dispatcher = Dispatcher(do)

    def subscribe(self, listener: Listener, concerns: Concern | None = None) -> None:
        self._dispatcher.subscribe(listener, concerns)

    async def publish(self, note: Note) -> None:
        self._dispatcher.dispatch(note)

    def notify(self, note: Note) -> None:
        self._dispatcher.dispatch(note)

    async def drain(self) -> None:
        await self._dispatcher.drain()

    async def start(self) -> None:
        self._dispatcher.start()

    async def stop(self) -> None:
        await self._dispatcher.stop()
