"""Who can play. Engines choose among legal moves; they know no door, no file and no clock."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import cast

from ludus.core.errors import UnknownOption
from ludus.engines.engine import OWN_LIMIT, Analyst, Engine, Limit, Line
from ludus.engines.levels import BOTS
from ludus.engines.random import RandomPlayer

__all__ = ["ENGINES", "OWN_LIMIT", "Analyst", "Engine", "Limit", "Line", "analyst"]

ENGINES: Mapping[str, Engine] = MappingProxyType({"random": RandomPlayer(), **BOTS})


@cache
def analyst(game: str) -> Analyst:
    """The strongest engine of the house at this game; made once, since its tables and weights are large."""
    if game == "checkers":
        from ludus.engines.checkers.player import CheckersPlayer

        return cast("Analyst", CheckersPlayer())  # it knows one game only
    if game == "backgammon":
        from ludus.engines.backgammon.player import BackgammonPlayer

        return cast("Analyst", BackgammonPlayer())
    raise UnknownOption(f"no engine analyses {game!r}")
