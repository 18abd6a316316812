"""A data folder with games in it, played through the platform without a server."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from ludus.bus.memory import MemoryBus
from ludus.core.errors import GameIsOver
from ludus.service.agents import Agents, player_key
from ludus.service.clock import UptimeClock, WallClock
from ludus.service.commands import Play, Resign
from ludus.service.table import Limits, Opening, Seat, SeatKind
from ludus.service.tables import Tables
from ludus.storage import store_for

GAME: Final = "backgammon"
PLAYS: Final = 150
"""At most."""
LONG: Final = 140
"""At least."""
LIVE: Final = 40
AGENTS: Final = 20


class Stored(NamedTuple):
    game: str
    finished: str
    agent: str
    plays: int


def store_games(folder: Path) -> Stored:
    folder.mkdir(parents=True)
    return asyncio.run(_store_games(folder))


async def _store_games(folder: Path) -> Stored:
    store, clock = store_for("", folder), WallClock()
    await store.open()
    agents = Agents(store, clock, lambda: str(uuid.uuid4()), secrets.token_hex, lambda: secrets.token_hex(8))
    names = [(await agents.register(f"Agent {number}", None)).agent for number in range(AGENTS)]
    seats = [Seat(player_key(agent.id), agent.id, agent.name, SeatKind.AGENT) for agent in names]
    tables = Tables(store, MemoryBus(), UptimeClock(clock), lambda: str(uuid.uuid4()), lambda: b"\7" * 32)
    rng = Random(14)
    for number in range(LIVE):
        await _play(tables, _opening(f"live-{number}", seats[number % AGENTS], seats[(number + 1) % AGENTS]), 6, rng)
    finished, plays = "", 0
    for number in count():
        finished = f"finished-{number}"
        plays = await _play(tables, _opening(finished, seats[0], seats[1]), PLAYS, rng)
        with suppress(GameIsOver):
            await tables.execute(finished, Resign(0))
        if plays >= LONG:
            break
    await store.close()
    return Stored(GAME, finished, names[0].id, plays)


def _opening(id: str, one: Seat, two: Seat) -> Opening:
    return Opening(id, GAME, "fast", "arena", (one, two), Limits(None, None, None), is_rated=False, seed=b"\7" * 32)


async def _play(tables: Tables, opening: Opening, most: int, rng: Random) -> int:
    """Random moves; returns how many the players made."""
    table = await tables.open(opening)
    played = 0
    while table.outcome is None and played < most:
        game, mover = table.game, table.mover
        assert mover is not None
        move = rng.choice(game.legal_moves())
        table = (await tables.execute(table.id, Play(mover, game.rules.notation.write_move(game.position, move)))).table
        played += 1
    return table.moves
