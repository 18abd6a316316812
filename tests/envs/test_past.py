"""What a batch remembers of a game is what the rules' record has."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from ludus import GAMES, Game
from ludus.envs.batched.checkers import kings_key
from ludus.envs.batched.cpu import CpuBatch
from ludus.envs.opponents import actions_of
from ludus.envs.past import CUT_OFF, kings_of, past_of
from ludus.games.checkers.kernel import DARK


def past(batch: CpuBatch) -> tuple[Any, ...]:
    return past_of(batch.game, batch._state[:, 0].tolist(), batch._history.tolist())


def advance(game: Game[Any, Any], batch: CpuBatch, rng: Random) -> None:
    """A random move, a quiet one where there is any, so that kings walk about for long."""
    moves = game.legal_moves()
    quiet = [move for move in moves if game.rules.play(game.position, move).quiet]
    move = rng.choice(quiet or moves)
    for action in actions_of(game.position, move):
        batch.step(np.array([action]))
    game.play(move)


def test_the_past_is_that_of_the_record_from_the_first_move_to_the_last() -> None:
    batch, rng, longest, movers = CpuBatch("checkers", 1, seed=1), Random(4), 0, set()
    for _ in range(40):
        game: Game[Any, Any] = Game(GAMES["checkers"])
        while not game.outcome:
            told = past(batch)
            assert told == tuple(game.positions[-game.position.quiet - 1 : -1])
            longest = max(longest, len(told))
            movers |= {position.mover for position in told}
            advance(game, batch, rng)
    assert longest > 30
    assert len(movers) == 2


def test_kings_are_read_from_their_key_on_every_square() -> None:
    squares = [1 << bit for bit in range(64) if DARK >> bit & 1]
    for mine in squares:
        for theirs in squares:
            if mine != theirs:
                assert kings_of(kings_key(mine, theirs), 1) == (mine, theirs)
    assert CUT_OFF in squares


def test_without_kings_and_at_backgammon_there_is_no_past() -> None:
    for name in GAMES:
        batch = CpuBatch(name, 1, seed=1)
        batch.step()
        assert past(batch) == ()
