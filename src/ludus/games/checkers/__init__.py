"""English draughts on 32 squares."""

from typing import Final

from ludus.games.checkers.about import ABOUT
from ludus.games.checkers.rules import Checkers

__all__ = ["ABOUT", "RULES"]

RULES: Final = Checkers()
