from __future__ import annotations

import pytest

from ludus.engines.budget import Budget, BudgetSpent


def test_all_of_a_budget_can_be_spent_and_no_more() -> None:
    budget = Budget(3)
    budget.spend(2)
    budget.spend(1)
    with pytest.raises(BudgetSpent):
        budget.spend(1)
