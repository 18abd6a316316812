"""A player against pubeval, Tesauro's linear evaluator: `python -m benchmarks.engines.pubeval runs/td/value.npz`.

gnubg-nn has pubeval. Money games without a cube, in pairs with the same dice and the seats exchanged.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from random import Random
from typing import Any

from benchmarks.engines.gnubg import Gnubg
from ludus.cli.match import report
from ludus.engines.engine import Engine, Limit
from ludus.series.contender import Contender, EngineContender, find_contender
from ludus.series.plan import Plan
from ludus.series.run import Series
from ludus.series.score import Score


class Pubeval:
    def __init__(self, gnubg: Gnubg) -> None:
        self._gnubg = gnubg

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        return self._gnubg.choose_by_pubeval(position)


def play(plan: Plan, pubeval: Engine) -> Score:
    """The score of the first contender; `pubeval` plays the second one's moves."""

    def find(name: str, game: str, move_seconds: float) -> Contender:
        return EngineContender(pubeval) if name == "pubeval" else find_contender(name, game, move_seconds)

    plan.check()
    series, score = Series(plan, find), Score()
    for pair in range(plan.pairs):
        score.add((series.play_game(2 * pair, with_luck=False), series.play_game(2 * pair + 1, with_luck=False)))
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("player", help="as `ludus match` names it: a level, a policy or a value function (.npz)")
    parser.add_argument("--games", type=int, default=1000, help="an even number (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    plan = Plan("backgammon", (options.player, "pubeval"), options.games, options.seed)
    with Gnubg() as gnubg:
        score = play(plan, Pubeval(gnubg))
    report(plan, score)


if __name__ == "__main__":
    main()
