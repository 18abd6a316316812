"""Hands notes to the listeners of this process, in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from typing import Any, Final, TypeVar

from ludus.service.ports.bus import Concern, Note, PlayerSeated, PresenceChanged, TableChanged

log = logging.getLogger(__name__)

K = TypeVar("K", bound=Hashable)
Listener = Callable[[Note], Awaitable[None]]
Do = Callable[[Coroutine[Any, Any, None]], Coroutine[Any, Any, None]]
STOP_SECONDS: Final = 2.0
"""For listeners to finish what was published before a stop."""


class Dispatcher:
    """Notes about one table are handled one after the other, those about different tables side by side.

    A note that is overtaken while it waits is replaced by the newer one, so what waits is bounded by the number of
    tables. Each busy table has a task, which ends when nothing is left for it.
    """

    def __init__(self, do: Do | None = None) -> None:
        """`do` does the work of a lane, in the context of the note that began it."""
        self._do = do or _do
        self._listeners: list[tuple[Listener, Concern]] = []
        self._lanes: dict[str, dict[Hashable, Note]] = {}
        """What waits, by table (or player, or session); a lane exists while its task runs."""
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._is_stopped = False

    def subscribe(self, listener: Listener, concerns: Concern | None = None) -> None:
        self._listeners.append((listener, concerns or _everything))

    def dispatch(self, note: Note) -> None:
        """Returns at once. Most moves of other processes matter to no listener here, and get no task."""
        if self._is_stopped:
            return
        if isinstance(note, TableChanged) and not any(concerns(note) for _, concerns in self._listeners):
            return
        lane = lane_of(note)
        waiting = self._lanes.get(lane)
        if waiting is None:
            self._lanes[lane] = waiting = {}
            self._tasks[lane] = asyncio.get_running_loop().create_task(self._do(self._run(lane, waiting)))
        put(waiting, subject_of(note), note)

    async def drain(self) -> None:
        """Waits until nothing is left to handle, including what listeners publish in the meantime."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())

    def start(self) -> None:
        self._is_stopped = False

    async def stop(self) -> None:
        """Handles what was published, then nothing any more; a listener that takes too long is cancelled."""
        if self._tasks:
            try:
                async with asyncio.timeout(STOP_SECONDS):
                    await self.drain()
            except TimeoutError:
                log.warning("notes about %d tables were not handled before the stop", len(self._lanes))
        self._is_stopped = True
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run(self, lane: str, waiting: dict[Hashable, Note]) -> None:
        try:
            while waiting:
                note = waiting.pop(next(iter(waiting)))
                for listener, concerns in tuple(self._listeners):
                    if isinstance(note, TableChanged) and not concerns(note):
                        continue
                    try:
                        await listener(note)
                    except (Exception, asyncio.CancelledError) as error:
                        if self._is_stopped and isinstance(error, asyncio.CancelledError):
                            raise
                        # the change is already stored, and the other listeners must be notified
                        log.exception("a listener failed on %r", note)
        finally:
            del self._lanes[lane], self._tasks[lane]


def _do(work: Coroutine[Any, Any, None]) -> Coroutine[Any, Any, None]:
    return work


def _everything(_change: TableChanged) -> bool:
    return True


def lane_of(note: Note) -> str:
    if isinstance(note, PlayerSeated):
        return note.table
    return note[0] if note else ""


def subject_of(note: Note) -> Hashable:
    """Within a lane, equal for two notes of which only the later matters. That a table was opened always does."""
    if isinstance(note, TableChanged) and note.version > 1:
        return TableChanged
    return (PresenceChanged, note.seat) if isinstance(note, PresenceChanged) else (type(note), note)


def put(waiting: dict[K, Note], key: K, note: Note) -> None:
    """At the end, in place of an earlier one."""
    waiting.pop(key, None)
    waiting[key] = note
