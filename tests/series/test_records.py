"""The games of a series as a file."""

from __future__ import annotations

import pytest

from ludus.games import GAMES
from ludus.series.plan import Plan
from ludus.series.records import write
from ludus.series.run import Series


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_file_holds_the_games_and_who_played_them(game: str) -> None:
    plan = Plan(game, ("easy", "runs/policy.npz"), 2, seed=5)
    played = Series(plan._replace(contenders=("easy", "random"))).play(0)
    read = GAMES[game].notation.read_games(write(plan, played))
    assert [record.moves for record in read] == [each.moves for each in played]
    assert [record.outcome for record in read] == [each.outcome for each in played]
    first, second = (name.capitalize() for name in GAMES[game].players)
    assert [(record.tags[first], record.tags[second]) for record in read] == [("easy", "policy"), ("policy", "easy")]
    assert read[0].tags["Event"] == "easy - policy, seed 5"


def test_games_from_a_variant_can_be_read_back() -> None:
    plan = Plan("backgammon", ("random", "random"), 2, variant="hypergammon")
    read = GAMES["backgammon"].notation.read_games(write(plan, Series(plan).play(0)))
    assert [record.variant for record in read] == ["hypergammon", "hypergammon"]
