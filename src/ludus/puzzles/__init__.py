"""Puzzles: positions with one clear best move, mined from games by the engines and checked by a deeper search.

A game's puzzles are `puzzles.jsonl` in its folder here, or in the `puzzles` package of a third party. The package's
`ADAPTER` says what makes a puzzle. This layer is above engines and environments and below the service: it knows neither
who solves puzzles nor when.
"""

from __future__ import annotations

from ludus.puzzles.files import puzzles, read, write
from ludus.puzzles.puzzle import Answer, Puzzle, answer

__all__ = ["Answer", "Puzzle", "answer", "puzzles", "read", "write"]
