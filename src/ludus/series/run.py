"""Plays a series of games, in this process or in several."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from ludus.core.errors import BadInput
from ludus.core.game import Game
from ludus.core.processes import ordered_results
from ludus.core.rules import Turn
from ludus.engines import adapter
from ludus.engines.engine import roll
from ludus.engines.luck import luck_adjusted_result
from ludus.engines.study import MoveKind
from ludus.games import GAMES
from ludus.series.contender import ROUND, Contender, find_contender, play_move
from ludus.series.plan import Pair, Plan, Played

_series: Series
"""The series of a worker process, set when it starts."""


class Series:
    """The two contenders of a plan, looked up once, and their games."""

    def __init__(self, plan: Plan, find: Callable[[str, str, float], Contender] = find_contender) -> None:
        self._plan = plan
        self._contenders: tuple[Contender, Contender] = (
            find(plan.contenders[0], plan.game, plan.move_seconds),
            find(plan.contenders[1], plan.game, plan.move_seconds),
        )

    def play(self, pair: int) -> Pair:
        return self.play_game(2 * pair), self.play_game(2 * pair + 1)

    def play_game(self, number: int, *, with_luck: bool = True) -> Played:
        game = Game(GAMES[self._plan.game], self._plan.variant, tags={ROUND: f"{self._plan.seed}.{number + 1}"})
        dice = self._rng(number // 2, "dice")
        self._play_opening(game, dice, number)
        rngs = [self._rng(number, name) for name in ("one", "two")]
        while _roll_until_player(game, dice) is not Turn.OVER:
            contender = int(game.turn.value) ^ number & 1
            name = self._plan.contenders[contender]
            play_move(self._contenders[contender], name, game, rngs[contender])
        assert game.outcome
        adjusted = luck_adjusted_result(game) if with_luck else None
        return Played(number, tuple(game.moves), game.outcome, adjusted)

    def _play_opening(self, game: Game[Any, Any], dice: Random, number: int) -> None:
        rng = self._rng(number // 2, "opening")
        for _ in range(self._plan.opening):
            if _roll_until_player(game, dice) is not Turn.OVER:
                game.play(rng.choice(_opening_moves(game)))

    def _rng(self, number: int, purpose: str) -> Random:
        """A generator for each purpose, so that a contender's random choices do not change the dice."""
        return Random(f"{self._plan.seed} {number} {purpose}")


def _opening_moves(game: Game[Any, Any]) -> list[Any]:
    """Random moves without doubles, which would end games before a contender has played if dropped at random."""
    study = adapter(game.rules.name).study
    return [
        move for move in game.legal_moves() if study is None or study.kind(game.position, move) is not MoveKind.DOUBLE
    ]


def play(plan: Plan, jobs: int = 1) -> Iterator[Pair]:
    """The pairs in order. Closing the iterator stops the games."""
    plan.check()
    if jobs < 1:
        raise BadInput(f"games cannot be played by {jobs} processes")
    series = Series(plan)
    if min(jobs, plan.pairs) == 1:
        return map(series.play, range(plan.pairs))
    return ordered_results(_play_pair, plan.pairs, min(jobs, plan.pairs), _start_worker, (plan,))


def _start_worker(plan: Plan) -> None:
    global _series
    _series = Series(plan)


def _play_pair(number: int) -> Pair:
    return _series.play(number)


def _roll_until_player(game: Game[Any, Any], dice: Random) -> Turn:
    while game.turn is Turn.DICE:
        game.play(roll(game.rules, game.position, dice))
    return game.turn
