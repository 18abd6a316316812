"""Legal moves of mid-game positions without any compiling."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.report import cpu_seconds, row
from ludus import GAMES, Turn
from ludus.core.rules import Rules

POSITIONS = 2_000


def run() -> None:
    for rules in GAMES.values():
        positions = mid_game(rules)
        seconds = cpu_seconds(lambda rules=rules, positions=positions: [rules.moves(p) for p in positions])  # type: ignore[misc]  # mypy infers no lambda with a default
        each = seconds / POSITIONS * 1e3
        row(f"{rules.name}, a list of legal moves in the interpreter, ms", f"{each:.3f}", "", "", "well under 1")


def mid_game(rules: Rules[Any, Any]) -> list[Any]:
    """Positions of random games in which a player is to move, all different, so that no cache helps."""
    positions: dict[Any, None] = {}
    rng = random.Random(1)
    while len(positions) < POSITIONS:
        position = rules.variants["standard"]
        while rules.turn(position) is not Turn.OVER and len(positions) < POSITIONS:
            if rules.turn(position).player is not None:
                positions[position] = None
            position = rules.play(position, rng.choice(rules.moves(position)))
    return list(positions)
