from __future__ import annotations

from random import Random

import pytest

from ludus.engines.budget import Budget, BudgetSpent
from ludus.engines.checkers.evaluation import worth
from ludus.engines.checkers.search import MOST, WIN, Search
from ludus.games import GAMES
from ludus.games.checkers.position import Position

RULES = GAMES["checkers"]
PLENTY = 10**9


def read(fen: str) -> Position:
    position: Position = RULES.notation.read_position(fen)
    return position


def brute(position: Position, depth: int) -> float:
    """The same without leaving anything out, over the rules."""
    moves = RULES.moves(position)
    if not moves:
        outcome = RULES.outcome(position)
        return 0 if outcome and outcome.winner is None else -WIN - depth
    if depth <= 0 and not moves[0].captures:
        return worth(position.own, position.other, position.kings, position.mover.value)
    return max(-brute(RULES.play(position, move), depth - 1) for move in moves)


@pytest.mark.parametrize("seed", range(6))
def test_it_finds_what_a_search_of_everything_finds(seed: int) -> None:
    position, rng = RULES.variants["standard"], Random(seed)
    while moves := RULES.moves(position):
        if rng.random() < 0.15:
            assert Search(Budget(PLENTY)).look(position, 2, MOST) == brute(position, 2)
        position = RULES.play(position, rng.choice(moves))


def test_jumps_are_looked_at_to_their_end() -> None:
    quiet = read("B:W23,32:B14,9")
    assert Search(Budget(PLENTY)).look(quiet, 0, MOST) == worth(quiet.own, quiet.other, quiet.kings, 0)
    jump = read("B:W18,32:B14,9")
    after = RULES.play(jump, RULES.moves(jump)[0])
    assert Search(Budget(PLENTY)).look(jump, 0, MOST) == -worth(after.own, after.other, after.kings, 1)


def test_an_early_win_is_better_than_a_late_one() -> None:
    now = read("B:W18:B14")
    assert Search(Budget(PLENTY)).look(now, 5, MOST) == WIN + 4
    assert Search(Budget(PLENTY)).look(now, 1, MOST) == WIN


def test_going_back_to_an_earlier_position_is_a_draw() -> None:
    position = read("B:WK32:BK1,K2,K3")
    assert Search(Budget(PLENTY)).look(position, 1, MOST) > 0
    assert Search(Budget(PLENTY), [position]).look(position, 1, MOST) == 0


def test_forty_quiet_moves_are_a_draw() -> None:
    position = read("B:WK32:BK1,K2,K3")
    assert Search(Budget(PLENTY)).look(position._replace(quiet=80), 3, MOST) == 0
    assert Search(Budget(PLENTY)).look(position._replace(quiet=79), 3, MOST) == 0
    assert Search(Budget(PLENTY)).look(position._replace(quiet=10), 3, MOST) > 0


def test_it_stops_when_the_budget_is_spent() -> None:
    budget = Budget(500)
    with pytest.raises(BudgetSpent):
        Search(budget).look(RULES.variants["standard"], 12, MOST)
    assert budget.left == -1
