"""Looking ahead as Python asks for it: plays in, chances out, within a limit."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from ludus.core.kernel import compiled
from ludus.engines.backgammon import survey
from ludus.engines.backgammon.bearoff import is_exact
from ludus.engines.backgammon.network import Chances, Network
from ludus.engines.backgammon.network.inference import OUTCOMES
from ludus.engines.backgammon.tables import tables
from ludus.engines.engine import Limit
from ludus.games.backgammon.kernel import MOST_PLAYS, WORDS
from ludus.games.backgammon.position import Men

DEEPEST: Final = 2
"""Rolls ahead."""
SLOTS: Final = 1 << 13
"""Of the memory for positions looked at before."""
NO_END: Final = 1 << 62


class After(NamedTuple):
    """Both sides' men after a play, the mover's first."""

    own: Men
    other: Men

    @property
    def is_exact(self) -> bool:
        """Whether what is said of it is proven: the game is over, or the table of pairs tells."""
        return bool(is_exact(*self.other, *self.own))  # NumPy has a truth of its own, which JSON does not know


class Lookahead:
    """For one thread at a time: what plays are worth, at once or after the rolls that may follow.

    All that takes time once is done when it is made, lest it be taken from a limit of seconds later on.
    """

    def __init__(self, network: Network) -> None:
        self._look: Any = compiled(survey).look
        self._model = (*network.weights, *network.weights.scratch())
        self._plays = np.zeros(MOST_PLAYS * WORDS, np.int64)
        self._out = np.zeros(MOST_PLAYS * OUTCOMES)
        self._stack = np.zeros((DEEPEST, survey.LEVEL_WORDS), np.int64)
        self._sums = np.zeros((DEEPEST, OUTCOMES))
        self._keys = np.zeros((SLOTS, survey.KEYS), np.int64)
        self._known = np.zeros((SLOTS, OUTCOMES))
        self._state = np.zeros(3, np.int64)
        self._tables = tables()
        self._run(0, 0)

    @property
    def nodes(self) -> int:
        """Positions looked at since the limit was set."""
        return int(self._state[survey.SEEN])

    @contextmanager
    def within(self, limit: Limit) -> Iterator[None]:
        """All that is asked here together keeps to the limit; its depth is up to who asks."""
        self._state[:] = 0, 0, NO_END if limit.nodes is None else limit.nodes
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
        self._state[survey.STOP] = 1

    def judge(self, afters: Sequence[After]) -> list[Chances]:
        """What each play leaves to the side that has made it, at first sight; this is done whatever the limit."""
        for i, after in enumerate(afters):
            self._put(i, after)
        self._run(len(afters), 0)
        return [self._chances(i) for i in range(len(afters))]

    def look(self, after: After, depth: int) -> Chances | None:
        """The same after so many rolls; None if the limit came first."""
        self._put(0, after)
        return self._chances(0) if self._run(1, depth) else None

    def _put(self, i: int, after: After) -> None:
        self._plays[i * WORDS : i * WORDS + 4] = (*after.own, *after.other)

    def _run(self, number: int, depth: int) -> bool:
        return bool(
            self._look(
                self._out, self._plays, number, depth, self._state, self._stack, self._sums, self._keys,
                self._known, self._tables, self._model,
            )
        )  # fmt: skip

    def _chances(self, i: int) -> Chances:
        """Turned round: the kernel tells those of the side that rolls next."""
        _, lost_gammon, lost_backgammon, won, gammon, backgammon = self._out[i * OUTCOMES : (i + 1) * OUTCOMES].tolist()
        win = min(won + gammon + backgammon, 1.0)
        loss = max(1.0 - win, 0.0)
        return Chances(
            win,
            min(gammon + backgammon, win),
            min(backgammon, win),
            min(lost_gammon + lost_backgammon, loss),
            min(lost_backgammon, loss),
        )


def turned(chances: Chances) -> Chances:
    """The same as the other side sees them."""
    win, gammon, backgammon, lost_gammon, lost_backgammon = chances
    return Chances(1 - win, lost_gammon, lost_backgammon, gammon, backgammon)


@cache
def _network(path: str | None) -> Network:
    return Network.load(path)


_local = threading.local()


def own_lookahead(path: str | None = None) -> Lookahead:
    """The one of this thread, with the weights of a file or of the package."""
    found: dict[str | None, Lookahead] = _local.__dict__.setdefault("lookaheads", {})
    if path not in found:
        found[path] = Lookahead(_network(path))
    return found[path]
