"""Engine analysis of finished games: requests with their progress, and results, are kept in the store.

Any process can be asked. The one that has the lease for the bots of the game's table does the work, one game at a time,
and stores how far it is every second: the others show that, and one of them goes on from there if it dies.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import structlog

from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.engines import adapter, resignation, review, study
from ludus.engines.adapters import folders
from ludus.engines.engine import Limit, Line
from ludus.engines.review import Assessment, MoveReview, is_forced_at, kind_at, kind_of, player_at, review_move
from ludus.engines.study import CubeEquities
from ludus.service.cluster import Cluster, Work
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store, Unavailable, Unreadable
from ludus.service.ports.writes import DropAnalysisJob, PutAnalysis, PutAnalysisJob
from ludus.service.records import Analysis, AnalysisJob
from ludus.service.tables import NotFound

log = structlog.get_logger("ludus.analysis")

MAX_WAITING: Final = 32
"""Games in the queue for each process that has engines; further requests are refused."""
MAX_OWN: Final = 2
"""The same for one owner, so that there is room for the others."""
MAX_CACHED: Final = 20_000
"""Moves of the reports kept in memory; all finished ones are in the store."""
MAX_MOVES: Final = 3000
"""Moves of a game that are analysed: more than a match to 25 points usually has, cube decisions included."""
MAX_LINE: Final = 8
"""Moves of an engine's line that are stored and shown."""
PROGRESS_SECONDS: Final = 1.0
"""After which progress is stored, for every so many moves of it."""
PROGRESS_MOVES: Final = 200
LOOK_SECONDS: Final = 1.0
"""Between two looks for requests that were made elsewhere."""
FORMAT: Final = 2
"""Of the stored analyses; changing it invalidates them all."""
ENGINE_FILES: Final = (".py", ".npz", ".z")
"""Code, weights and tables."""

Assess = Callable[[str, Any, Limit, Sequence[Any], int, tuple[Any, Any] | None], Awaitable[Assessment]]
"""As `EnginePool.assess`."""
Load = Callable[[str], Awaitable[Game[Any, Any]]]
"""The game of a table; `NotFound` if there is none."""


class Busy(LudusError):
    """The analysis queue is full."""

    code = "too_fast"


class NotOver(LudusError):
    """Analysing a live game would help one of its players."""

    code = "not_over"


@dataclass
class Report:
    """The analysis of one game so far."""

    total: int
    state: str = "waiting"
    """`waiting`, `running`, `done` or `failed`."""
    moves: list[MoveReview] = field(default_factory=list)
    engine: str = field(default="", compare=False)


class Analyses:
    def __init__(self, assess: Assess, store: Store, clock: Clock, cluster: Cluster, load: Load) -> None:
        self._assess = assess
        self._store = store
        self._clock = clock
        self._cluster = cluster
        self._load_game = load
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._queue: OrderedDict[str, Game[Any, Any] | None] = OrderedDict()
        """What this process is to analyse; games that it has not loaded are None."""
        self._current = ""
        """What it is analysing."""
        self._starting = asyncio.Lock()
        self._worker: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self._must_look = True

    def open(self) -> None:
        """Picks up requests made to other processes or before a restart."""
        self._looking = asyncio.create_task(self._look())

    async def stop(self) -> None:
        tasks = [task for task in (self._looking, self._worker) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def report(self, id: str, name: str, game: Game[Any, Any]) -> Report | None:
        """The report of a game, from memory or from the store; None if nobody has asked for one."""
        if (known := self._known(id)) is not None:
            return known
        job = await self._store.analysis_job(id)
        if job is not None:
            return self._known(id) or await self._follow(game, job)
        moves = await self._load(id, name, game)
        if (known := self._known(id)) is not None:  # it may have been added during the await
            return known
        if moves is None:
            self._reports.pop(id, None)
            return None
        report = self._reports[id] = Report(len(moves), "done", moves)
        self._evict()
        return report

    async def start(self, id: str, name: str, game: Game[Any, Any], owner: str = "") -> Report:
        """Queues a game unless it already has a report; one that failed is retried. `owner` is who asks for it."""
        if game.outcome is None:
            raise NotOver("only a finished game is analysed")
        async with self._starting:  # so that the limits can't be evaded by two requests at once
            report = await self.report(id, name, game)
            if report is None or report.state == "failed":
                await self._refuse_if_busy(owner)
                report = await self._ask(id, game, owner)
        if id in self._reports:
            self._reports.move_to_end(id)
        return report

    def _known(self, id: str) -> Report | None:
        """A report in memory that is up to date."""
        report = self._reports.get(id)
        return report if report is not None and (report.state == "done" or self._is_own(id)) else None

    def _is_own(self, id: str) -> bool:
        return id == self._current or id in self._queue

    async def _refuse_if_busy(self, owner: str) -> None:
        owners = [asked.owner for asked in await self._store.analysis_requests() if asked.state == "waiting"]
        most = MAX_WAITING * max(1, len(self._cluster.able(Work.BOTS)))
        if owners.count(owner) >= MAX_OWN or len(owners) >= most:
            raise Busy("many games are being analysed; try again in a minute")

    async def _ask(self, id: str, game: Game[Any, Any], owner: str) -> Report:
        failed = await self._store.analysis_job(id) or AnalysisJob(id, owner, "", 0, "", (), 0)
        job = failed._replace(owner=owner, state="waiting", asked_at=self._clock.now(), version=failed.version + 1)
        try:
            await self._store.commit(PutAnalysisJob(job))
        except Conflict:  # another process has just been asked for it
            job = await self._store.analysis_job(id) or job
        report = self._known(id) or await self._follow(game, job)
        if self._cluster.has(Work.BOTS, id) and id != self._current:
            self._queue[id] = game
            self._wake()
        return report

    async def _follow(self, game: Game[Any, Any], job: AnalysisJob) -> Report:
        """The report in memory, brought up to what is stored."""
        report = self._reports.setdefault(job.table, Report(len(turns(game))))
        self._evict(job.table)
        if report.engine != job.engine:
            report.engine, report.moves = job.engine, []
        known = len(report.moves)
        new = await asyncio.to_thread(from_data, game, job.moves[known:])
        if report.engine == job.engine and known + len(new) > len(report.moves):
            report.moves = report.moves[:known] + new
        if not self._is_own(job.table) and report.state != "done":  # it may have become so in the meantime
            report.state = job.state
        return report

    async def _look(self) -> None:
        while True:
            try:
                if self._must_look or not self._cluster.is_sole:
                    shards = self._cluster.shards_to_read(Work.BOTS)
                    for asked in await self._store.analysis_requests(shards):
                        if not self._is_own(asked.table):
                            self._queue[asked.table] = None
                    self._must_look = False
                    self._wake()
            except Unavailable:
                self._must_look = True  # the sweep reports it
            except Exception:
                log.exception("requests for analyses could not be read")
            await asyncio.sleep(LOOK_SECONDS)

    def _wake(self) -> None:
        if self._queue and (self._worker is None or self._worker.done()):
            self._worker = asyncio.create_task(self._run())

    async def _run(self) -> None:
        while self._queue:
            id, game = self._queue.popitem(last=False)
            self._current = id
            try:
                await self._work_on(id, game)
            except Conflict:
                log.info("an analysis was left to another process", table=id)
                self._look_again(id)
            except Unavailable:
                self._look_again(id)
            except Exception:
                log.exception("an analysis could not be made", table=id)
                self._forget(id)
            finally:
                self._current = ""

    def _look_again(self, id: str) -> None:
        """Even a process alone may have lost to a write of its former life that was still under way."""
        self._must_look = True
        self._forget(id)

    def _forget(self, id: str) -> None:
        """What the store says counts, unless there is no more to say."""
        if id in self._reports and self._reports[id].state not in ("done", "failed"):
            del self._reports[id]

    async def _work_on(self, id: str, game: Game[Any, Any] | None) -> None:
        job = await self._store.analysis_job(id)
        if job is None or job.state == "failed" or not self._cluster.has(Work.BOTS, id):
            return self._forget(id)
        try:
            game = game or await self._load_game(id)
        except NotFound:
            return await self._store.commit(DropAnalysisJob(job))
        except Unreadable:
            log.exception("an analysis failed", table=id)
            await self._put(job, state="failed", owner="")
            return self._forget(id)
        report = self._reports.get(id)
        if report is not None and report.state == "done":  # it could not be stored
            return await self._save(job, game, report)
        engine = await asyncio.to_thread(signature, game.rules.name)
        kept = job.moves if job.engine == engine else ()
        job = await self._put(job, state="running", engine=engine, moves=kept)
        report = await self._follow(game, job)
        report.state = "running"
        return await self._analyse_game(job, game, report)

    async def _analyse_game(self, job: AnalysisJob, game: Game[Any, Any], report: Report) -> None:
        """From where the report ends."""
        time = asyncio.get_running_loop().time
        stored_at = time()
        try:
            async for _ in self._reviews(game, report):
                is_ours = self._cluster.has(Work.BOTS, job.table)
                pause = PROGRESS_SECONDS * (1 + len(report.moves) // PROGRESS_MOVES)
                if not is_ours or time() - stored_at >= pause:
                    job, stored_at = await self._put(job, moves=await _data(game, report)), time()
                if not is_ours:
                    raise Conflict("the table's bots are another process's now")
        except (Conflict, Unavailable):
            raise
        except Exception:
            log.exception("an analysis failed", table=job.table)
            await self._put(job, state="failed", owner="", moves=await _data(game, report))
            report.state = "failed"
            return
        try:
            await self._save(job, game, report)
        finally:
            report.state = "done"  # it is shown whether it is stored or not

    async def _reviews(self, game: Game[Any, Any], report: Report) -> AsyncIterator[MoveReview]:
        """The asynchronous counterpart of `engines.review.review`; adds to the report."""
        name = game.rules.name
        limit, number = adapter(name).report_limit, adapter(name).review_lines
        later = report.moves[-1] if report.moves else None
        for ply in turns(game)[::-1][len(report.moves) :]:
            roll = review.rolled(game, ply)
            found = await self._assess(name, game.position_at(ply), limit, game.positions[:ply], number, roll)
            later = review_move(game, ply, found, later)
            report.moves.append(later)
            yield later

    async def _put(self, job: AnalysisJob, **changes: Any) -> AnalysisJob:
        job = job._replace(version=job.version + 1, **changes)
        await self._store.commit(PutAnalysisJob(job))
        return job

    async def _load(self, id: str, name: str, game: Game[Any, Any]) -> list[MoveReview] | None:
        """None where the stored analysis is by another engine."""
        found = await self._store.analysis(id)
        if found is None or found.engine != await asyncio.to_thread(signature, name):
            return None
        return await asyncio.to_thread(from_data, game, found.moves)

    async def _save(self, job: AnalysisJob, game: Game[Any, Any], report: Report) -> None:
        """One that does not fit, since its table is gone, is dropped; what is `Unavailable` is tried again later."""
        analysis = Analysis(job.table, report.engine, await _data(game, report), self._clock.now())
        try:
            await self._store.commit(PutAnalysis(analysis), DropAnalysisJob(job))
        except (Conflict, Unavailable):
            raise
        except Exception:
            log.exception("an analysis could not be stored", table=job.table)
            await self._store.commit(DropAnalysisJob(job))

    def _evict(self, kept: str = "") -> None:
        size = sum(len(report.moves) + 1 for report in self._reports.values())
        for id in [id for id in self._reports if id != kept and not self._is_own(id)]:
            if size <= MAX_CACHED:
                return
            size -= len(self._reports.pop(id).moves) + 1


async def _data(game: Game[Any, Any], report: Report) -> tuple[Mapping[str, Any], ...]:
    return await asyncio.to_thread(to_data, game, tuple(report.moves))


def turns(game: Game[Any, Any]) -> list[int]:
    """The plies that are analysed."""
    return review.turns(game)[:MAX_MOVES]


@cache
def signature(name: str) -> str:
    """Identifies the engine: a digest of its code, weights, tables, the game's rules and the limits."""
    own = adapter(name)
    digest = hashlib.sha256(repr((FORMAT, own.report_limit, own.review_lines, MAX_MOVES, MAX_LINE)).encode())
    files = [file for folder in folders(name) for file in folder.rglob("*")]
    for file in (Path(review.__file__), Path(resignation.__file__), Path(study.__file__), *sorted(files)):
        if file.suffix in ENGINE_FILES:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


def to_data(game: Game[Any, Any], reviews: Iterable[MoveReview]) -> tuple[Mapping[str, Any], ...]:
    """What the game itself does not tell, as JSON with moves in notation."""
    return tuple(_to_data(game, each) for each in reviews)


def _to_data(game: Game[Any, Any], review: MoveReview) -> Mapping[str, Any]:
    position, write = game.position_at(review.ply), game.rules.notation.write_move
    data: dict[str, Any] = {
        "ply": review.ply,
        "value": review.value,
        "lines": [[write(position, line.move), line.value, line.is_exact, line.chances] for line in review.lines],
        "line": list(line_texts(game, review)),
    }
    if review.others:
        data["others"] = {write(position, move): value for move, value in review.others}
    if review.is_indifferent:
        data["indifferent"] = True
    if review.luck is not None:
        data["luck"] = review.luck
    if review.stake != 1:
        data["stake"] = review.stake
    if review.cube is not None:
        data["cube"] = tuple(review.cube)
    return data


def from_data(game: Game[Any, Any], moves: Iterable[Mapping[str, Any]]) -> list[MoveReview]:
    return [_from_data(game, move) for move in moves]


def _from_data(game: Game[Any, Any], data: Mapping[str, Any]) -> MoveReview:
    ply = data["ply"]
    position, read = game.position_at(ply), game.rules.notation.read_move
    lines = [Line(read(position, text), value, (), exact, tuple(rest)) for text, value, exact, rest in data["lines"]]
    lines[0] = lines[0]._replace(moves=tuple(_parse_line(game, ply, data["line"])))
    cube = data.get("cube")
    return MoveReview(
        ply,
        player_at(game, ply),
        game.move_at(ply) if ply < game.length else None,
        tuple(lines),
        data["value"],
        is_forced_at(game, ply),
        kind_of(game, ply),
        None if cube is None else CubeEquities.from_data(cube),
        data.get("luck"),
        data.get("stake", 1.0),
        data.get("indifferent", False),
        tuple((read(position, text), value) for text, value in data.get("others", {}).items()),
        kind_at(game, ply, lines[0].move),
    )


def _parse_line(game: Game[Any, Any], ply: int, texts: Iterable[str]) -> Iterator[Any]:
    position = game.position_at(ply)
    for text in texts:
        move = game.rules.notation.read_move(position, text)
        yield move
        position = game.rules.play(position, move)


def line_texts(game: Game[Any, Any], review: MoveReview) -> Iterator[str]:
    """The engine's best line in notation, up to the next roll."""
    rules, position = game.rules, game.position_at(review.ply)
    for move in review.best.moves[:MAX_LINE]:
        if rules.chances(position) or move not in rules.moves(position):
            return
        yield rules.notation.write_move(position, move)
        position = rules.play(position, move)
