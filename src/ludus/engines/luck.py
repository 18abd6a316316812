"""The result of a game without the luck of its rolls."""

from __future__ import annotations

from typing import Any

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.adapters import adapter
from ludus.engines.review import rolled


def luck_adjusted_result(game: Game[Any, Any]) -> float | None:
    """The first player's result less the luck of all rolls, in points or, in a match, chances to win it.

    None without a result, or if no engine can compute the luck of this game's rolls. On average it equals the result,
    but it varies far less.
    """
    known = adapter(game.rules.name)
    if known.luck is None or known.study is None or (result := known.study.result(game)) is None:
        return None
    return result - sum(_luck(game, ply) for ply in range(1, game.length + 1))


def _luck(game: Game[Any, Any], ply: int) -> float:
    """The luck of the roll before this ply, for the first player; 0 if there was none."""
    known, roll, after = adapter(game.rules.name), rolled(game, ply), game.position_at(ply)
    assert known.luck is not None and known.study is not None
    if roll is None:
        return 0.0
    is_own = game.rules.turn(after).player is Player.FIRST
    return known.luck(*roll) * known.study.stake(after) * (1 if is_own else -1)
