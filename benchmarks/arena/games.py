"""The games of the benchmark: the fixed games of the rooms' benchmark, as agents' actions."""

from __future__ import annotations

import json
from typing import NamedTuple

from benchmarks.rooms import games
from ludus.core.rules import Player


class Played(NamedTuple):
    actions: tuple[str, ...]
    """As JSON."""
    winner: Player


def fixed_games() -> list[Played]:
    return [Played(tuple(map(as_agents_write, game.moves)), game.winner) for game in games.fixed_games()]


def as_agents_write(move: dict[str, object]) -> str:
    captures = move["captures"]
    assert isinstance(captures, list)
    action = {
        "type": "move",
        "from": square_at(move["from"]),
        "to": square_at(move["to"]),
        "captures": [square_at(index) for index in captures],
    }
    return json.dumps(action, separators=(",", ":"))


def square_at(index: object) -> int:
    """The PDN square at this index of a room's board, which is rotated by 180 degrees."""
    assert isinstance(index, int)
    row, column = divmod(63 - index, 8)
    return row * 4 + column // 2 + 1
