"""Random games of backgammon played side by side with OpenSpiel's.

It agrees on every set of results. It splits a double into two turns of two steps and lists the orders of a play
separately, so boards are compared, not moves.
"""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import chain

import numpy as np
import pyspiel
import pytest

from ludus import Player, Turn
from ludus.games.backgammon.position import Position, Roll
from ludus.games.backgammon.rules import Backgammon

pytestmark = pytest.mark.slow

GAMES, MANY = 150, 3_000
SIDES = [0] * 25 + [1] * 25
PLACES = [*range(23, -1, -1), 100, *range(24), 100]
"""OpenSpiel's numbers of a player's points from 1 to 24 and of the bar. X, the first player, walks up, O walks down."""
SHIFTS = np.arange(24, -1, -1)
"""The kernel's places of the same points."""
ORIGINS = 26
"""Where a step can start, in OpenSpiel's numbers of actions: a point, the bar, or nowhere."""
Board = bytes
"""The men on the points from 1 to 24 and on the bar, of either side; how many are off follows."""
Actions = tuple[int, ...]
Steps = tuple[int, ...]
Done = tuple[Actions, Steps]


@pytest.fixture(scope="module")
def rules() -> Backgammon:
    return Backgammon().compiled()


def board(state: pyspiel.State) -> Board:
    return bytes(map(state.board, SIDES, PLACES))


def boards(positions: list[Position]) -> list[Board]:
    """The same of our positions, whose counts are spread over four bit planes."""
    words = chain.from_iterable((*position.white, *position.black) for position in positions)
    planes = np.fromiter(words, np.int64, 4 * len(positions)).reshape(-1, 2, 2, 1) >> SHIFTS
    low, high = planes[:, :, 0], planes[:, :, 1]
    counts = (low & 1) | (low >> 32 & 1) << 1 | (high & 1) << 2 | (high >> 32 & 1) << 3
    rows: list[Board] = [row.tobytes() for row in counts.astype(np.uint8)]
    return rows


@cache
def steps(action: int, is_double: bool) -> Steps:
    """Where the higher and the lower die's men start; for the results of a turn the order does not matter."""
    is_lower_first, action = divmod(action, ORIGINS**2)
    two, one = divmod(action, ORIGINS)
    return (two, one) if is_lower_first or (is_double and two < one) else (one, two)


def results(state: pyspiel.State, is_double: bool, met: set[Steps], done: Done = ((), ())) -> dict[Board, Actions]:
    """The boards at the end of this turn and how to get there; after two steps of a double the turn goes on.

    Actions are made and taken back on this state, since a copy for each costs more than all the rest. Those that only
    change the order of the steps are made once.
    """
    player, (actions, before) = state.current_player(), done
    ends: dict[Board, Actions] = {}
    for action in state.legal_actions():
        made = before + steps(action, is_double)
        key = tuple(sorted(made)) if is_double else made
        if key in met:
            continue
        met.add(key)
        state.apply_action(action)
        if state.current_player() == player:
            ends |= results(state, is_double, met, ((*actions, action), made))
        else:
            ends[board(state)] = (*actions, action)
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
    is_double = len(set(position.dice)) == 1
    theirs = results(state.clone(), is_double, set())  # taking back half of a double miscounts OpenSpiel's turns
    afters = [rules.play(position, move) for move in rules.moves(position)]
    ours = dict(zip(boards(afters), afters, strict=True))
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
    assert play_games(rules, GAMES, random.Random(1)) > 10_000


@pytest.mark.deep
def test_thousands_of_random_games_have_the_same_results_of_every_roll(rules: Backgammon) -> None:
    assert play_games(rules, MANY, random.Random(2)) > 200_000
