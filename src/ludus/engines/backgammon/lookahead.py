"""Evaluation and lookahead as Python calls them: plays in, chances out, within a limit."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from ludus.core.kernel import compiled
from ludus.engines.backgammon import expectimax
from ludus.engines.backgammon.bearoff import is_exact
from ludus.engines.backgammon.network import Chances, Network
from ludus.engines.backgammon.network.inference import OUTCOMES
from ludus.engines.backgammon.network.network import new_activations
from ludus.engines.backgammon.tables import bearoff_tables
from ludus.engines.engine import Limit
from ludus.games.backgammon.kernel import MOST_PLAYS, WORDS
from ludus.games.backgammon.position import Men

MAX_DEPTH: Final = 2
"""Rolls ahead."""
CACHE_SLOTS: Final = 1 << 13
UNLIMITED: Final = 1 << 62


class Afterstate(NamedTuple):
    """Both sides' men after a play, the mover's first."""

    own: Men
    other: Men

    @property
    def is_exact(self) -> bool:
        """Whether its chances are exact: the game is over, or the two-sided bear-off table has it."""
        return bool(is_exact(*self.other, *self.own))  # not NumPy's bool, which JSON can't encode


class Lookahead:
    """Evaluates plays, statically or after the rolls that may follow. Not thread-safe.

    The constructor compiles and loads everything, so that no time limit has to pay for it.
    """

    def __init__(self, network: Network) -> None:
        self._expectimax: Any = compiled(expectimax).expectimax
        self._model = (bearoff_tables(), network.weights, new_activations(network.weights))
        self._work = expectimax.Work(
            plays=np.zeros(MOST_PLAYS * WORDS, np.int64),
            out=np.zeros(MOST_PLAYS * OUTCOMES),
            control=np.zeros(3, np.int64),
            stack=np.zeros((MAX_DEPTH, expectimax.LEVEL_WORDS), np.int64),
            sums=np.zeros((MAX_DEPTH, OUTCOMES)),
            cache_keys=np.zeros((CACHE_SLOTS, expectimax.KEY_WORDS), np.int64),
            cache_values=np.zeros((CACHE_SLOTS, OUTCOMES)),
        )
        self._run(0, 0)

    @property
    def nodes(self) -> int:
        """Positions evaluated since the limit was set."""
        return int(self._work.control[expectimax.NODES])

    @contextmanager
    def within(self, limit: Limit) -> Iterator[None]:
        """All calls in this context share the limit's nodes and seconds; its depth is the caller's business."""
        self._work.control[:] = 0, 0, UNLIMITED if limit.nodes is None else limit.nodes
        if limit.seconds is None:
            yield
            return
        timer = threading.Timer(limit.seconds, self._stop)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()

    def _stop(self) -> None:
        self._work.control[expectimax.STOP] = 1

    def evaluate(self, afterstates: Sequence[Afterstate]) -> list[Chances]:
        """Static chances of the side that has just played, whatever the limit."""
        for i, afterstate in enumerate(afterstates):
            self._put(i, afterstate)
        self._run(len(afterstates), 0)
        return [self._chances(i) for i in range(len(afterstates))]

    def search(self, afterstate: Afterstate, depth: int) -> Chances | None:
        """The same, `depth` rolls ahead; None if the limit came first."""
        self._put(0, afterstate)
        return self._chances(0) if self._run(1, depth) else None

    def _put(self, i: int, afterstate: Afterstate) -> None:
        self._work.plays[i * WORDS : i * WORDS + 4] = (*afterstate.own, *afterstate.other)

    def _run(self, number: int, depth: int) -> bool:
        return bool(self._expectimax(self._work, number, depth, *self._model))

    def _chances(self, i: int) -> Chances:
        """Flipped: the kernel's are those of the side to roll."""
        outcomes = self._work.out[i * OUTCOMES : (i + 1) * OUTCOMES].tolist()
        _, lost_gammon, lost_backgammon, won, gammon, backgammon = outcomes
        win = min(won + gammon + backgammon, 1.0)
        loss = max(1.0 - win, 0.0)
        return Chances(
            win,
            min(gammon + backgammon, win),
            min(backgammon, win),
            min(lost_gammon + lost_backgammon, loss),
            min(lost_backgammon, loss),
        )


def flipped(chances: Chances) -> Chances:
    """The same chances for the other side."""
    win, gammon, backgammon, lost_gammon, lost_backgammon = chances
    return Chances(1 - win, lost_gammon, lost_backgammon, gammon, backgammon)


@cache
def _network(path: str | None) -> Network:
    return Network.load(path)


_local = threading.local()


def thread_lookahead(path: str | None = None) -> Lookahead:
    """The calling thread's, with the weights of a file or of the package."""
    found: dict[str | None, Lookahead] = _local.__dict__.setdefault("lookaheads", {})
    if path not in found:
        found[path] = Lookahead(_network(path))
    return found[path]
