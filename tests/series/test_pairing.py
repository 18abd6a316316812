"""A pair of games: sides changed, the dice the same."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.core.rules import Player
from ludus.games.backgammon.position import Roll
from ludus.series.pairing import Pairing
from ludus.series.plan import Plan, Played


def rolls(played: Played) -> list[Any]:
    return [move for move in played.moves if isinstance(move, Roll)]


def test_the_dice_of_both_games_are_the_same_as_far_as_both_go() -> None:
    one, two = Pairing(Plan("backgammon", ("easy", "random"), 2, seed=4)).play(0)
    both = list(zip(rolls(one), rolls(two), strict=False))
    assert len(both) > 10
    assert all(a == b for a, b in both)
    assert one.moves != two.moves


def test_sides_change() -> None:
    pair = Pairing(Plan("checkers", ("easy", "random"), 2)).play(0)
    assert [played.player_of(0) for played in pair] == [Player.FIRST, Player.SECOND]
    assert [played.winner for played in pair] == [0, 0]
    assert [played.outcome.winner for played in pair] == [Player.FIRST, Player.SECOND]


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_same_seed_gives_the_same_games(game: str) -> None:
    plan = Plan(game, ("easy", "easy"), 4, seed=9)
    assert Pairing(plan).play(1) == Pairing(plan).play(1)
    assert Pairing(plan).play(1) != Pairing(plan).play(0)
    assert Pairing(plan._replace(seed=8)).play(1) != Pairing(plan).play(1)


def test_nobodys_thinking_changes_the_dice() -> None:
    """Random players draw a number for each move, the first legal move needs none."""
    games = [
        Pairing(Plan("backgammon", (name, name), 2, seed=4)).play(0)[0] for name in ("random", "contestants:first_move")
    ]
    assert rolls(games[0])[:20] == rolls(games[1])[:20]


def test_both_games_of_a_pair_have_the_same_random_opening() -> None:
    pairing = Pairing(Plan("checkers", ("contestants:first_move",) * 2, 4, opening=6))
    pairs = [pairing.play(number) for number in range(2)]
    assert pairs[0][0].moves[:6] == pairs[0][1].moves[:6]
    assert pairs[0][0].moves[:6] != pairs[1][0].moves[:6]


def test_games_start_from_the_variant() -> None:
    played, _ = Pairing(Plan("backgammon", ("random", "random"), 2, variant="hypergammon")).play(0)
    assert len(played.moves) < 200
