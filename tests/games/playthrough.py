"""Writes a readable log of one random game of each kind, to be compared by eye and by test.

python tests/games/playthrough.py    # after a change that is meant to change it
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from ludus import GAMES, Game, Turn
from ludus.core.rules import Rules


def path(rules: Rules[Any, Any]) -> Path:
    return Path(__file__).parent / rules.name / "playthrough.txt"


def playthrough(rules: Rules[Any, Any]) -> str:
    """One game by a fixed seed: at each turn the board, the legal moves and the one played."""
    rng, game = random.Random(1), Game(rules)
    lines = [f"{rules.name}, every move picked at random", ""]
    while game.outcome is None:
        moves = game.legal_moves()
        move = rng.choice(moves)
        write = [rules.notation.write_move(game.position, each) for each in moves]
        lines += [board(game), rules.notation.write_position(game.position)]
        lines += [f"{who(game)}, one of {len(moves)}: {' | '.join(write)}", f"> {write[moves.index(move)]}", ""]
        game.play(move)
    lines += [board(game), f"{game.outcome}", "", rules.notation.write_games([game])]
    return "\n".join(lines)


def board(game: Game[Any, Any]) -> str:
    return "\n".join(line.rstrip() for line in game.board().text().splitlines())


def who(game: Game[Any, Any]) -> str:
    return "dice" if game.turn is Turn.DICE else str(game.rules.players[game.turn.value])


if __name__ == "__main__":
    for each in GAMES.values():
        path(each).write_text(playthrough(each), encoding="utf-8")
