"""What the engines think of finished games: one at a time, with its progress, kept for whoever asks again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import structlog

from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player
from ludus.engines.engine import Limit, Line

log = structlog.get_logger("ludus.analysis")

MOST_WAITING: Final = 8
"""Games that wait for their turn; more are sent away."""
MOST_KEPT: Final = 200
"""Games whose analysis is remembered."""
MOST_MOVES: Final = 400
"""Of a game: the later ones are not looked at."""
LIMITS: Final = {"checkers": Limit(nodes=400_000, depth=22), "backgammon": Limit(depth=1, nodes=200_000)}
"""What is spent on one move; nothing that depends on the machine, so that everybody sees the same."""
LINES: Final = {"checkers": 3, "backgammon": 40}
"""Moves that are compared. At backgammon all that matter: what was played is found among them."""

Analyse = Callable[[str, Any, Limit, Sequence[Any], int], Awaitable[tuple[Line[Any], ...]]]
"""As `Thinker.analyse`."""


class Busy(LudusError):
    """Too many games wait to be analysed."""

    code = "too_fast"


class NotOver(LudusError):
    """A game that goes on is not analysed: it would help one of its players."""

    code = "not_over"


class Judged(NamedTuple):
    """A move of a player, and what the engine thinks of it. Values are what the game is worth to the mover."""

    ply: int
    """How many moves, rolls included, came before."""
    seat: int
    best: Line[Any]
    played: float
    is_forced: bool

    @property
    def loss(self) -> float:
        return max(0.0, self.best.value - self.played)


@dataclass
class Report:
    """The analysis of one game as far as it has come."""

    total: int
    state: str = "waiting"
    """`waiting`, `running`, `done` or `failed`."""
    moves: list[Judged] = field(default_factory=list)


class Analyses:
    def __init__(self, analyse: Analyse) -> None:
        self._analyse = analyse
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._waiting: OrderedDict[str, tuple[str, Game[Any, Any]]] = OrderedDict()
        self._worker: asyncio.Task[None] | None = None

    def report(self, id: str) -> Report | None:
        return self._reports.get(id)

    def start(self, id: str, name: str, game: Game[Any, Any]) -> Report:
        """The report of a game, which is begun unless it has been; one that failed is tried again."""
        known = self._reports.get(id)
        if known is not None and known.state != "failed":
            self._reports.move_to_end(id)
            return known
        if game.outcome is None:
            raise NotOver("only a finished game is analysed")
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
                report.state = "done"
            except Exception:
                log.exception("an analysis failed", table=id)
                report.state = "failed"

    async def _judge(self, report: Report, name: str, game: Game[Any, Any]) -> None:
        """From the last move to the first: what follows a move says what it was worth where no line does."""
        value_after: float | None = None
        for ply in reversed(turns(game)):
            found = await self._look(name, game, ply)
            played = _value_of(game, ply, found, value_after)
            seat = int(game.position_at(ply).mover)
            report.moves.append(Judged(ply, seat, found[0], played, len(game.rules.moves(game.position_at(ply))) == 1))
            value_after = -found[0].value

    async def _look(self, name: str, game: Game[Any, Any], ply: int) -> tuple[Line[Any], ...]:
        past = game.positions[:ply]
        return await self._analyse(name, game.position_at(ply), LIMITS[name], past, LINES[name])

    def _forget(self) -> None:
        for id in [id for id, report in self._reports.items() if report.state in ("done", "failed")]:
            if len(self._reports) <= MOST_KEPT:
                return
            del self._reports[id]


def turns(game: Game[Any, Any]) -> list[int]:
    """Where the players had a move to make, as the number of moves before; rolls are none, and a pass is no choice."""
    rules = game.rules
    plies = [ply for ply in range(game.length) if not rules.chances(game.position_at(ply))]
    return [ply for ply in plies if game.move_at(ply) != rules.pass_move][:MOST_MOVES]


def _value_of(game: Game[Any, Any], ply: int, found: Sequence[Line[Any]], after: float | None) -> float:
    """What the move that was played is worth to its player: by its line, by what follows it, or by how it ended."""
    move = game.move_at(ply)
    line = next((line for line in found if line.move == move), None)
    if line is not None:
        return line.value
    mover = Player(game.position_at(ply).mover)
    if ply + 1 == game.length and game.ending is None:
        return _worth(game.outcome, mover)
    if after is not None and not game.rules.chances(game.position_at(ply + 1)):
        return min(after, found[0].value)
    return found[-1].value  # worse than all that were compared


def _worth(outcome: Outcome | None, player: Player) -> float:
    if outcome is None or outcome.winner is None:
        return 0.0
    return float(outcome.points if outcome.winner == player else -outcome.points)
