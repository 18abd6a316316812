"""The player for games without an engine, on positions where one move is plainly best."""

from __future__ import annotations

from random import Random

from ludus.engines import OWN_LIMIT, Limit
from ludus.engines.rollout import RolloutPlayer
from ludus.games import GAMES


def test_a_win_on_the_spot_is_taken() -> None:
    rules = GAMES["checkers"]
    start = rules.notation.read_position("B:W5:BK6,K3")
    move = RolloutPlayer(games=4).choose(rules, start, OWN_LIMIT, Random(1))
    assert rules.notation.write_move(start, move) == "6-1"


def test_more_games_do_not_leave_a_piece_to_be_taken() -> None:
    rules = GAMES["checkers"]
    start = rules.notation.read_position("B:W19,20:B3,12")
    move = RolloutPlayer(games=200).choose(rules, start, OWN_LIMIT, Random(1))
    assert rules.notation.write_move(start, move) != "12-16"


def test_the_same_seed_makes_the_same_choice_and_a_limit_plays_fewer_games() -> None:
    rules = GAMES["checkers"]
    start, player = rules.variants["standard"], RolloutPlayer(games=3)
    assert player.choose(rules, start, OWN_LIMIT, Random(1)) == player.choose(rules, start, OWN_LIMIT, Random(1))
    rng, fewer = Random(1), Random(1)
    player.choose(rules, start, Limit(nodes=1), rng)
    RolloutPlayer(games=1).choose(rules, start, OWN_LIMIT, fewer)
    assert rng.getstate() == fewer.getstate()


def test_dice_are_rolled() -> None:
    rules = GAMES["backgammon"]
    start = rules.variants["standard"]
    assert RolloutPlayer(games=1).choose(rules, start, OWN_LIMIT, Random(1)) in rules.moves(start)
