"""Puzzles of checkers: shots, and endings with one way to win or to draw."""

from __future__ import annotations

from typing import Final

from ludus.engines import Limit
from ludus.puzzles.checkers.adapter import CheckersPuzzles
from ludus.puzzles.checkers.themes import VOCABULARY

ADAPTER: Final = CheckersPuzzles(
    margin=0.4,
    limit=Limit(nodes=300_000),
    glance=Limit(nodes=10_000),
    longest=5,
    players=("novice", "easy", "steady", "medium"),
    opening=3,
    vocabulary=VOCABULARY,
)
