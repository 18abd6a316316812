"""Bots are players: each sits in a seat, thinks in another process, and moves by the same command as everybody."""

from __future__ import annotations

import asyncio
import logging
from contextlib import nullcontext, suppress
from random import Random
from typing import Protocol

from structlog.contextvars import bind_contextvars

from ludus.service.decisions import DeclineDraw, Play, Resign
from ludus.service.engine_pool import EnginePool
from ludus.service.pauses import pause
from ludus.service.ports import Note, TableMoved
from ludus.service.table import SeatKind, Table
from ludus.service.tables import StaleVersion, Tables

log = logging.getLogger(__name__)
RETRY_SECONDS = 2.0
MOST_FAILURES = 5
"""In a row; then a bot gives up, since somebody waits for it."""


class Watcher(Protocol):
    """Is told in which game and how long a bot thought, in seconds."""

    def __call__(self, game: str, seconds: float) -> None: ...


class Bots:
    def __init__(self, tables: Tables, thinker: EnginePool, rng: Random, scale: float, watch: Watcher) -> None:
        """`scale` stretches the natural pauses; 0 leaves none."""
        self._tables = tables
        self._thinker = thinker
        self._rng = rng
        self._scale = scale
        self._watch = watch
        self._thinking: dict[str, asyncio.Task[None]] = {}
        self._for_programs = asyncio.Semaphore(1)
        """Programs can play without a rest, so that they get one worker at a time, and people need not queue up."""

    async def on_note(self, note: Note) -> None:
        if isinstance(note, TableMoved):
            self.consider((self._tables.at_hand(note.table) or await self._tables.see(note.table)).table)

    def consider(self, table: Table) -> None:
        """Starts thinking if a bot has something to do and is not at it yet."""
        if table.id not in self._thinking and _bot_to_act(table) is not None:
            self._thinking[table.id] = asyncio.create_task(self._act(table.id), name=f"bot {table.id}")

    async def stop(self) -> None:
        for task in list(self._thinking.values()):
            task.cancel()
        await asyncio.gather(*self._thinking.values(), return_exceptions=True)

    async def _act(self, id: str) -> None:
        """Acts until it is somebody else's turn; where a bot fails, it is asked again after a while."""
        bind_contextvars(table=id)  # for what is logged in this task, which has a context of its own
        try:
            table, failures = (await self._tables.see(id)).table, 0
            while (seat := _bot_to_act(table)) is not None:
                try:
                    with suppress(StaleVersion):  # something happened meanwhile: look again
                        await (self._act_once(table, seat) if failures < MOST_FAILURES else self._give_up(table, seat))
                    failures = 0
                except Exception:
                    failures += 1
                    log.exception("a bot could not act")
                    await asyncio.sleep(RETRY_SECONDS)
                table = (await self._tables.see(id)).table
        finally:  # at once, not when the task is done: a move that is told in between would be left unanswered
            self._thinking.pop(id, None)

    async def _give_up(self, table: Table, seat: int) -> None:
        log.error("a bot gives up its game")
        await self._tables.do(table.id, Resign(seat), expected=table.version)

    async def _act_once(self, table: Table, seat: int) -> None:
        if table.offer == 1 - seat:
            await self._tables.do(table.id, DeclineDraw(seat), expected=table.version)
        else:
            await self._move(table, seat)

    async def _move(self, table: Table, seat: int) -> None:
        level = table.seats[seat].level
        clock = asyncio.get_running_loop().time
        is_for_people = any(seat.kind == SeatKind.PERSON for seat in table.seats)
        until = clock() + (pause(level, self._rng) * self._scale if is_for_people else 0)
        async with nullcontext() if is_for_people else self._for_programs:
            started = clock()
            *past, position = table.game.positions
            move = await self._thinker.choose(table.opening.game, position, level, self._rng.getrandbits(63), past)
            self._watch(table.opening.game, clock() - started)
        await asyncio.sleep(max(0.0, until - clock()))
        now = (await self._tables.see(table.id)).table
        if now.mover == seat and now.moves == table.moves:  # not resigned or run out of time meanwhile
            await self._tables.do(table.id, Play(seat, lambda _: move), expected=now.version)


def _bot_to_act(table: Table) -> int | None:
    """The seat of a bot that has to answer an offer or to move."""
    for seat, player in enumerate(table.opening.seats):
        if player.kind == SeatKind.BOT and not table.outcome and (table.offer == 1 - seat or table.mover == seat):
            return seat
    return None
