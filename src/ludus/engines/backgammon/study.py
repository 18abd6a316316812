"""The cube, stakes and results in the review of a game."""

from __future__ import annotations

from typing import Any

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.engine import Limit
from ludus.engines.study import CubeEquities, MoveKind, Part
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Move


class BackgammonStudy:
    def kind(self, position: Position, move: Move) -> MoveKind:
        return MoveKind.MOVE

    def cube(self, position: Position, limit: Limit) -> CubeEquities | None:
        return None

    def stake(self, position: Position) -> float:
        return 1.0

    def result(self, game: Game[Any, Any]) -> float | None:
        outcome = game.outcome
        if outcome is None or outcome.winner is None:
            return None
        return float(outcome.points if outcome.winner is Player.FIRST else -outcome.points)

    def parts(self, game: Game[Any, Any]) -> list[Part]:
        outcome = game.outcome
        winner = None if outcome is None or outcome.winner is None else int(outcome.winner)
        return [Part(0, game.length, (0, 0), winner, outcome.points if outcome and outcome.winner is not None else 0)]
