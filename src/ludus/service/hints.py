"""Hints: what the strongest built-in bot would play, for people who practise against a bot."""

from __future__ import annotations

import logging
from random import Random
from typing import Final

from ludus.core.errors import LudusError
from ludus.service.cluster import Cluster, Work
from ludus.service.decisions import NotYourTurn, refuse_if_over, refuse_unless_practice
from ludus.service.engine_pool import EnginePool
from ludus.service.ports.bus import Bus, HintFound, HintWanted, Note
from ludus.service.repeated_notes import RepeatedNotes
from ludus.service.shared_tasks import SharedTasks
from ludus.service.table import Table
from ludus.service.tables import Tables

log = logging.getLogger(__name__)
LEVEL: Final = "hard"


class Hints:
    def __init__(self, tables: Tables, engine_pool: EnginePool, cluster: Cluster, bus: Bus, rng: Random) -> None:
        self._tables = tables
        self._engine_pool = engine_pool
        self._cluster = cluster
        self._bus = bus
        self._rng = rng
        self._wanted = RepeatedNotes(bus)
        self._tasks = SharedTasks()

    async def ask(self, table: Table, seat: int, owner: str) -> None:
        """The answer is a `HintFound`, as soon as an engine is free; owners share the engines' time fairly."""
        refuse_if_over(table)
        refuse_unless_practice(table, seat)
        if table.mover != seat:
            raise NotYourTurn("hints are for the player to move")
        await self._wanted.publish((table.id, table.version), HintWanted(table.id, seat, table.version, owner))

    async def on_note(self, note: Note) -> None:
        if isinstance(note, HintWanted) and self._cluster.has(Work.BOTS, note.table):
            self._tasks.start((note.table, note.version), lambda: self._find(note), f"hint {note.table}")
        elif isinstance(note, HintFound):
            self._wanted.settle((note.table, note.version))

    async def stop(self) -> None:
        await self._wanted.stop()
        await self._tasks.stop()

    async def _find(self, wanted: HintWanted) -> None:
        move = ""
        try:
            move = await self._choose(wanted)
        except Exception as error:
            if not isinstance(error, LudusError):
                log.exception("a hint could not be found")
        await self._bus.publish(HintFound(wanted.table, wanted.seat, wanted.version, move))

    async def _choose(self, wanted: HintWanted) -> str:
        """In notation."""
        table = (await self._tables.load(wanted.table)).table
        if table.version != wanted.version or table.mover != wanted.seat:
            return ""
        *past, position = table.game.positions
        game, seed = table.opening.game, self._rng.getrandbits(63)
        move = await self._engine_pool.choose(game, position, LEVEL, seed, past, wanted.owner)
        return table.game.rules.notation.write_move(position, move)
