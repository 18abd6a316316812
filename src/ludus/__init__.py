"""Ludus: one house for classic board games. `Game` and `GAMES` are the front door for code."""

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Turn
from ludus.games import GAMES

__all__ = ["GAMES", "Game", "Outcome", "Player", "Turn"]
__version__ = "0.1.0"
