"""The games of the house. They do not know each other, nor who plays them; no clock, file or random number in here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ludus.core.rules import Rules
from ludus.games.backgammon.rules import Backgammon
from ludus.games.checkers.rules import Checkers

GAMES: Mapping[str, Rules[Any, Any]] = MappingProxyType({rules.name: rules for rules in (Checkers(), Backgammon())})
