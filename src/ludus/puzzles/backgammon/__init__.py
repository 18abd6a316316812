"""Puzzles of backgammon: plays, and decisions about the cube, for money."""

from __future__ import annotations

from typing import Final

from ludus.engines import Limit
from ludus.puzzles.backgammon.adapter import BackgammonPuzzles
from ludus.puzzles.backgammon.themes import VOCABULARY

ADAPTER: Final = BackgammonPuzzles(
    margin=0.08,
    limit=Limit(depth=1),
    glance=Limit(depth=0),
    variants=("standard+cube",),
    vocabulary=VOCABULARY,
)
