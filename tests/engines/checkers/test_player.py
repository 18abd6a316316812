from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.checkers.player import CheckersPlayer
from ludus.engines.levels import BOTS
from ludus.games import GAMES
from ludus.games.checkers.position import Move

RULES = GAMES["checkers"]
BY_LEVEL: dict[str, CheckersPlayer] = {level: bot.games["checkers"] for level, bot in BOTS.items()}


def chosen(player: CheckersPlayer, fen: str, seed: int = 1) -> str:
    position = RULES.notation.read_position(fen)
    return RULES.notation.write_move(position, player.choose(RULES, position, Random(seed)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_man_is_not_given_away_for_nothing(level: str, seed: int) -> None:
    assert chosen(BY_LEVEL[level], "B:W20,32:B11,2", seed) != "11-16"


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", ["medium", "hard"])
def test_a_man_is_given_for_three(level: str, seed: int) -> None:
    assert chosen(BY_LEVEL[level], "B:W15,16,24,29,32:B3,4,8,9", seed) == "8-11"


@pytest.mark.parametrize("seed", range(4))
def test_hard_sees_a_loss_that_is_too_far_off_for_medium(seed: int) -> None:
    far = "B:W17,21,22,23,32:B3,6,10,14,20,28"
    assert chosen(BY_LEVEL["hard"], far, seed) == "6-9"
    assert chosen(BY_LEVEL["medium"], far, seed) != "6-9"


def test_easy_slips_now_and_then_and_the_others_do_not() -> None:
    assert BY_LEVEL["easy"].slips > 0
    assert BY_LEVEL["medium"].slips == BY_LEVEL["hard"].slips == 0


def test_a_player_that_always_slips_picks_any_move() -> None:
    blind = CheckersPlayer(depth=1, nodes=100, whim=0, slips=1)
    moves = {blind.choose(RULES, RULES.variants["standard"], Random(seed)) for seed in range(60)}
    assert moves == set(RULES.moves(RULES.variants["standard"]))


def test_a_budget_of_nothing_is_still_enough_to_move() -> None:
    assert isinstance(
        CheckersPlayer(depth=5, nodes=0, whim=0).choose(RULES, RULES.variants["standard"], Random(1)), Move
    )


def chase(level: str) -> Game[Any, Any]:
    """Three kings after one, which flees at random."""
    game, rng = Game(RULES, start=RULES.notation.read_position("B:WK28:BK1,K2,K3")), Random(4)
    while not game.outcome:
        if game.turn.player is Player.SECOND:
            game.play(rng.choice(game.legal_moves()))
        else:
            game.play(BY_LEVEL[level].choose(RULES, game.position, rng, game.positions))
    return game


def test_three_kings_catch_one() -> None:
    outcome = chase("medium").outcome
    assert outcome and outcome.winner is Player.FIRST


def test_a_player_who_is_ahead_does_not_go_back_to_an_earlier_position() -> None:
    start = RULES.notation.read_position("B:WK28:BK1,K2,K3")
    player = CheckersPlayer(depth=2, nodes=10_000, whim=0)
    first = player.choose(RULES, start, Random(1))
    assert player.choose(RULES, start, Random(1), [RULES.play(start, first)]) != first
