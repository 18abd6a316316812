"""GNU Backgammon's networks (gnubg-nn) in their own environment: one question and one answer per line.

Run by `gnubg.py` with the Python of that environment. Boards are as gnubg-nn has them: the other side's men and
then the mover's, on points 1 to 24 and the bar, as their owner counts.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import gnubg_nn

Board = list[list[int]]


def equity(board: Board, plies: int) -> float:
    """Cubeless money equity of the side to roll."""
    win, gammon, backgammon, lost_gammon, lost_backgammon = gnubg_nn.probabilities(board, plies)
    return float(2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon)


def equities(boards: list[Board], plies: int) -> list[float]:
    return [equity(board, plies) for board in boards]


def steps(board: Board, dice: list[int], plies: int) -> list[list[int]]:
    """The best play as pairs of points; the bar is 25, off is 0."""
    return [list(step) for step in gnubg_nn.best_move(board, *dice, n=plies)]


def pubeval_steps(board: Board, dice: list[int]) -> list[list[int]]:
    """The play that pubeval finds best, as pairs of points in the same way."""
    places = [max(place + 1, 0) for place in gnubg_nn.pub_best_move(board, *dice)]
    return [list(step) for step in zip(places[::2], places[1::2], strict=True)]


def seconds(boards: list[Board]) -> float:
    """CPU time to evaluate these without lookahead."""
    probabilities, began = gnubg_nn.probabilities, time.process_time()
    for board in boards:
        probabilities(board, 0)
    return time.process_time() - began


def move_seconds(boards: list[Board], dice: list[list[int]], plies: int) -> float:
    """CPU time to choose a play in each."""
    began = time.process_time()
    for board, roll in zip(boards, dice, strict=True):
        gnubg_nn.best_move(board, *roll, n=plies)
    return time.process_time() - began


ANSWERS: dict[str, Any] = {
    "equities": equities,
    "steps": steps,
    "pubeval_steps": pubeval_steps,
    "seconds": seconds,
    "move_seconds": move_seconds,
}

if __name__ == "__main__":
    for line in sys.stdin:
        name, arguments = json.loads(line)
        print(json.dumps(ANSWERS[name](*arguments)), flush=True)
