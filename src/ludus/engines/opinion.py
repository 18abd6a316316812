"""What the strongest engine thinks of a position, before a move or before a roll."""

from __future__ import annotations

from typing import Any

from ludus.core.errors import BadInput
from ludus.core.rules import Rules, Turn
from ludus.engines.adapters import adapter
from ludus.engines.engine import Limit
from ludus.engines.review import Assessment, assess


def opinion(rules: Rules[Any, Any], position: Any, limit: Limit, lines: int) -> Assessment:
    """The engine's assessment. Before a roll it has one line, without a move, or none if nothing can be said."""
    turn, study = rules.turn(position), adapter(rules.name).study
    if turn is Turn.OVER:
        return Assessment(())
    is_roll = turn is Turn.DICE
    found = _before_roll(rules, position, limit) if is_roll else assess(rules, position, limit, (), lines)
    if study is None:
        return found
    window = None if found.cube is None else study.window(position, found.cube)
    return found._replace(window=window, effective_pips=study.effective_pips(position))


def _before_roll(rules: Rules[Any, Any], position: Any, limit: Limit) -> Assessment:
    prospects = adapter(rules.name).prospects
    try:
        return Assessment(() if prospects is None else (prospects(position, limit),))
    except BadInput:  # such as before an opening roll, when it is nobody's turn
        return Assessment(())
