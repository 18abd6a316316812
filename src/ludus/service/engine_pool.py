"""Bots think in processes of their own, so that no search ever delays anybody's message."""

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

TRIES: Final = 2
MOST_PAST: Final = 80
"""Earlier positions that a worker is told; no game repeats a position later than that, a draw comes first."""
CPU_SECONDS: Final = 60.0
"""What a move may take of a processor, compiling an engine included, which happens once on a machine. A worker that
needs more is lost, and is ended."""


class EngineFailed(LudusError):
    """A bot could not choose a move."""

    code = "engine_failed"


class EnginePool:
    """A few workers, started when they are first needed; a worker that dies is replaced."""

    def __init__(self, workers: int, roster: Roster | None = None) -> None:
        self.roster = roster or Roster()
        self._workers = workers
        self._free = asyncio.Semaphore(workers)
        self._pool: ProcessPoolExecutor | None = None

    async def start(self) -> None:
        self._pool = self._new_pool()

    async def stop(self) -> None:
        """Waits for the moves being thought about, which take no second; who waits for a worker waits in vain."""
        pool, self._pool = self._pool, None
        if pool:
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)

    async def choose(self, game: str, position: Any, level: str, seed: int, past: Sequence[Any] = ()) -> Any:
        """A legal move, the same with the same seed; `past` are the positions before, oldest first."""
        player = self.roster.player(level, game)
        return await self._ask(think, game, position, player, seed, tuple(past[-MOST_PAST:]))

    async def analyse(
        self, game: str, position: Any, limit: Limit, past: Sequence[Any] = (), lines: int = 5
    ) -> tuple[Line[Any], ...]:
        """The best moves of a position, best first, by the strongest engine of the platform."""
        found: tuple[Line[Any], ...] = await self._ask(
            look_into, game, position, limit, tuple(past[-MOST_PAST:]), lines
        )
        return found

    async def _ask(self, job: Callable[..., Any], game: str, *rest: Any) -> Any:
        async with self._free:
            for _ in range(TRIES):
                pool = self._running()
                try:
                    return await asyncio.get_running_loop().run_in_executor(pool, job, game, *rest)
                except BrokenProcessPool:
                    self._replace(pool)
        raise EngineFailed(f"the worker that thought about a move of {game} died {TRIES} times")

    def _running(self) -> ProcessPoolExecutor:
        if not self._pool:
            raise EngineFailed("no worker is running")
        return self._pool

    def _replace(self, broken: ProcessPoolExecutor) -> None:
        """Puts a new pool in the place of a broken one, unless another move or the end of the platform came first."""
        broken.shutdown(wait=False)
        if self._pool is broken:
            self._pool = self._new_pool()

    def _new_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, multiprocessing.get_context("spawn"), initializer=_settle)


def think(game: str, position: Any, player: str, seed: int, past: Sequence[Any] = ()) -> Any:
    """What a worker does: one move, within its share of the processor."""
    with _bounded():
        return _player(player, game).choose(GAMES[game], position, OWN_LIMIT, Random(seed), past)


def look_into(game: str, position: Any, limit: Limit, past: Sequence[Any], lines: int) -> tuple[Line[Any], ...]:
    with _bounded():
        return analyst(game).analyse(GAMES[game], position, limit, past, lines)


_player: Callable[[str, str], Engine] = cache(find_player)
"""A policy is read from its file once."""


@contextmanager
def _bounded() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _settle() -> None:
    """Ctrl-C is for the server, which then stops its workers; if it is killed, they end too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)
