"""Players that choose among legal moves. This layer knows neither protocols nor servers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ludus.engines.adapters import adapter, analyst
from ludus.engines.engine import OWN_LIMIT, Analyst, Engine, Limit, Line
from ludus.engines.levels import BOTS
from ludus.engines.random import RandomPlayer

__all__ = ["ENGINES", "OWN_LIMIT", "Analyst", "Engine", "Limit", "Line", "adapter", "analyst", "engines"]

ENGINES: Mapping[str, Engine] = MappingProxyType({"random": RandomPlayer(), **BOTS})
"""The engines that play every game."""


def engines(game: str) -> Mapping[str, Engine]:
    """The engines that play this game, by name."""
    return {**ENGINES, **adapter(game).players}
