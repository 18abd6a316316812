"""The history of a batch is what the rules' record has."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from ludus import GAMES, Game
from ludus.envs.batched.cpu import CpuBatch
from ludus.envs.checkers.encoding import DROPPED, CheckersEncoding, decode_kings
from ludus.envs.checkers.kernel import kings_key
from ludus.envs.encoding import find_encoding
from ludus.games.checkers.kernel import DARK
from ludus.games.checkers.position import Move

ENCODING = CheckersEncoding()


def history(batch: CpuBatch) -> tuple[Any, ...]:
    return find_encoding(batch.game).decode_history(batch._state[:, 0].tolist(), batch._history.tolist())


def advance(game: Game[Any, Any], batch: CpuBatch, rng: Random) -> None:
    """A random move, quiet if possible, so that kings move about for long."""
    moves = game.legal_moves()
    quiet = [move for move in moves if game.rules.play(game.position, move).quiet]
    move = rng.choice(quiet or moves)
    for action in ENCODING.encode_move(game.position, move):
        batch.step(np.array([action]))
    game.play(move)


def test_the_history_is_that_of_the_record_from_the_first_move_to_the_last() -> None:
    batch, rng, longest, movers = CpuBatch("checkers", 1, seed=1), Random(4), 0, set()
    for _ in range(40):
        game: Game[Any, Any] = Game(GAMES["checkers"])
        while not game.outcome:
            decoded = history(batch)
            assert decoded == tuple(game.positions[-game.position.quiet - 1 : -1])
            longest = max(longest, len(decoded))
            movers |= {position.mover for position in decoded}
            advance(game, batch, rng)
    assert longest > 30
    assert len(movers) == 2


def test_kings_are_read_from_their_key_on_every_square() -> None:
    squares = [1 << bit for bit in range(64) if DARK >> bit & 1]
    for mine in squares:
        for theirs in squares:
            if mine != theirs:
                assert decode_kings(kings_key(mine, theirs), 1) == (mine, theirs)
    assert DROPPED in squares


def test_without_kings_and_in_backgammon_there_is_no_history() -> None:
    for name in ("checkers", "backgammon"):
        batch = CpuBatch(name, 1, seed=1)
        batch.step()
        assert history(batch) == ()


def test_actions_are_seen_from_the_movers_side() -> None:
    start = GAMES["checkers"].variants["standard"]
    assert ENCODING.encode_move(start, Move((11, 15))) == [149]
    after = GAMES["checkers"].play(start, Move((11, 15)))
    assert ENCODING.encode_move(after, Move((22, 18))) == [149]
