"""The signatures: a change of nothing but the code's shape leaves them as they are."""

from __future__ import annotations

import pytest

from ludus.engines.bench import POSITIONS, count

SIGNATURES = {"checkers": 1_878_932, "backgammon": 9_272}
"""Whoever changes how an engine thinks shows by a match that it is for the better, and writes the new number here."""


@pytest.mark.parametrize("game", POSITIONS)
def test_an_engine_does_the_same_work_as_when_its_strength_was_measured(game: str) -> None:
    assert sum(found.nodes for found in count(game)) == SIGNATURES[game]
