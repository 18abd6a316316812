"""Engine analysis of finished games: a queue with progress, and results kept in the store."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import structlog

from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.engines import adapter, review
from ludus.engines.adapters import folders
from ludus.engines.engine import Limit, Line
from ludus.engines.review import MoveReview, review_move
from ludus.service.ports import Clock, PutAnalysis, Store
from ludus.service.records import Analysis

log = structlog.get_logger("ludus.analysis")

MAX_WAITING: Final = 32
"""Games in the queue; further requests are refused."""
MAX_OWN: Final = 2
"""The same for one owner, so that there is room for the others."""
MAX_CACHED: Final = 200
"""Reports kept in memory; all finished ones are in the store."""
MAX_MOVES: Final = 400
"""Moves of a game that are analysed."""
MAX_LINE: Final = 8
"""Moves of an engine's line that are stored and shown."""
FORMAT: Final = 1
"""Of the stored analyses; changing it invalidates them all."""
ENGINE_FILES: Final = (".py", ".npz", ".z")
"""Code, weights and tables."""

Analyse = Callable[[str, Any, Limit, Sequence[Any], int], Awaitable[tuple[Line[Any], ...]]]
"""As `EnginePool.analyse`."""


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


class Request(NamedTuple):
    owner: str
    name: str
    game: Game[Any, Any]


class Analyses:
    def __init__(self, analyse: Analyse, store: Store, clock: Clock) -> None:
        self._analyse = analyse
        self._store = store
        self._clock = clock
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._queue: OrderedDict[str, Request] = OrderedDict()
        self._worker: asyncio.Task[None] | None = None

    async def report(self, id: str, name: str, game: Game[Any, Any]) -> Report | None:
        """The report of a game, from memory or from the store; None if nobody has asked for one."""
        moves = None if id in self._reports else await self._load(id, name, game)
        if moves is not None and id not in self._reports:  # it may have been added during the await
            self._reports[id] = Report(len(moves), "done", moves)
            self._evict()
        return self._reports.get(id)

    async def start(self, id: str, name: str, game: Game[Any, Any], owner: str = "") -> Report:
        """Queues a game unless it already has a report; one that failed is retried. `owner` is who asks for it."""
        if game.outcome is None:
            raise NotOver("only a finished game is analysed")
        report = await self.report(id, name, game)
        if report is not None and report.state != "failed":
            self._reports.move_to_end(id)
            return report
        own = sum(request.owner == owner for request in self._queue.values())
        if own >= MAX_OWN or len(self._queue) >= MAX_WAITING:
            raise Busy("many games are being analysed; try again in a minute")
        report = self._reports[id] = Report(len(turns(game)))
        self._queue[id] = Request(owner, name, game)
        self._evict()
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._run())
        return report

    async def stop(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    async def _run(self) -> None:
        while self._queue:
            id, (_, name, game) = self._queue.popitem(last=False)
            report = self._reports[id]
            report.state = "running"
            try:
                await self._review(report, name, game)
                await self._save(id, name, game, report.moves)
                report.state = "done"
            except Exception:
                log.exception("an analysis failed", table=id)
                report.state = "failed"

    async def _review(self, report: Report, name: str, game: Game[Any, Any]) -> None:
        """The asynchronous counterpart of `engines.review.review`."""
        later: MoveReview | None = None
        limit, number = adapter(name).report_limit, adapter(name).review_lines
        for ply in reversed(turns(game)):
            lines = await self._analyse(name, game.position_at(ply), limit, game.positions[:ply], number)
            later = review_move(game, ply, lines, later)
            report.moves.append(later)

    async def _load(self, id: str, name: str, game: Game[Any, Any]) -> list[MoveReview] | None:
        """None where the stored analysis is by another engine."""
        found = await self._store.analysis(id)
        if found is None or found.engine != await asyncio.to_thread(signature, name):
            return None
        return await asyncio.to_thread(from_data, game, found.moves)

    async def _save(self, id: str, name: str, game: Game[Any, Any], moves: Sequence[MoveReview]) -> None:
        """A failure is only logged: the report is shown anyway."""
        try:
            engine = await asyncio.to_thread(signature, name)
            analysis = Analysis(id, engine, await asyncio.to_thread(to_data, game, moves), self._clock.now())
            await self._store.commit(PutAnalysis(analysis))
        except Exception:
            log.exception("an analysis could not be stored", table=id)

    def _evict(self) -> None:
        for id in [id for id, report in self._reports.items() if report.state in ("done", "failed")]:
            if len(self._reports) <= MAX_CACHED:
                return
            del self._reports[id]


def turns(game: Game[Any, Any]) -> list[int]:
    """The plies that are analysed."""
    return review.turns(game)[:MAX_MOVES]


@cache
def signature(name: str) -> str:
    """Identifies the engine: a digest of its code, weights, tables, the game's rules and the limits."""
    own = adapter(name)
    digest = hashlib.sha256(repr((FORMAT, own.report_limit, own.review_lines, MAX_MOVES, MAX_LINE)).encode())
    files = [file for folder in folders(name) for file in folder.rglob("*")]
    for file in (Path(review.__file__), *sorted(files)):
        if file.suffix in ENGINE_FILES:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


def to_data(game: Game[Any, Any], reviews: Iterable[MoveReview]) -> tuple[Mapping[str, Any], ...]:
    """What the game itself does not tell, as JSON with moves in notation."""
    return tuple(_to_data(game, each) for each in reviews)


def _to_data(game: Game[Any, Any], review: MoveReview) -> Mapping[str, Any]:
    best, position = review.best, game.position_at(review.ply)
    return {
        "ply": review.ply,
        "value": float(review.value),  # engines may use number types of their own
        "best": game.rules.notation.write_move(position, best.move),
        "worth": float(best.value),
        "line": list(line_texts(game, review)),
        "exact": bool(best.is_exact),
        "chances": [round(float(chance), 4) for chance in best.chances],
    }


def from_data(game: Game[Any, Any], moves: Iterable[Mapping[str, Any]]) -> list[MoveReview]:
    return [_from_data(game, move) for move in moves]


def _from_data(game: Game[Any, Any], data: Mapping[str, Any]) -> MoveReview:
    rules, ply = game.rules, data["ply"]
    position = game.position_at(ply)
    player = rules.turn(position).player
    assert player is not None
    best = Line(
        rules.notation.read_move(position, data["best"]),
        data["worth"],
        tuple(_parse_line(game, ply, data["line"])),
        data["exact"],
        tuple(data["chances"]),
    )
    return MoveReview(ply, player, game.move_at(ply), best, data["value"], len(rules.moves(position)) == 1)


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
