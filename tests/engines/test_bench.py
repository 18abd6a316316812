"""The signatures: a change of nothing but the code's shape leaves them as they are."""

from __future__ import annotations

import pytest

from ludus.engines.bench import count

SIGNATURES = {"checkers": 1_878_932, "backgammon": 9_272}
"""A change to how an engine searches comes with a match that shows it is stronger, and updates the number here."""


@pytest.mark.parametrize("game", SIGNATURES)
def test_an_engine_does_the_same_work_as_when_its_strength_was_measured(game: str) -> None:
    assert sum(found.nodes for found in count(game)) == SIGNATURES[game]
