"""The tutor: whether a move would be a mistake, before it is made, for people who practise against a bot."""

from __future__ import annotations

import logging
from typing import Any

from ludus.core.errors import LudusError
from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.engines import adapter
from ludus.engines.review import Assessment
from ludus.service.cluster import Cluster, Work
from ludus.service.commands import Payload
from ludus.service.decisions import NotYourTurn, refuse_if_over, refuse_unless_practice, resolve
from ludus.service.engine_pool import EnginePool
from ludus.service.ports.bus import AdviceFound, AdviceWanted, Bus, Note
from ludus.service.repeated_notes import RepeatedNotes
from ludus.service.shared_tasks import SharedTasks
from ludus.service.table import Table
from ludus.service.tables import Tables

log = logging.getLogger(__name__)


class Tutor:
    def __init__(self, tables: Tables, engine_pool: EnginePool, cluster: Cluster, bus: Bus) -> None:
        self._tables = tables
        self._engine_pool = engine_pool
        self._cluster = cluster
        self._bus = bus
        self._wanted = RepeatedNotes(bus)
        self._tasks = SharedTasks()

    async def ask(self, table: Table, seat: int, move: Payload, owner: str) -> None:
        """The answer is an `AdviceFound`, as soon as an engine is free; owners share the engines' time fairly."""
        refuse_if_over(table)
        refuse_unless_practice(table, seat)
        if table.mover != seat:
            raise NotYourTurn("advice is for the player to move")
        game = table.game
        text = game.rules.notation.write_move(game.position, resolve(game, move))
        wanted = AdviceWanted(table.id, seat, table.version, owner, text)
        await self._wanted.publish(_key(wanted), wanted)

    async def on_note(self, note: Note) -> None:
        if isinstance(note, AdviceWanted) and self._cluster.has(Work.BOTS, note.table):
            self._tasks.start(_key(note), lambda: self._find(note), f"advice {note.table}")
        elif isinstance(note, AdviceFound):
            self._wanted.settle(_key(note))

    async def stop(self) -> None:
        await self._wanted.stop()
        await self._tasks.stop()

    async def _find(self, wanted: AdviceWanted) -> None:
        best, loss = "", 0.0
        try:
            best, loss = await self._judge(wanted)
        except Exception as error:
            if not isinstance(error, LudusError):
                log.exception("a move could not be judged")
        await self._bus.publish(AdviceFound(wanted.table, wanted.seat, wanted.version, wanted.move, best, loss))

    async def _judge(self, wanted: AdviceWanted) -> tuple[str, float]:
        """The best move in notation, and how much the one asked about gives away."""
        table = (await self._tables.load(wanted.table)).table
        game, write = table.game, table.game.rules.notation.write_move
        if table.version != wanted.version or table.mover != wanted.seat:
            return "", 0.0
        move = game.rules.notation.read_move(game.position, wanted.move)
        found = await self._assess(game, wanted.owner)
        best = found.lines[0]
        value = next((line.value for line in found.lines if line.move == move), None)
        if value is None:
            value = await self._value(game, move, wanted.owner)
        worst = min(line.value for line in found.lines)
        return write(game.position, best.move), max(0.0, best.value - (worst if value is None else value))

    async def _value(self, game: Game[Any, Any], move: Any, owner: str) -> float | None:
        """Of a move that is not among the engine's lines; None if dice follow it."""
        after = game.copy()
        after.play(move)
        if after.outcome is not None:
            return float(after.outcome.points if after.outcome.winner is game.turn.player else 0)
        if after.turn is Turn.DICE:
            return None
        value = (await self._assess(after, owner, 1)).lines[0].value
        return float(value if after.turn is game.turn else -value)

    async def _assess(self, game: Game[Any, Any], owner: str, lines: int | None = None) -> Assessment:
        own, (*past, position) = adapter(game.rules.name), game.positions
        lines = own.review_lines if lines is None else lines
        return await self._engine_pool.assess(game.rules.name, position, own.report_limit, past, lines, owner=owner)


def _key(note: AdviceWanted | AdviceFound) -> tuple[str, int, str]:
    return note.table, note.version, note.move
