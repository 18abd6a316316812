"""Playing one pair of games."""

from __future__ import annotations

from random import Random
from typing import Any

from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.engines.engine import roll
from ludus.games import GAMES
from ludus.series.contender import ROUND, Contender, find_contender, play_move
from ludus.series.plan import Pair, Plan, Played


class Pairing:
    """The contenders of a plan, found once, and their games."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._contenders: tuple[Contender, Contender] = (
            find_contender(plan.contenders[0], plan.game, plan.move_seconds),
            find_contender(plan.contenders[1], plan.game, plan.move_seconds),
        )

    def play(self, pair: int) -> Pair:
        return self._play_game(2 * pair), self._play_game(2 * pair + 1)

    def _play_game(self, number: int) -> Played:
        game = Game(GAMES[self._plan.game], self._plan.variant, tags={ROUND: f"{self._plan.seed}.{number + 1}"})
        dice = self._rng(number // 2, "dice")
        self._open(game, dice, number)
        lucks = [self._rng(number, name) for name in ("one", "two")]
        while _roll_until_a_player(game, dice) is not Turn.OVER:
            contender = int(game.turn.value) ^ number & 1
            name = self._plan.contenders[contender]
            play_move(self._contenders[contender], name, game, lucks[contender])
        assert game.outcome
        return Played(number, tuple(game.moves), game.outcome)

    def _open(self, game: Game[Any, Any], dice: Random, number: int) -> None:
        rng = self._rng(number // 2, "opening")
        for _ in range(self._plan.opening):
            if _roll_until_a_player(game, dice) is not Turn.OVER:
                game.play(rng.choice(game.legal_moves()))

    def _rng(self, number: int, purpose: str) -> Random:
        """A generator of its own for each purpose, so that nobody's thinking changes the dice."""
        return Random(f"{self._plan.seed} {number} {purpose}")


def _roll_until_a_player(game: Game[Any, Any], dice: Random) -> Turn:
    while game.turn is Turn.DICE:
        game.play(roll(game.rules, game.position, dice))
    return game.turn
