"""Finished games as the platform plays and stores them, with random moves."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

from tests.service.parts import random_play

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.service.clock import Moment
from ludus.service.commands import Leave, Return
from ludus.service.decisions import decide, open_table
from ludus.service.records import Event, TableRow
from ludus.service.table import Limits, Opening, Seat

SEED = bytes(range(32))
TABLE = "table-1"
SEATS = Seat("key-a", "a", "Ada", "person"), Seat("key-b", "b", "Bob", "person")


class FinishedGame(NamedTuple):
    game: Game[Any, Any]
    row: TableRow
    events: list[Event]


def finished_game(name: str, table: str = TABLE, variant: str = "standard") -> FinishedGame:
    """A whole game, or a match, in which a player was away for a while."""
    rules, rng = GAMES[name], random.Random(table)
    seed = SEED if rules.chances(rules.variants["standard"]) else None
    opening = Opening(table, name, "matchmaking", "rooms", SEATS, Limits(None, None, None), False, seed, variant)
    decision = open_table(opening, Moment(1, 1))
    events = [decision.event]
    for command in (Leave(0), Return(0)):
        decision = decide(decision.after, command, Moment(1, 1)) or decision
        events.append(decision.event)
    while decision.after.mover is not None:
        decision = decide(decision.after, random_play(decision.after, rng), Moment(1, 1)) or decision
        events.append(decision.event)
    return FinishedGame(decision.after.game, decision.after.row(), events)


def played(name: str, table: str = TABLE) -> Game[Any, Any]:
    return finished_game(name, table).game.copy()


def texts(game: Game[Any, Any]) -> list[str]:
    write = game.rules.notation.write_move
    return [write(position, move) for position, move in zip(game.positions, game.moves, strict=False)]
