"""What the engines think of finished games: one at a time, with its progress, and kept for whoever asks again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import structlog

from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.engines.engine import Limit, Line
from ludus.engines.review import LINES, Verdict, judge
from ludus.engines.review import turns as all_turns
from ludus.service.analysis_record import LIMITS, MOST_MOVES, read, signature, written
from ludus.service.ports import Clock, PutAnalysis, Store
from ludus.service.records import Analysis

log = structlog.get_logger("ludus.analysis")

MOST_WAITING: Final = 8
"""Games that wait for their turn; more are sent away."""
MOST_AT_HAND: Final = 200
"""Games whose analysis is in memory; all that are done are in the store."""

Analyse = Callable[[str, Any, Limit, Sequence[Any], int], Awaitable[tuple[Line[Any], ...]]]
"""As `EnginePool.analyse`."""


class Busy(LudusError):
    """Too many games wait to be analysed."""

    code = "too_fast"


class NotOver(LudusError):
    """A game that goes on is not analysed: it would help one of its players."""

    code = "not_over"


@dataclass
class Report:
    """The analysis of one game as far as it has come."""

    total: int
    state: str = "waiting"
    """`waiting`, `running`, `done` or `failed`."""
    moves: list[Verdict] = field(default_factory=list)


class Analyses:
    def __init__(self, analyse: Analyse, store: Store, clock: Clock) -> None:
        self._analyse = analyse
        self._store = store
        self._clock = clock
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._waiting: OrderedDict[str, tuple[str, Game[Any, Any]]] = OrderedDict()
        self._worker: asyncio.Task[None] | None = None

    async def report(self, id: str, name: str, game: Game[Any, Any]) -> Report | None:
        """That of a game which somebody has asked for, now or in an earlier life of the platform."""
        kept = None if id in self._reports else await self._kept(id, name, game)
        if kept is not None and id not in self._reports:  # somebody else may have looked meanwhile
            self._reports[id] = Report(len(kept), "done", kept)
            self._forget()
        return self._reports.get(id)

    async def start(self, id: str, name: str, game: Game[Any, Any]) -> Report:
        """The report of a game, which is begun unless it has been; one that failed is tried again."""
        if game.outcome is None:
            raise NotOver("only a finished game is analysed")
        known = await self.report(id, name, game)
        if known is not None and known.state != "failed":
            self._reports.move_to_end(id)
            return known
        if len(self._waiting) >= MOST_WAITING:
            raise Busy("many games are being analysed; try again in a minute")
        report = self._reports[id] = Report(len(turns(game)))
        self._waiting[id] = (name, game)
        self._forget()
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return report

    async def stop(self) -> None:
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)

    async def _work(self) -> None:
        while self._waiting:
            id, (name, game) = self._waiting.popitem(last=False)
            report = self._reports[id]
            report.state = "running"
            try:
                await self._judge(report, name, game)
                await self._keep(id, name, game, report.moves)
                report.state = "done"
            except Exception:
                log.exception("an analysis failed", table=id)
                report.state = "failed"

    async def _judge(self, report: Report, name: str, game: Game[Any, Any]) -> None:
        """As `engines.review` does it, with waits in between."""
        later: Verdict | None = None
        for ply in reversed(turns(game)):
            later = judge(game, ply, await self._look(name, game, ply), later)
            report.moves.append(later)

    async def _look(self, name: str, game: Game[Any, Any], ply: int) -> tuple[Line[Any], ...]:
        past = game.positions[:ply]
        return await self._analyse(name, game.position_at(ply), LIMITS[name], past, LINES[name])

    async def _kept(self, id: str, name: str, game: Game[Any, Any]) -> list[Verdict] | None:
        """Nothing where another engine had judged: this one thinks for itself."""
        found = await self._store.analysis(id)
        if found is None or found.engine != await asyncio.to_thread(signature, name):
            return None
        return await asyncio.to_thread(read, game, found.moves)

    async def _keep(self, id: str, name: str, game: Game[Any, Any], moves: Sequence[Verdict]) -> None:
        """What cannot be kept is shown all the same."""
        try:
            engine = await asyncio.to_thread(signature, name)
            kept = Analysis(id, engine, await asyncio.to_thread(written, game, moves), self._clock.now())
            await self._store.commit(PutAnalysis(kept))
        except Exception:
            log.exception("an analysis could not be kept", table=id)

    def _forget(self) -> None:
        for id in [id for id, report in self._reports.items() if report.state in ("done", "failed")]:
            if len(self._reports) <= MOST_AT_HAND:
                return
            del self._reports[id]


def turns(game: Game[Any, Any]) -> list[int]:
    """Those of a game that are looked at."""
    return all_turns(game)[:MOST_MOVES]
