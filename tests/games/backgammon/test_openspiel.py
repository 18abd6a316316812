"""Random games of backgammon played side by side with OpenSpiel's.

It agrees on every set of results. It splits a double into two turns of two steps and lists the orders of a play
separately, so boards are compared, not moves.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable

import pyspiel
import pytest

from ludus import Player, Turn
from ludus.games.backgammon.position import Men, Position, Roll
from ludus.games.backgammon.rules import Backgammon

pytestmark = pytest.mark.slow

GAMES, MANY = 500, 3_000
PLACES = ((*range(23, -1, -1), 100), (*range(24), 100))
"""OpenSpiel's numbers of a player's points from 1 to 24 and of the bar. X, the first player, walks up, O walks down."""
Board = tuple[Men, Men]
OFF = 1 << 25 | 1 << 57
"""The bits of men who are off."""
Actions = tuple[int, ...]


@pytest.fixture(scope="module")
def rules() -> Backgammon:
    return Backgammon().compiled()


def packed(counts: Iterable[int]) -> Men:
    """Men on the points from 1 to 24 and on the bar, in the kernel's bit planes; how many are off follows."""
    low = high = 0
    for place, count in zip(range(24, -1, -1), counts, strict=True):
        if count:
            low |= (count & 1 | (count >> 1 & 1) << 32) << place
            high |= (count >> 2 & 1 | (count >> 3) << 32) << place
    return Men(low, high)


def board(state: pyspiel.State) -> Board:
    white, black = PLACES
    return packed([state.board(0, place) for place in white]), packed([state.board(1, place) for place in black])


def on_board(men: Men) -> Men:
    return Men(men.low & ~OFF, men.high & ~OFF)


def results(state: pyspiel.State, met: set[str], done: Actions = ()) -> dict[Board, Actions]:
    """The boards at the end of this turn and how to get there; after two steps of a double the turn goes on.

    Actions are made and taken back on this state, since a copy for each costs more than all the rest. Its text tells
    what has been met in another order, at a fraction of the cost of its board.
    """
    player = state.current_player()
    ends: dict[Board, Actions] = {}
    for action in state.legal_actions():
        state.apply_action(action)
        text = str(state)
        if text not in met:
            met.add(text)
            is_half = state.current_player() == player
            ends |= results(state, met, (*done, action)) if is_half else {board(state): (*done, action)}
        state.undo_action(player, action)
    return ends


def roll(state: pyspiel.State, rng: random.Random) -> Roll:
    """A roll for both; the opening's die order is OpenSpiel's."""
    actions, weights = zip(*state.chance_outcomes(), strict=True)
    (action,) = rng.choices(actions, weights)
    text = state.action_to_string(action)
    one, two = sorted(map(int, re.findall(r"roll: (\d)(\d)", text)[0]), reverse=True)
    state.apply_action(action)
    return Roll(two, one) if "O starts" in text else Roll(one, two)


def play_turn(rules: Backgammon, position: Position, state: pyspiel.State, rng: random.Random) -> Position:
    theirs = results(state.clone(), set())  # taking back the second half of a double miscounts OpenSpiel's turns
    afters = [rules.play(position, move) for move in rules.moves(position)]
    ours = {(on_board(after.white), on_board(after.black)): after for after in afters}
    assert ours.keys() == theirs.keys()
    chosen = rng.choice(list(ours))
    for action in theirs[chosen]:
        state.apply_action(action)
    return ours[chosen]


def play_games(rules: Backgammon, number: int, rng: random.Random) -> int:
    """Games side by side; how many turns they took."""
    turns = 0
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    for _ in range(number):
        position, state = rules.variants["standard"], game.new_initial_state()
        while rules.turn(position) is not Turn.OVER:
            if rules.turn(position) is Turn.DICE:
                position = rules.play(position, roll(state, rng))
            else:
                turns += 1
                position = play_turn(rules, position, state, rng)
        outcome = rules.outcome(position)
        assert outcome is not None
        assert state.is_terminal()
        assert state.returns()[Player(outcome.winner or 0)] == outcome.points
    return turns


def test_random_games_have_the_same_results_of_every_roll(rules: Backgammon) -> None:
    assert play_games(rules, GAMES, random.Random(1)) > 40_000


@pytest.mark.deep
def test_thousands_of_random_games_have_the_same_results_of_every_roll(rules: Backgammon) -> None:
    assert play_games(rules, MANY, random.Random(2)) > 200_000
