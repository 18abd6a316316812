"""Evaluation and lookahead as Python calls them: plays in, chances out, within a limit."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.kernel import compiled
from ludus.engines.backgammon import expectimax
from ludus.engines.backgammon.bearoff import is_exact
from ludus.engines.backgammon.network import Chances, Network
from ludus.engines.backgammon.network.inference import OUTCOMES
from ludus.engines.backgammon.network.network import new_activations
from ludus.engines.backgammon.tables import bearoff_tables
from ludus.engines.engine import Limit
from ludus.games.backgammon import kernel
from ludus.games.backgammon.kernel import MOST_PLAYS, WORDS
from ludus.games.backgammon.position import Men

MAX_DEPTH: Final = 2
"""Rolls ahead."""
CACHE_SLOTS: Final = 1 << 13
UNLIMITED: Final = 1 << 62
POINTS: Final = (1.0, 2.0, 3.0, 1.0, 2.0, 3.0)
"""The payoffs of a game without a cube: what is won with a single game, gammon and backgammon, then what is lost."""
WEIGHTS: Final = np.array([1 if one == two else 2 for one, two in map(expectimax.dice, range(expectimax.ROLLS))]) / 36
"""The probabilities of the rolls, in the kernel's order."""

FLIPPED: Final = (3, 4, 5, 0, 1, 2)
"""The order of the six chances as the other side sees them."""

Outcomes = NDArray[np.float64]
"""Rows of six chances: of exactly a win, a gammon and a backgammon, then of the same losses."""


class Afterstate(NamedTuple):
    """Both sides' men after a play, the mover's first."""

    own: Men
    other: Men

    @property
    def is_exact(self) -> bool:
        """Whether its chances are exact: the game is over, or the two-sided bear-off table has it."""
        return bool(is_exact(*self.other, *self.own))  # not NumPy's bool, which JSON can't encode


class Answers(NamedTuple):
    """The best answers to the 21 rolls, in the kernel's order: the positions after them and the roller's chances."""

    afters: NDArray[np.int64]
    outcomes: Outcomes

    @property
    def mean(self) -> Outcomes:
        """The roller's chances before the roll."""
        found: Outcomes = WEIGHTS @ self.outcomes
        return found

    def after(self, roll: int) -> Afterstate:
        low, high, other_low, other_high = self.afters[roll].tolist()
        return Afterstate(Men(other_low, other_high), Men(low, high))


class Lookahead:
    """Evaluates plays, statically or after the rolls that may follow. Not thread-safe.

    The constructor compiles and loads everything, so that no time limit has to pay for it.
    """

    def __init__(self, network: Network) -> None:
        self._expectimax: Any = compiled(expectimax).expectimax
        self._write_plays: Any = compiled(kernel).write_plays
        self._model = (bearoff_tables(), network.weights, new_activations(network.weights))
        self._work = expectimax.Work(
            plays=np.zeros(MOST_PLAYS * WORDS, np.int64),
            out=np.zeros(MOST_PLAYS * OUTCOMES),
            control=np.zeros(3, np.int64),
            stack=np.zeros((MAX_DEPTH, expectimax.LEVEL_WORDS), np.int64),
            sums=np.zeros((MAX_DEPTH, OUTCOMES)),
            cache_keys=np.zeros((CACHE_SLOTS, expectimax.KEY_WORDS), np.int64),
            cache_values=np.zeros((CACHE_SLOTS, OUTCOMES)),
            payoffs=np.array([POINTS, POINTS]),
            roll_afters=np.zeros((expectimax.ROLLS, 4), np.int64),
            roll_chances=np.zeros((expectimax.ROLLS, OUTCOMES)),
        )
        self._run(0, 0)

    @property
    def nodes(self) -> int:
        """Positions evaluated since the limit was set."""
        return int(self._work.control[expectimax.NODES])

    @contextmanager
    def within(self, limit: Limit, payoffs: tuple[float, ...] = POINTS) -> Iterator[None]:
        """All calls in this context share the limit's nodes and seconds; the caller applies its depth.

        The payoffs, by which answers are chosen, are those of the side that has just played.
        """
        self._set_payoffs(np.array([payoffs, payoffs[3:] + payoffs[:3]]))
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

    def _set_payoffs(self, payoffs: NDArray[np.float64]) -> None:
        """Sets the payoffs. If they change, clears the cache, whose answers were chosen by the old ones."""
        if (payoffs != self._work.payoffs).any():
            self._work.payoffs[:] = payoffs
            self._work.cache_keys[:] = 0

    def _stop(self) -> None:
        self._work.control[expectimax.STOP] = 1

    def evaluate(self, afterstates: Sequence[Afterstate]) -> list[Chances]:
        """Static chances of the side that has just played, whatever the limit."""
        for i, afterstate in enumerate(afterstates):
            self._put(i, afterstate)
        self._run(len(afterstates), 0)
        return [self._chances(i) for i in range(len(afterstates))]

    def search(self, afterstate: Afterstate, depth: int) -> Chances | None:
        """The same, `depth` rolls ahead; None if the limit was reached first."""
        self._put(0, afterstate)
        return self._chances(0) if self._run(1, depth) else None

    def outcomes(self, afterstate: Afterstate, depth: int = 0) -> Outcomes | None:
        """The six chances of the side to roll after a play; None if the limit was reached first."""
        self._put(0, afterstate)
        return self._work.out[:OUTCOMES].copy() if self._run(1, depth) else None

    def answers(self, afterstate: Afterstate, depth: int = 0) -> Answers | None:
        """The answers to a play, for each roll, valued `depth` rolls ahead; None if the limit was reached first."""
        self._put(0, afterstate)
        if not self._run(1, depth + 1):
            return None
        return Answers(self._work.roll_afters.copy(), self._work.roll_chances[:, FLIPPED])

    def best_reply(self, own: Men, other: Men, dice: tuple[int, int], weights: Any) -> tuple[Afterstate, Chances]:
        """The play of a roll that leaves the other side the least, if the six outcomes have these weights.

        `own` are the men of the side to roll; the chances are those of the other side, which rolls next.
        """
        work = self._work
        number = self._write_plays(work.plays, 0, *own, *other, *dice)
        self._run(number, 0)
        best = int((work.out[: OUTCOMES * number].reshape(number, OUTCOMES) @ weights).argmin())
        low, high, other_low, other_high = work.plays[best * WORDS : best * WORDS + 4].tolist()
        return Afterstate(Men(low, high), Men(other_low, other_high)), flipped(self._chances(best))

    @property
    def is_stopped(self) -> bool:
        """Whether the limit has been reached."""
        stop, nodes, limit = self._work.control.tolist()
        return bool(stop or nodes > limit)

    def _put(self, i: int, afterstate: Afterstate) -> None:
        self._work.plays[i * WORDS : i * WORDS + 4] = (*afterstate.own, *afterstate.other)

    def _run(self, number: int, depth: int) -> bool:
        return bool(self._expectimax(self._work, number, depth, *self._model))

    def _chances(self, i: int) -> Chances:
        """The chances after a play, flipped, since the kernel's are those of the side to roll."""
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
    """The calling thread's `Lookahead`, with the weights of a file or of the package."""
    found: dict[str | None, Lookahead] = _local.__dict__.setdefault("lookaheads", {})
    if path not in found:
        found[path] = Lookahead(_network(path))
    return found[path]
