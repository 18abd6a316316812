"""Random games of backgammon played side by side with OpenSpiel's.

It agrees on every set of results. It splits a double into two turns of two steps and lists the orders of a play
separately, so boards are compared, not moves.
"""

from __future__ import annotations

import random
import re

import pyspiel
import pytest

from ludus import Player, Turn
from ludus.games.backgammon.position import Position, Roll
from ludus.games.backgammon.rules import Backgammon

GAMES = 60
Board = tuple[tuple[int, ...], tuple[int, ...]]


@pytest.fixture(scope="module")
def rules() -> Backgammon:
    return Backgammon().compiled()


def men_of(state: pyspiel.State, player: int) -> tuple[int, ...]:
    """As `Men.counts`. X, the first player, walks up OpenSpiel's board; O walks down."""
    points = [state.board(player, i) for i in range(24)]
    off = int(re.findall(r"[XO]: (\d+)", str(state))[player])
    return (off, *(points if player else points[::-1]), 15 - off - sum(points))


def board(state: pyspiel.State) -> Board:
    return men_of(state, 0), men_of(state, 1)


def results(state: pyspiel.State) -> dict[Board, pyspiel.State]:
    """The states at the end of this turn, by their boards; after two steps of a double the turn goes on."""
    player = state.current_player()
    afters = {board(after): after for after in map(state.child, state.legal_actions())}
    ends: dict[Board, pyspiel.State] = {}
    for key, after in afters.items():
        is_half = not after.is_terminal() and after.current_player() == player
        ends |= results(after) if is_half else {key: after}
    return ends


def roll(state: pyspiel.State, rng: random.Random) -> Roll:
    """A roll for both; the opening's die order is OpenSpiel's."""
    actions, weights = zip(*state.chance_outcomes(), strict=True)
    (action,) = rng.choices(actions, weights)
    text = state.action_to_string(action)
    one, two = sorted(map(int, re.findall(r"roll: (\d)(\d)", text)[0]), reverse=True)
    state.apply_action(action)
    return Roll(two, one) if "O starts" in text else Roll(one, two)


def play_turn(
    rules: Backgammon, position: Position, state: pyspiel.State, rng: random.Random
) -> tuple[Position, pyspiel.State]:
    theirs = results(state)
    ours = {
        (after.white.counts, after.black.counts): after
        for after in (rules.play(position, m) for m in rules.moves(position))
    }
    assert set(ours) == set(theirs)
    chosen = rng.choice(list(ours))
    return ours[chosen], theirs[chosen]


def test_random_games_have_the_same_results_of_every_roll(rules: Backgammon) -> None:
    rng = random.Random(1)
    game = pyspiel.load_game("backgammon(scoring_type=full_scoring)")
    for _ in range(GAMES):
        position, state = rules.variants["standard"], game.new_initial_state()
        while rules.turn(position) is not Turn.OVER:
            if rules.turn(position) is Turn.DICE:
                position = rules.play(position, roll(state, rng))
            else:
                position, state = play_turn(rules, position, state, rng)
        outcome = rules.outcome(position)
        assert outcome is not None
        assert state.is_terminal()
        assert state.returns()[Player(outcome.winner or 0)] == outcome.points
