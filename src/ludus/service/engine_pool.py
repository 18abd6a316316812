"""Engines run in worker processes, so that no search delays a message."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from random import Random
from typing import Any, Final

from ludus.core.errors import LudusError
from ludus.engines import OWN_LIMIT, Engine, Limit, Line, analyst
from ludus.games import GAMES
from ludus.players import find_player
from ludus.service.roster import Roster

MAX_TRIES: Final = 2
MAX_PAST: Final = 80
"""Earlier positions passed to a worker; older ones cannot recur, since the game would be drawn first."""
CPU_SECONDS: Final = 60.0
"""CPU time of one move, including the engine's compilation, which happens once per machine. A worker that needs more
is killed."""


class EngineFailed(LudusError):
    """A bot could not choose a move."""

    code = "engine_failed"


class EnginePool:
    """Workers start on first use; a worker that dies is replaced."""

    def __init__(self, workers: int, roster: Roster | None = None) -> None:
        self.roster = roster or Roster()
        self._workers = workers
        self._free = asyncio.Semaphore(workers)
        self._pool: ProcessPoolExecutor | None = None

    async def start(self) -> None:
        self._pool = self._new_pool()

    async def stop(self) -> None:
        """Waits for running searches, which take less than a second; queued ones are cancelled."""
        pool, self._pool = self._pool, None
        if pool:
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)

    async def choose(self, game: str, position: Any, level: str, seed: int, past: Sequence[Any] = ()) -> Any:
        """A legal move, determined by the seed; `past` is the earlier positions, oldest first."""
        player = self.roster.player(level, game)
        return await self._submit(choose, game, position, player, seed, tuple(past[-MAX_PAST:]))

    async def analyse(
        self, game: str, position: Any, limit: Limit, past: Sequence[Any] = (), lines: int = 5
    ) -> tuple[Line[Any], ...]:
        """The best moves of a position, best first, by the strongest engine."""
        args = position, limit, tuple(past[-MAX_PAST:]), lines
        found: tuple[Line[Any], ...] = await self._submit(analyse, game, *args)
        return found

    async def _submit(self, job: Callable[..., Any], game: str, *rest: Any) -> Any:
        async with self._free:
            for _ in range(MAX_TRIES):
                pool = self._running()
                try:
                    return await asyncio.get_running_loop().run_in_executor(pool, job, game, *rest)
                except BrokenProcessPool:
                    self._replace(pool)
        raise EngineFailed(f"the worker for {game} died {MAX_TRIES} times")

    def _running(self) -> ProcessPoolExecutor:
        if not self._pool:
            raise EngineFailed("the engine pool is stopped")
        return self._pool

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        """Replaces a broken pool, unless another search has replaced it or the platform is closing."""
        broken.shutdown(wait=False)
        if self._pool is broken:
            self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), initializer=_start_worker)


def choose(game: str, position: Any, player: str, seed: int, past: Sequence[Any] = ()) -> Any:
    """Runs in a worker."""
    with _cpu_limited():
        return _player(player, game).choose(GAMES[game], position, OWN_LIMIT, Random(seed), past)


def analyse(game: str, position: Any, limit: Limit, past: Sequence[Any], lines: int) -> tuple[Line[Any], ...]:
    with _cpu_limited():
        return analyst(game).analyse(GAMES[game], position, limit, past, lines)


_player: Callable[[str, str], Engine] = cache(find_player)
"""Cached, so that a policy file is read once."""


@contextmanager
def _cpu_limited() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _start_worker() -> None:
    """Ignores Ctrl-C, which the server handles; if the server is killed, its workers exit too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)
