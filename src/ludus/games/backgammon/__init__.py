"""Backgammon: single games, with or without a doubling cube, and matches."""

from typing import Final

from ludus.games.backgammon.about import ABOUT
from ludus.games.backgammon.rules import Backgammon

__all__ = ["ABOUT", "RULES"]

RULES: Final = Backgammon()
