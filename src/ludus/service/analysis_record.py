"""An analysis as it is kept: what cannot be told from the game itself, with moves in the game's notation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from ludus import engines, games
from ludus.core.game import Game
from ludus.engines import review
from ludus.engines.engine import Limit, Line
from ludus.engines.review import LINES, Verdict

LIMITS: Final = {"checkers": Limit(nodes=400_000, depth=22), "backgammon": Limit(depth=1, nodes=200_000)}
"""What is spent on one move; nothing that depends on the machine, so that everybody sees the same."""
MOST_MOVES: Final = 400
"""Of a game: the later ones are not looked at."""
LONGEST_LINE: Final = 8
"""Moves of an engine's expectation that are told."""
FORM: Final = 1
"""Of what is written here; another one makes all that is kept be thought anew."""
PARTS: Final = (".py", ".npz", ".z")
"""Files that an engine consists of: its code, its weights, its tables."""


@cache
def signature(name: str) -> str:
    """Names who judges a game and how: it is another one if the engine, its weights, the rules or the limits are."""
    digest = hashlib.sha256(repr((FORM, LIMITS[name], LINES[name], MOST_MOVES, LONGEST_LINE)).encode())
    files = [file for package in (engines, games) for file in (Path(package.__path__[0]) / name).rglob("*")]
    for file in (Path(review.__file__), *sorted(files)):
        if file.suffix in PARTS:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:32]


def written(game: Game[Any, Any], verdicts: Iterable[Verdict]) -> tuple[Mapping[str, Any], ...]:
    return tuple(_written(game, verdict) for verdict in verdicts)


def _written(game: Game[Any, Any], verdict: Verdict) -> Mapping[str, Any]:
    best, position = verdict.best, game.position_at(verdict.ply)
    return {
        "ply": verdict.ply,
        "value": float(verdict.value),  # engines may say it in a type of their own
        "best": game.rules.notation.write_move(position, best.move),
        "worth": float(best.value),
        "line": list(expected(game, verdict)),
        "exact": bool(best.is_exact),
        "chances": [round(float(chance), 4) for chance in best.chances],
    }


def read(game: Game[Any, Any], moves: Iterable[Mapping[str, Any]]) -> list[Verdict]:
    return [_read(game, move) for move in moves]


def _read(game: Game[Any, Any], kept: Mapping[str, Any]) -> Verdict:
    rules, ply = game.rules, kept["ply"]
    position = game.position_at(ply)
    player = rules.turn(position).player
    assert player is not None
    best = Line(
        rules.notation.read_move(position, kept["best"]),
        kept["worth"],
        tuple(_moves(game, ply, kept["line"])),
        kept["exact"],
        tuple(kept["chances"]),
    )
    return Verdict(ply, player, game.move_at(ply), best, kept["value"], len(rules.moves(position)) == 1)


def _moves(game: Game[Any, Any], ply: int, texts: Iterable[str]) -> Iterator[Any]:
    position = game.position_at(ply)
    for text in texts:
        move = game.rules.notation.read_move(position, text)
        yield move
        position = game.rules.play(position, move)


def expected(game: Game[Any, Any], verdict: Verdict) -> Iterator[str]:
    """How the engine would have gone on, in notation; it ends where the dice would speak."""
    rules, position = game.rules, game.position_at(verdict.ply)
    for move in verdict.best.moves[:LONGEST_LINE]:
        if rules.chances(position) or move not in rules.moves(position):
            return
        yield rules.notation.write_move(position, move)
        position = rules.play(position, move)
