"""Engines run in worker processes, so that no search delays a message."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import threading
import warnings
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import cache
from math import inf
from random import Random
from typing import Any, Final

from ludus.core.errors import LudusError
from ludus.core.kernel_cache import KernelCacheWarning
from ludus.engines import OWN_LIMIT, Engine, Limit, adapter, precompile, review
from ludus.engines import opinion as opinions
from ludus.engines.review import Assessment
from ludus.games import GAMES
from ludus.players import find_player
from ludus.service.fair_queue import FairQueue
from ludus.service.roster import Roster

log = logging.getLogger(__name__)

MAX_TRIES: Final = 2
MAX_PAST: Final = 80
"""Earlier positions passed to a worker; older ones cannot recur, since the game would be drawn first."""
CPU_SECONDS: Final = 60.0
"""CPU time of one move. A worker that needs more is killed."""
LOAD_CPU_SECONDS: Final = 900.0
"""CPU time to load an engine, which includes compiling it where that was not done yet."""
RETRY_SECONDS: Final = 10.0
"""After which an engine that could not be loaded is tried again."""
FIRST_GUESS: Final = 0.1
"""Seconds that a search is expected to take before one of its kind was measured."""
MEMORY: Final = 0.8
"""How much of an expectation stays when another search is measured."""
ANALYSIS_WEIGHT: Final = 4
"""How much more an analysis counts than a move that takes as long, since no game waits for it."""

EXHIBITION_WEIGHT: Final = 1000
"""The same for a move that no player waits for, so that all others come first."""
EXHIBITIONS: Final = "exhibitions"
"""The owner of the games that bots play for spectators."""
NICE: Final = 10
"""By how much a worker's priority is lower than the server's."""
ANALYSIS: Final = "analysis"
"""The owner of analyses, and what they are measured as."""

OPINION: Final = "opinion"
"""What those of the analysis board are measured as."""

Progress = Callable[[str], None]
"""Called with each game whose engine has been loaded for the first time."""


class EngineFailed(LudusError):
    """A bot could not choose a move."""

    code = "engine_failed"


class Worker:
    """A process that runs one search at a time. It starts on first use, and again after it has died."""

    def __init__(self) -> None:
        self._executor: ProcessPoolExecutor | None = None
        self._loaded: set[str] = set()

    async def load(self, game: str) -> None:
        """Loads a game's engine before its first search, so that loading does not count against a limit."""
        if game in self._loaded:
            return
        try:
            await self.call(load, game)
        except BrokenProcessPool:
            raise
        except Exception as error:
            raise EngineFailed(f"its engine cannot be loaded: {type(error).__name__}: {error}") from error
        self._loaded.add(game)

    async def call(self, job: Callable[..., Any], *args: Any) -> Any:
        """`BrokenProcessPool` if the process dies."""
        if self._executor is None:
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(1, context, initializer=_start_worker)
        executor = self._executor
        try:
            return await asyncio.get_running_loop().run_in_executor(executor, job, *args)
        except BrokenProcessPool:
            if self._executor is executor:
                self._executor, self._loaded = None, set()
            executor.shutdown(wait=False)
            raise

    def kill(self) -> None:
        """Ends the process, whatever it is doing, and waits for that."""
        executor, self._executor = self._executor, None
        if executor is not None:
            for process in list((executor._processes or {}).values()):
                process.kill()
            executor.shutdown(wait=True, cancel_futures=True)


class EnginePool:
    def __init__(self, workers: int, roster: Roster | None = None) -> None:
        self.roster = roster or Roster()
        self.problems: dict[str, str] = {}
        """Why a game's engine does not work, by the game; while there is one, its bots cannot play."""
        self.unloaded = set[str]()
        """The games whose engines are still being loaded."""
        self._workers = [Worker() for _ in range(workers)]
        self._free: FairQueue[Worker] = FairQueue()
        self._seconds: dict[tuple[str, str], float] = {}
        """How long a search takes, by game and level."""
        self._is_open = False
        self._progress: Progress = lambda _game: None
        self._are_loaded = asyncio.Event()
        self._are_loaded.set()
        self._loading: asyncio.Task[None] | None = None
        self._recovering: asyncio.Task[None] | None = None

    @property
    def has_workers(self) -> bool:
        """Without any, other processes think for the bots, and this pool is not asked."""
        return bool(self._workers)

    @property
    def is_loading(self) -> bool:
        """Whether engines are being loaded for the first time; not while those that failed are tried again."""
        return bool(self.unloaded - self.problems.keys())

    async def start(self) -> None:
        self._is_open = True
        for worker in reversed(self._workers):
            self._free.put(worker)

    async def stop(self) -> None:
        """Ends running searches, whose results are no longer needed."""
        self._is_open = False
        tasks = [task for task in (self._loading, self._recovering) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.to_thread(self._kill_workers)

    def _kill_workers(self) -> None:
        for worker in self._workers:
            worker.kill()

    def load_all(self, games: Collection[str] = GAMES, progress: Progress = lambda _game: None) -> None:
        """Loads all engines in all workers in the background; searches wait until then."""
        self.unloaded, self._progress = set(games), progress
        self._are_loaded.clear()
        self._loading = asyncio.create_task(self._load_all(games))

    async def wait_until_loaded(self) -> None:
        """Until every engine works."""
        await self._are_loaded.wait()

    async def _load_all(self, games: Collection[str]) -> None:
        """The first worker compiles what is not compiled yet; the others load the result."""
        first, *others = [await self._free.get() for _ in self._workers]
        await self._load(first, games)
        await asyncio.gather(*[self._load(worker, games) for worker in others])

    async def _load(self, worker: Worker, games: Collection[str]) -> None:
        for game in games:
            with suppress(EngineFailed):
                await self._with(worker, load, game)
        self._free.put(worker)

    async def _recover(self) -> None:
        while self.problems:
            await asyncio.sleep(RETRY_SECONDS)
            for game in list(self.problems):
                worker = await self._take("", 0)
                try:
                    with suppress(EngineFailed):
                        await self._with(worker, load, game)
                finally:
                    self._free.put(worker)

    def _note_success(self, game: str) -> None:
        if self.problems.pop(game, None):
            log.info("bots can play %s again", game)
        if game in self.unloaded:
            self.unloaded.discard(game)
            self._progress(game)
        if not self.unloaded and not self.problems:
            self._are_loaded.set()

    def _note_failure(self, game: str, error: EngineFailed) -> None:
        if game not in self.problems:
            log.error("bots cannot play %s: %s", game, error)
        self.problems[game] = str(error)
        if self._recovering is None or self._recovering.done():
            self._recovering = asyncio.create_task(self._recover())

    async def choose(
        self,
        game: str,
        position: Any,
        level: str,
        seed: int,
        past: Sequence[Any] = (),
        owner: str = "",
        seconds: float = inf,
    ) -> Any:
        """A legal move, determined by the seed; `past` is the earlier positions, oldest first.

        Owners share the workers fairly: one who asks for many searches does not delay another's. A search that is
        expected to take longer than `seconds` ends after that; then the move depends on the machine as well.
        """
        player = self.roster.player(level, game)
        weight = EXHIBITION_WEIGHT if owner == EXHIBITIONS else 1
        expected = self.expected_seconds(game, level)
        is_short = seconds < expected
        limit = Limit(seconds=seconds) if is_short else OWN_LIMIT
        worker = await self._take(owner, weight * expected)
        async with self._measured(worker, game, f"{level}, short" if is_short else level):
            return await self._with(worker, choose, game, position, player, seed, tuple(past[-MAX_PAST:]), limit)

    async def assess(
        self,
        game: str,
        position: Any,
        limit: Limit,
        past: Sequence[Any] = (),
        lines: int = 5,
        roll: tuple[Any, Any] | None = None,
        owner: str = ANALYSIS,
    ) -> Assessment:
        """What the strongest engine says about a position and the roll before it; see `engines.review.assess`."""
        weight = ANALYSIS_WEIGHT if owner == ANALYSIS else 1
        worker = await self._take(owner, weight * self.expected_seconds(game, ANALYSIS))
        async with self._measured(worker, game, ANALYSIS):
            args = position, limit, tuple(past[-MAX_PAST:]), lines, roll
            found: Assessment = await self._with(worker, assess, game, *args)
            return found

    async def opinion(self, game: str, position: Any, stage: int, lines: int, owner: str) -> Assessment:
        """What the strongest engine thinks of a position, at one of the stages of the adapter's `deepening`."""
        kind = f"{OPINION} {stage}"
        worker = await self._take(owner, ANALYSIS_WEIGHT * self.expected_seconds(game, kind))
        async with self._measured(worker, game, kind):
            found: Assessment = await self._with(worker, opinion, game, position, stage, lines)
            return found

    def expected_seconds(self, game: str, level: str) -> float:
        """How long a worker takes for a move of this level."""
        return self._seconds.get((game, level), FIRST_GUESS)

    async def _take(self, owner: str, cost: float) -> Worker:
        self._refuse_if_stopped()
        if not self._workers:
            raise EngineFailed("this process has no engines")
        return await self._free.get(owner, cost)

    @asynccontextmanager
    async def _measured(self, worker: Worker, game: str, level: str) -> AsyncIterator[None]:
        """Notes how long a search of this kind takes, and gives the worker back."""
        clock = asyncio.get_running_loop().time
        started = clock()
        try:
            yield
            seconds = clock() - started
            self._seconds[game, level] = MEMORY * self._seconds.get((game, level), seconds) + (1 - MEMORY) * seconds
        finally:
            self._free.put(worker)

    async def _with(self, worker: Worker, job: Callable[..., Any], game: str, *rest: Any) -> Any:
        try:
            found = await self._try(worker, job, game, *rest)
        except EngineFailed as error:
            if self._is_open:
                self._note_failure(game, error)
            raise
        self._note_success(game)
        return found

    async def _try(self, worker: Worker, job: Callable[..., Any], game: str, *rest: Any) -> Any:
        for _ in range(MAX_TRIES):
            self._refuse_if_stopped()
            with suppress(BrokenProcessPool):
                await worker.load(game)
                return None if job is load else await worker.call(job, game, *rest)
        self._refuse_if_stopped()
        raise EngineFailed(f"the worker for {game} died {MAX_TRIES} times")

    def _refuse_if_stopped(self) -> None:
        if not self._is_open:
            raise EngineFailed("the engine pool is stopped")


def load(game: str) -> None:
    """Runs in a worker."""
    with _cpu_limited(LOAD_CPU_SECONDS):
        precompile.load(game)
        precompile.mark(game)


def choose(game: str, position: Any, player: str, seed: int, past: Sequence[Any] = (), limit: Limit = OWN_LIMIT) -> Any:
    """Runs in a worker."""
    with _cpu_limited(CPU_SECONDS):
        return _player(player, game).choose(GAMES[game], position, limit, Random(seed), past)


def assess(
    game: str, position: Any, limit: Limit, past: Sequence[Any], lines: int, roll: tuple[Any, Any] | None
) -> Assessment:
    with _cpu_limited(CPU_SECONDS):
        return review.assess(GAMES[game], position, limit, past, lines, roll)


def opinion(game: str, position: Any, stage: int, lines: int) -> Assessment:
    with _cpu_limited(CPU_SECONDS):
        return opinions.opinion(GAMES[game], position, adapter(game).deepening[stage], lines)


_player: Callable[[str, str], Engine] = cache(find_player)
"""Cached, so that a policy file is read once."""


@contextmanager
def _cpu_limited(seconds: float) -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _start_worker() -> None:
    """Ignores Ctrl-C, which the server handles; if the server is killed, its workers exit too.

    Searches only get the CPU time that the server doesn't use: a bot may think a little longer, but no player's move is
    delayed.
    """
    if hasattr(os, "nice"):
        os.nice(NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore", KernelCacheWarning)  # the server says it once
    threading.Thread(target=_exit_with_parent, daemon=True).start()


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)
