"""The backgammon engine: a network, exact bear-offs, and lookahead on the plays that are close.

NumPy and Numba are imported on first use, because engines are created long before they are asked for a move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.rules import Rules
from ludus.engines.engine import OWN_LIMIT, Limit, Line, noticed, roll
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Move

if TYPE_CHECKING:
    from ludus.engines.backgammon.lookahead import Afterstate, Lookahead
    from ludus.engines.backgammon.network import Chances

BackgammonRules = Rules[Position, Move]

MAX_DEPTH: Final = 2
"""Rolls ahead."""


class MoveFilter(NamedTuple):
    """Which plays are searched deeper: at most `candidates`, none further than `margin` points behind the best."""

    candidates: int
    margin: float


MOVE_FILTERS: Final = (MoveFilter(8, 0.12), MoveFilter(4, 0.04))
"""For one roll ahead, and for two."""


MIN_LINES: Final = 2
"""Plays that an analysis compares, if there are that many."""


class Candidate(NamedTuple):
    """A play and its chances so far; `noise` is the error a weaker player makes about it."""

    play: Move
    afterstate: Afterstate
    chances: Chances
    noise: float
    is_exact: bool
    depth: int = 0

    @property
    def score(self) -> float:
        return self.chances.equity + self.noise


@dataclass(frozen=True)
class BackgammonPlayer:
    """Looks `depth` rolls ahead at `candidates` plays, within `nodes`; a caller's limit can only lower these.

    `noise` is the standard deviation of the error added to each equity. It overlooks a share `oversight` of the plays,
    never all of them. `weights` names a file for the network.
    """

    depth: int = MAX_DEPTH
    nodes: int | None = None
    noise: float = 0.0
    oversight: float = 0.0
    candidates: int = 8
    weights: str | None = None

    def choose(
        self, rules: BackgammonRules, position: Position, limit: Limit, rng: Random, past: Sequence[Position] = ()
    ) -> Move:
        if not position.dice:
            return roll(rules, position, rng)
        plays = noticed(rules.moves(position), self.oversight, rng)
        noise = [rng.gauss(0, self.noise) if self.noise else 0.0 for _ in plays]
        return plays[0] if len(plays) == 1 else self._ranked(rules, position, plays, limit, noise, 1)[0][0].play

    def analyse(
        self,
        rules: BackgammonRules,
        position: Position,
        limit: Limit = OWN_LIMIT,
        past: Sequence[Position] = (),
        lines: int = 5,
    ) -> tuple[Line[Move], ...]:
        """The best plays after the roll; for a position before it, see `analyse_before_roll`.

        All are searched to the same depth. If the limit cuts that short, those searched deeper come first.
        """
        if not position.dice or not (plays := rules.moves(position)):
            return ()
        candidates, nodes = self._ranked(rules, position, plays, limit, [0.0] * len(plays), max(lines, MIN_LINES))
        return tuple(_line(candidate, nodes) for candidate in candidates[:lines])

    def analyse_before_roll(self, position: Position, limit: Limit = OWN_LIMIT) -> Line[None]:
        """The chances of the side to roll, searched as deep as the limit allows; the line has no move."""
        from ludus.engines.backgammon.lookahead import Afterstate, flipped, thread_lookahead

        lookahead, afterstate, reached = thread_lookahead(self.weights), Afterstate(position.other, position.own), 0
        with lookahead.within(self._bounded(limit)):
            chances = lookahead.evaluate([afterstate])[0]
            for depth in range(1, 1 if afterstate.is_exact else self._depth(limit) + 1):
                if (found := lookahead.search(afterstate, depth)) is None:
                    break
                chances, reached = found, depth
            own = flipped(chances)
            return Line(None, own.equity, (), afterstate.is_exact, own, reached, lookahead.nodes)

    def evaluate(self, position: Position, limit: Limit = OWN_LIMIT) -> Chances:
        """The chances of the side to roll."""
        from ludus.engines.backgammon.network import Chances

        return Chances(*self.analyse_before_roll(position, limit).chances)

    def _ranked(
        self,
        rules: BackgammonRules,
        position: Position,
        plays: Sequence[Move],
        limit: Limit,
        noise: Sequence[float],
        least: int,
    ) -> tuple[list[Candidate], int]:
        """These plays, best first, and the nodes evaluated; the best `least` are always compared."""
        from ludus.engines.backgammon.lookahead import thread_lookahead

        lookahead, deepest = thread_lookahead(self.weights), self._depth(limit)
        with lookahead.within(self._bounded(limit)):
            candidates = _evaluated(lookahead, rules, position, plays, noise)
            for depth in range(1, deepest + 1):
                candidates = _searched(lookahead, candidates, depth, self._filtered(candidates, depth, least))
            return candidates, lookahead.nodes

    def _depth(self, limit: Limit) -> int:
        return min(self.depth, MAX_DEPTH, MAX_DEPTH if limit.depth is None else limit.depth)

    def _bounded(self, limit: Limit) -> Limit:
        bounds = [nodes for nodes in (self.nodes, limit.nodes) if nodes is not None]
        return limit._replace(nodes=min(bounds, default=None))

    def _filtered(self, candidates: list[Candidate], depth: int, least: int) -> list[Candidate]:
        """The plays that pass the filter for this depth; the best `least` always do."""
        most, margin = MOVE_FILTERS[depth - 1]
        first = candidates[: max(min(most, self.candidates), least)]
        equal = [candidate for candidate in first if candidate.depth == depth - 1]
        bar = candidates[0].score - margin
        return [candidate for i, candidate in enumerate(equal) if i < least or candidate.score >= bar]


def _evaluated(
    lookahead: Lookahead, rules: BackgammonRules, position: Position, plays: Sequence[Move], noise: Sequence[float]
) -> list[Candidate]:
    from ludus.engines.backgammon.lookahead import Afterstate

    afterstates = [Afterstate(next_.other, next_.own) for next_ in (rules.play(position, play) for play in plays)]
    found = zip(plays, afterstates, lookahead.evaluate(afterstates), noise, strict=True)
    return _sorted([Candidate(*parts, parts[1].is_exact) for parts in found])


def _searched(
    lookahead: Lookahead, candidates: list[Candidate], depth: int, filtered: list[Candidate]
) -> list[Candidate]:
    """All candidates, the filtered ones searched to this depth as far as the limit allows.

    A single play that passes the filter has won already, unless it is the only legal one: then its value is wanted.
    """
    if len(filtered) <= 1 < len(candidates) or all(candidate.is_exact for candidate in filtered):
        return candidates
    searched = []
    for candidate in filtered:
        chances = candidate.chances if candidate.is_exact else lookahead.search(candidate.afterstate, depth)
        if chances is None:
            break
        searched.append(candidate._replace(chances=chances, depth=depth))
    return _sorted(searched) + candidates[len(searched) :]


def _sorted(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: candidate.score, reverse=True)


def _line(candidate: Candidate, nodes: int) -> Line[Move]:
    chances, play = candidate.chances, candidate.play
    return Line(play, chances.equity, (play,), candidate.is_exact, chances, candidate.depth, nodes)
