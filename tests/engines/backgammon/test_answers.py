from __future__ import annotations

import pytest

from ludus.engines.backgammon.answers import Answers
from ludus.engines.backgammon.evaluation import equity
from ludus.engines.budget import Budget, BudgetSpent
from ludus.games import GAMES
from ludus.games.backgammon.position import VARIANTS, Position, Roll, men

RULES = GAMES["backgammon"]
PLENTY = 10**9


def brute(position: Position) -> float:
    """The same over the rules, for the side that has just played."""
    total = 0.0
    for roll, weight in RULES.chances(position):
        rolled = RULES.play(position, roll)
        afters = [RULES.play(rolled, play) for play in RULES.moves(rolled)]
        total -= weight * max(equity(*after.other, *after.own) for after in afters)
    return total / 36


def test_it_is_the_average_over_the_best_answers_to_all_rolls() -> None:
    rolled = RULES.play(VARIANTS["standard"], Roll(6, 4))
    after = RULES.play(rolled, RULES.moves(rolled)[0])
    assert Answers(Budget(PLENTY)).worth(*after.other, *after.own) == pytest.approx(brute(after))


def test_a_game_that_is_over_has_no_answers() -> None:
    assert Answers(Budget(0)).worth(*men({0: 15}), *men({1: 15})) == 2


def test_it_stops_when_the_budget_is_spent() -> None:
    start = VARIANTS["standard"]
    with pytest.raises(BudgetSpent):
        Answers(Budget(100)).worth(*start.white, *start.black)
