"""Backgammon as players write it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludus.games.backgammon.rules import Backgammon


class BackgammonNotation:
    suffix = ".mat"

    def __init__(self, rules: Backgammon) -> None:
        self._rules = rules
