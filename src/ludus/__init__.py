"""Ludus: a platform for classic board games. In Python, start with `Game` and `GAMES`."""

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Turn
from ludus.games import GAMES

__all__ = ["GAMES", "Game", "Outcome", "Player", "Turn"]
__version__ = "0.2.0"
