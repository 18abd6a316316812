"""Reviews of games by an engine whose opinions are written down here."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

import pytest

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines import adapter
from ludus.engines.engine import Line
from ludus.engines.review import Assess, Assessment, MoveReview, accuracy, glyph, review, review_move, summary, turns
from ludus.games import GAMES


def played(name: str, *moves: str, position: str | None = None) -> Game[Any, Any]:
    rules = GAMES[name]
    game = Game(rules, start=rules.notation.read_position(position) if position else None)
    for move in moves:
        game.play(move)
    return game


def opinions(game: Game[Any, Any], *wanted: dict[str, float]) -> Assess:
    """An engine that has an opinion about the moves of each position in turn."""

    def ask(position: Any, past: Sequence[Any], lines: int, roll: object) -> Assessment:
        assert list(past) == list(game.positions[: len(past)]) and position == game.positions[len(past)]
        read = game.rules.notation.read_move
        return Assessment([Line(read(position, text), value) for text, value in wanted[len(past)].items()])

    return ask


def reviewed(game: Game[Any, Any], luck: float = 0.25) -> list[MoveReview]:
    """By an engine that likes all moves alike and finds every roll as lucky as the others."""

    def ask(position: Any, past: Sequence[Any], lines: int, roll: object) -> Assessment:
        return Assessment([Line(move, 0.5) for move in game.rules.moves(position)], luck=luck if roll else None)

    return list(review(game, ask))


def test_a_move_that_the_engine_knows_has_its_value() -> None:
    game = played("checkers", "11-15", "22-18")
    ask = opinions(game, {"9-13": 0.5, "11-15": 0.2}, {"22-18": -0.1})
    second, first = review(game, ask)
    assert (first.ply, first.player, first.value, first.best.value) == (0, Player.FIRST, 0.2, 0.5)
    assert first.cost == pytest.approx(0.3)
    assert (second.player, second.cost) == (Player.SECOND, 0)


def test_a_move_that_it_does_not_know_is_worth_what_follows_it() -> None:
    game = played("checkers", "11-15", "22-18")
    _, first = review(game, opinions(game, {"9-13": 0.5}, {"22-18": 0.4}))
    assert first.value == -0.4
    assert first.cost == pytest.approx(0.9)


def test_a_last_move_that_it_does_not_know_is_worth_the_result_and_never_more_than_the_best() -> None:
    game = played("checkers", "15x22", position="B:W18:B15,2")
    assert game.outcome and game.outcome.winner is Player.FIRST
    elsewhere = game.rules.moves(game.start)[0]._replace(path=(2, 6))
    assert review_move(game, 0, Assessment([Line(elsewhere, 1.0)]), None).value == 1.0
    assert review_move(game, 0, Assessment([Line(elsewhere, 0.5)]), None).value == 0.5
    assert review_move(game, 0, Assessment([Line(elsewhere, 0.5)]), None).is_forced


def test_rolls_are_no_moves_and_passes_are_forced_ones() -> None:
    game = played("backgammon", "6-3", "24/18 13/10")
    assert turns(game) == [1]
    shut_out = played("backgammon", "pass", position="XGID=aBBBBBB-----------------n-:0:0:-1:66:0:0:0:0:10")
    [review] = reviewed(shut_out)
    assert turns(shut_out) == [0] and review.is_forced and not review.is_decision


def test_to_give_up_where_the_dice_are_to_be_rolled_is_no_roll() -> None:
    game = Game(GAMES["backgammon"], "standard+cube")
    for move in ("6-3", "24/18 13/10", "roll", "black resigns 2"):
        game.play(move)
    assert turns(game) == [1, 2]


def test_where_all_moves_are_worth_the_same_there_is_nothing_to_decide() -> None:
    game = played("backgammon", "6-3", "24/18 13/10")
    [same] = reviewed(game)
    assert same.is_indifferent and not same.is_forced and not same.is_decision
    [other] = review(game, opinions(game, {}, {"24/15": 0.1, "24/18 13/10": 0.0}))
    assert not other.is_indifferent and other.is_decision


def test_a_roll_that_was_not_played_is_reviewed_for_its_luck() -> None:
    game = played("backgammon", "6-3", "24/18 13/10", "6-6")
    game.resign(Player.FIRST)
    last, _ = reviewed(game)
    assert (last.ply, last.player, last.played, last.is_decision) == (3, Player.SECOND, None, False)
    assert (last.luck, last.cost) == (0.25, 0)


@pytest.mark.parametrize(("game", "cost", "expected"), [
    ("checkers", 0.0, ""), ("checkers", 0.1, "?!"), ("checkers", 0.3, "?"), ("checkers", 2.0, "??"),
    ("backgammon", 0.039, ""), ("backgammon", 0.04, "?!"), ("backgammon", 0.08, "?"), ("backgammon", 0.16, "??"),
])  # fmt: skip
def test_a_glyph_tells_how_much_a_move_gave_away(game: str, cost: float, expected: str) -> None:
    assert glyph(game, cost) == expected


def test_a_summary_counts_decisions_not_forced_moves() -> None:
    def made(player: Player, cost: float, is_forced: bool = False) -> MoveReview:
        return MoveReview(0, player, None, (Line(None, 0.5),), 0.5 - cost, is_forced)

    reviews = [
        made(Player.FIRST, 0.0),
        made(Player.FIRST, 0.1),
        made(Player.FIRST, 0.2),
        made(Player.FIRST, 0.0, is_forced=True),
        made(Player.SECOND, 0.05),
    ]
    assert summary("backgammon", reviews, Player.FIRST) == pytest.approx((3, 0.3, 0, 1, 1))
    assert summary("backgammon", reviews, Player.SECOND) == pytest.approx((1, 0.05, 1, 0, 0))
    assert summary("backgammon", [], Player.SECOND) == (0, 0, 0, 0, 0)


def test_accuracy_is_how_close_the_decisions_were_to_the_best_ones() -> None:
    game = played("checkers", "11-15", "22-18", "15x22")
    blunder = adapter("checkers").thresholds[-1]
    ask = opinions(game, {"9-13": blunder, "11-15": 0.0}, {"22-18": 0.3, "22-17": 0.1}, {"15x22": 0.0})
    reviews = list(review(game, ask))
    assert accuracy("checkers", reviews, Player.FIRST) == pytest.approx(exp(-1))
    assert accuracy("checkers", reviews, Player.SECOND) == 1
    assert accuracy("checkers", [], Player.FIRST) is None
