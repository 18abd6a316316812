"""Who can play. Engines choose among legal moves; they know no door, no file and no clock."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ludus.engines.engine import OWN_LIMIT, Engine, Limit, Line
from ludus.engines.levels import BOTS
from ludus.engines.random import RandomPlayer

__all__ = ["ENGINES", "OWN_LIMIT", "Engine", "Limit", "Line"]

ENGINES: Mapping[str, Engine] = MappingProxyType({"random": RandomPlayer(), **BOTS})
