"""The result of a game without the luck of its rolls."""

from __future__ import annotations

from typing import Any

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.adapters import adapter


def luck_adjusted_result(game: Game[Any, Any]) -> float | None:
    """The first player's result less the luck of all rolls, in points or, in a match, chances to win it.

    None without a result, or if no engine knows the luck of this game's rolls. Nobody gains by it on average, but it
    varies far less than the result.
    """
    known = adapter(game.rules.name)
    if known.luck is None or known.study is None or (result := known.study.result(game)) is None:
        return None
    return result - sum(_luck(game, ply) for ply in range(game.length) if game.rules.chances(game.position_at(ply)))


def _luck(game: Game[Any, Any], ply: int) -> float:
    """Of the roll at this ply, for the first player."""
    known, before, after = adapter(game.rules.name), game.position_at(ply), game.position_at(ply + 1)
    assert known.luck is not None and known.study is not None
    is_own = game.rules.turn(after).player is Player.FIRST
    return known.luck(before, game.move_at(ply)) * known.study.stake(after) * (1 if is_own else -1)
