"""What a resignation is worth, and whether it is worth accepting."""

from __future__ import annotations

from typing import Any, Final

from ludus.core.game import Game
from ludus.core.rules import Player, Rules
from ludus.engines.adapters import adapter
from ludus.engines.engine import Line

SLIGHT: Final = 0.01
"""Points, or chances of a greater win, that are too small to play for."""


def is_enough(rules: Rules[Any, Any], position: Any, win: int, line: Line[Any], *, is_winners: bool) -> bool:
    """Whether a win of this kind is as good as playing on.

    The line is the best one of the player to move, who may be the winner or the loser. Values in a match count a gammon
    for what it is worth at the score, so a sure one may exceed 2: then the chances decide.
    """
    study, kinds = adapter(rules.name).study, rules.most_points
    value = line.value if is_winners else -line.value
    single = 1.0 if study is None else study.single(position)
    if win == kinds or win * single >= value - SLIGHT:
        return True
    greater = line.chances[win if is_winners else kinds + win - 1] if line.chances else 1.0
    return greater < SLIGHT


def value_of(game: Game[Any, Any], ply: int, player: Player) -> float:
    """What the resignation at this ply is worth to the player who made it, in normalized points."""
    rules, before, after = game.rules, game.position_at(ply), game.position_at(ply + 1)
    study = adapter(rules.name).study
    assert study is not None
    if not study.is_match(game):
        outcome = rules.outcome(after)
        assert outcome is not None
        return -outcome.points / study.stake(before)
    ended = rules.game_ended(before, game.move_at(ply), after)
    assert ended is not None
    return study.value_of_loss(before, ended.points, player)
