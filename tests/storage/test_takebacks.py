"""A game with takebacks, stored and read again."""

from __future__ import annotations

import uuid
from random import Random

import pytest
from tests.service.parts import ALWAYS, FakeClock, opening, random_play

from ludus.bus.memory import MemoryBus
from ludus.games import GAMES
from ludus.service import integrity, proof
from ludus.service.clock import UptimeClock
from ludus.service.commands import Resign, TakeBack
from ludus.service.ports.store import Store
from ludus.service.table import SeatKind
from ludus.service.tables import Tables

pytestmark = [pytest.mark.anyio, pytest.mark.slow]


def tables_of(store: Store) -> Tables:
    clock = UptimeClock(FakeClock(), grace=ALWAYS, settle=0)
    return Tables(store, MemoryBus(), clock, lambda: str(uuid.uuid4()), lambda: b"\7" * 32)


@pytest.mark.parametrize("game", GAMES)
async def test_a_game_with_takebacks_is_read_as_it_was_played(store: Store, game: str) -> None:
    """Played twice: with many moves taken back, and directly with only the moves that stand in the end."""
    rng, tables = Random(1), tables_of(store)
    start = opening(game)
    start = start._replace(seats=(start.seats[0], start.seats[1]._replace(kind=SeatKind.BOT)))
    table = await tables.open(start)
    while table.moves < 30 and table.outcome is None:
        has_moved = any(each.seat == 0 for each in (await tables.load(table.id)).events)
        command = TakeBack(0) if has_moved and table.moves > 2 and rng.random() < 0.2 else random_play(table, rng)
        table = (await tables.execute(table.id, command)).table
    assert len(table.takebacks) > 2
    if table.outcome is None:
        table = (await tables.execute(table.id, Resign(0))).table
    again = (await tables_of(store).load(table.id)).table
    assert again == table
    row = await store.table(table.id)
    assert row == table.row()
    assert row is not None and row.moves == table.moves
    found = proof.prove(proof.document(row, await store.events(table.id)))
    assert found.is_good, found.checks
    assert found.game.moves == table.game.moves
    assert (await integrity.check(store)).damaged == ()
