"""Random games of checkers played side by side with OpenSpiel's.

It agrees on every legal move. Three things differ by design: it plays a chain one jump at a time, its first player sits
at the bottom, and it calls a game drawn after forty moves without a capture, whatever moved.
"""

from __future__ import annotations

import random

import pyspiel
import pytest

from ludus import Turn
from ludus.envs.checkers.openspiel import NAMES
from ludus.games.checkers.position import Move, Position
from ludus.games.checkers.rules import Checkers

pytestmark = pytest.mark.slow

GAMES = 3_000


@pytest.fixture(scope="module")
def rules() -> Checkers:
    return Checkers().compiled()


def next_hops(moves: tuple[Move, ...], done: tuple[int, ...]) -> set[str]:
    n = len(done)
    return {NAMES[m.path[n - 1]] + NAMES[m.path[n]] for m in moves if m.path[:n] == done and len(m.path) > n}


def play_move(state: pyspiel.State, moves: tuple[Move, ...], move: Move) -> None:
    """Makes the move hop by hop, comparing the legal hops before each."""
    for n in range(1, len(move.path)):
        starts = {m.origin for m in moves} if n == 1 else {move.origin}
        ours = {hop for start in starts for hop in next_hops(moves, (start, *move.path[1:n]))}
        theirs = {state.action_to_string(action): action for action in state.legal_actions()}
        assert ours == set(theirs)
        state.apply_action(theirs[NAMES[move.path[n - 1]] + NAMES[move.path[n]]])


def play_game(rules: Checkers, rng: random.Random) -> tuple[Position, int, pyspiel.State]:
    position, state, idle = rules.variants["standard"], pyspiel.load_game("checkers").new_initial_state(), 0
    while not state.is_terminal() and rules.turn(position) is not Turn.OVER:
        assert state.current_player() == position.mover
        moves = rules.moves(position)
        move = rng.choice(moves)
        play_move(state, moves, move)
        position = rules.play(position, move)
        idle = 0 if move.captures else idle + 1
    return position, idle, state


def test_random_games_have_the_same_moves_and_winners(rules: Checkers) -> None:
    rng = random.Random(1)
    decided = 0
    for _ in range(GAMES):
        position, idle, state = play_game(rules, rng)
        assert state.is_terminal()
        outcome = rules.outcome(position)
        if outcome is None:
            assert idle >= 40
            assert state.returns() == [0, 0]
        elif outcome.winner is not None:
            decided += 1
            assert state.returns()[outcome.winner] == 1
    assert decided > GAMES // 2
