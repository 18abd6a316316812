"""Plays a series of games, in this process or in several."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from random import Random
from typing import Any, Final

from ludus.core.errors import BadInput
from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.engines.engine import roll
from ludus.games import GAMES
from ludus.series.contender import ROUND, Contender, find_contender, play_move
from ludus.series.plan import Pair, Plan, Played

AHEAD: Final = 4
"""How many pairs a process may be ahead of the one that is asked for."""

_pairing: Pairing
"""A worker's, set when it starts."""


class Pairing:
    """The two contenders of a plan, looked up once, and their games."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._contenders: tuple[Contender, Contender] = (
            find_contender(plan.contenders[0], plan.game, plan.move_seconds),
            find_contender(plan.contenders[1], plan.game, plan.move_seconds),
        )

    def play(self, pair: int) -> Pair:
        return self._play_game(2 * pair), self._play_game(2 * pair + 1)

    def _play_game(self, number: int) -> Played:
        game = Game(GAMES[self._plan.game], self._plan.variant, tags={ROUND: f"{self._plan.seed}.{number + 1}"})
        dice = self._rng(number // 2, "dice")
        self._play_opening(game, dice, number)
        rngs = [self._rng(number, name) for name in ("one", "two")]
        while _roll_until_player(game, dice) is not Turn.OVER:
            contender = int(game.turn.value) ^ number & 1
            name = self._plan.contenders[contender]
            play_move(self._contenders[contender], name, game, rngs[contender])
        assert game.outcome
        return Played(number, tuple(game.moves), game.outcome)

    def _play_opening(self, game: Game[Any, Any], dice: Random, number: int) -> None:
        rng = self._rng(number // 2, "opening")
        for _ in range(self._plan.opening):
            if _roll_until_player(game, dice) is not Turn.OVER:
                game.play(rng.choice(game.legal_moves()))

    def _rng(self, number: int, purpose: str) -> Random:
        """A generator for each purpose, so that a contender's random choices do not change the dice."""
        return Random(f"{self._plan.seed} {number} {purpose}")


def play(plan: Plan, jobs: int = 1) -> Iterator[Pair]:
    """The pairs in order. Closing the iterator stops the games."""
    plan.check()
    if jobs < 1:
        raise BadInput(f"games cannot be played by {jobs} processes")
    pairing = Pairing(plan)
    if min(jobs, plan.pairs) == 1:
        return map(pairing.play, range(plan.pairs))
    return _play_in_processes(plan, min(jobs, plan.pairs))


def _play_in_processes(plan: Plan, jobs: int) -> Iterator[Pair]:
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_start_worker, initargs=(plan,))
    ahead: deque[Future[Pair]] = deque()
    try:
        for number in range(plan.pairs):
            with _sigint_blocked():
                ahead.append(pool.submit(_play_pair, number))
            if len(ahead) == AHEAD * jobs:
                yield ahead.popleft().result()
        while ahead:
            pair = ahead[0].result()  # removed only afterwards, so that an interruption also ends its worker
            ahead.popleft()
            yield pair
    finally:
        for worker in set(multiprocessing.active_children()) - others if ahead else ():
            worker.terminate()
        pool.shutdown()


@contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Ctrl-C reaches child processes too. Those started here ignore it; the parent ends them and reports."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_worker(plan: Plan) -> None:
    global _pairing
    _pairing = Pairing(plan)


def _play_pair(number: int) -> Pair:
    return _pairing.play(number)


def _roll_until_player(game: Game[Any, Any], dice: Random) -> Turn:
    while game.turn is Turn.DICE:
        game.play(roll(game.rules, game.position, dice))
    return game.turn
