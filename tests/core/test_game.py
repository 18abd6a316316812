"""The record of a game: how it is read and copied. What holds while it is played is in the conformance suite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus import GAMES, Game, Outcome, Player
from ludus.core.errors import GameIsOver
from ludus.core.rules import Rules, Turn

every_game = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
choices = st.lists(st.integers(0, 2**16), max_size=80)


def played(rules: Rules[Any, Any], chosen: list[int]) -> Game[Any, Any]:
    """A game in which each move is picked by a number."""
    game = Game(rules, tags={"White": "Ann"})
    for number in chosen:
        if moves := game.legal_moves():
            game.play(moves[number % len(moves)])
    return game


@every_game
@given(chosen=choices)
def test_the_record_can_be_read_move_by_move(rules: Rules[Any, Any], chosen: list[int]) -> None:
    game = played(rules, chosen)
    assert game.length == len(game.moves) == len(game.positions) - 1
    assert [game.move_at(number) for number in range(game.length)] == list(game.moves)
    assert [game.position_at(number) for number in range(game.length + 1)] == list(game.positions)
    for number in range(game.length):
        assert rules.play(game.position_at(number), game.move_at(number)) == game.position_at(number + 1)


@every_game
@given(chosen=choices, data=st.data())
def test_the_last_moves_are_the_end_of_all_moves(
    rules: Rules[Any, Any], chosen: list[int], data: st.DataObject
) -> None:
    game = played(rules, chosen)
    number = data.draw(st.integers(0, game.length))
    assert list(game.recent(number)) == list(game.moves)[game.length - number :]


@every_game
def test_a_new_game_has_no_moves_to_read(rules: Rules[Any, Any]) -> None:
    game = Game(rules)
    assert (game.length, list(game.recent(0)), game.position_at(0)) == (0, [], game.start)
    with pytest.raises(IndexError):
        game.move_at(0)


@every_game
@given(chosen=choices)
def test_a_copy_is_the_same_game(rules: Rules[Any, Any], chosen: list[int]) -> None:
    game = played(rules, chosen)
    game.comments[0] = "a quiet beginning"
    copy = game.copy()
    assert copy == game
    assert (copy.positions, copy.outcome, copy.turn) == (game.positions, game.outcome, game.turn)
    assert copy.repetitions() == game.repetitions()


def add_move(game: Game[Any, Any]) -> None:
    game.play(game.legal_moves()[0])


def add_tag(game: Game[Any, Any]) -> None:
    game.tags["Black"] = "Ben"


def add_comment(game: Game[Any, Any]) -> None:
    game.comments[1] = "well played"


CHANGES: list[Callable[[Game[Any, Any]], object]] = [
    add_move,
    add_tag,
    add_comment,
    Game.undo,
    lambda game: game.resign(Player.FIRST),
]


@every_game
@pytest.mark.parametrize("change", CHANGES)
def test_a_copy_and_its_original_go_their_own_ways(
    rules: Rules[Any, Any], change: Callable[[Game[Any, Any]], object]
) -> None:
    game = played(rules, [3] * 7)
    before, copy = played(rules, [3] * 7), game.copy()
    change(copy)
    assert copy != game
    assert (game, game.outcome, game.positions) == (before, None, before.positions)
    twin = game.copy()
    change(game)
    assert (twin, twin.outcome, twin.positions) == (before, None, before.positions)


def test_a_copy_counts_repetitions_for_itself() -> None:
    game = Game(GAMES["checkers"], start=GAMES["checkers"].notation.read_position("W:WK1:BK32"))
    there_and_back = ("1-6", "32-27", "6-1", "27-32")
    for move in there_and_back:
        game.play(move)
    copy = game.copy()
    for move in there_and_back:
        copy.play(move)
    assert (game.repetitions(), game.outcome) == (2, None)
    assert copy.repetitions() == 3
    assert copy.outcome is not None
    assert copy.outcome.reason == "repetition"


def test_a_copy_of_a_game_that_the_players_ended_is_over_too() -> None:
    game = Game(GAMES["checkers"])
    game.end(Outcome(Player.SECOND, "afk_timeout"))
    copy = game.copy()
    assert copy.ending == copy.outcome == game.ending
    with pytest.raises(GameIsOver):
        copy.play(game.rules.moves(game.position)[0])
    copy.undo()
    assert (copy.outcome, game.ending) == (None, game.outcome)


@every_game
def test_an_ending_that_is_taken_back_leaves_the_turn_as_it_was(rules: Rules[Any, Any]) -> None:
    game = played(rules, [3] * 7)
    turn = game.turn
    game.resign(Player.FIRST)
    assert game.turn is Turn.OVER
    game.undo()
    assert (game.turn, game.outcome) == (turn, None)
