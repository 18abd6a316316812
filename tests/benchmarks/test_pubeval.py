"""`benchmarks.engines.pubeval` with a player of our own in the place of pubeval."""

from __future__ import annotations

import pytest
from benchmarks.engines.pubeval import play

from ludus.core.errors import BadInput
from ludus.players import find_player
from ludus.series.plan import Plan


def test_the_score_is_that_of_the_player() -> None:
    score = play(Plan("backgammon", ("beginner", "pubeval"), 4), find_player("random", "backgammon"))
    assert score.games == 4
    won, _, lost = score.count()
    assert won + lost == 4
    assert score.points.mean > 0
    assert score.adjusted is None


def test_games_come_in_pairs() -> None:
    with pytest.raises(BadInput):
        play(Plan("backgammon", ("beginner", "pubeval"), 3), find_player("random", "backgammon"))
