"""Backgammon, without a doubling cube."""

from typing import Final

from ludus.games.backgammon.about import ABOUT
from ludus.games.backgammon.rules import Backgammon

__all__ = ["ABOUT", "RULES"]

RULES: Final = Backgammon()
