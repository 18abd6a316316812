"""Puzzles: positions with one clear best move, mined from games by the engines and checked by a deeper search.

A game's puzzles are `puzzles.jsonl` in its folder here, or in the `puzzles` package of a third party, whose `ADAPTER`
says what makes one. Above engines and environments, below the service: this layer knows neither who solves puzzles nor
when.
"""

from __future__ import annotations

from ludus.puzzles.files import puzzles, read, write
from ludus.puzzles.puzzle import Answer, Puzzle, answer

__all__ = ["Answer", "Puzzle", "answer", "puzzles", "read", "write"]
