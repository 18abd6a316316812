"""Who chooses a play of backgammon: a network's judgement, exact bear-offs, and a further look at what is close.

NumPy and Numba are imported with the first question, since a player is named long before it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.rules import Rules
from ludus.engines.engine import OWN_LIMIT, Limit, Line, roll
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Move

if TYPE_CHECKING:
    from ludus.engines.backgammon.lookahead import After, Lookahead
    from ludus.engines.backgammon.network import Chances

DEEPEST: Final = 2
"""Rolls that can be looked ahead."""


class Filter(NamedTuple):
    """Which plays get a deeper look: so many at most, and none that seems further behind the best, in points."""

    most: int
    margin: float


FILTERS: Final = (Filter(8, 0.12), Filter(4, 0.04))
"""Before looking one roll ahead, and two."""


LEAST_LINES: Final = 2
"""Plays that an analysis compares, if there are so many."""


class Option(NamedTuple):
    """A play and what is known of it so far; `whim` is what a fallible player adds to its worth."""

    play: Move
    after: After
    chances: Chances
    whim: float
    is_exact: bool
    depth: int = 0

    @property
    def liking(self) -> float:
        return self.chances.equity + self.whim


@dataclass(frozen=True)
class BackgammonPlayer:
    """Looks `depth` rolls ahead at so many `candidates`, within so many `nodes`; a limit means less, never more.

    Its likings are off by `noise` points or so. `weights` names a file of your own for the network.
    """

    depth: int = DEEPEST
    nodes: int | None = None
    noise: float = 0.0
    candidates: int = 8
    weights: str | None = None

    def choose(
        self,
        rules: Rules[Position, Move],
        position: Position,
        limit: Limit,
        rng: Random,
        past: Sequence[Position] = (),
    ) -> Move:
        if not position.dice:
            return roll(rules, position, rng)
        plays = rules.moves(position)
        whims = [rng.gauss(0, self.noise) if self.noise else 0.0 for _ in plays]
        return plays[0] if len(plays) == 1 else self._rank(rules, position, limit, whims, 1)[0][0].play

    def analyse(
        self,
        rules: Rules[Position, Move],
        position: Position,
        limit: Limit = OWN_LIMIT,
        past: Sequence[Position] = (),
        lines: int = 5,
    ) -> tuple[Line[Move], ...]:
        """The best plays once the dice are rolled; `prospects` is for before.

        All of them are looked at equally far ahead. Where a limit cuts this short, those seen further come first.
        """
        if not position.dice or not (plays := rules.moves(position)):
            return ()
        options, nodes = self._rank(rules, position, limit, [0.0] * len(plays), max(lines, LEAST_LINES))
        return tuple(_line(option, nodes) for option in options[:lines])

    def prospects(self, position: Position, limit: Limit = OWN_LIMIT) -> Line[None]:
        """What the side to roll may hope for before it does, as far ahead as the limit lets it; it has no move."""
        from ludus.engines.backgammon.lookahead import After, own_lookahead, turned

        lookahead, after, reached = own_lookahead(self.weights), After(position.other, position.own), 0
        with lookahead.within(self._bounded(limit)):
            chances = lookahead.judge([after])[0]
            for depth in range(1, 1 if after.is_exact else self._depth(limit) + 1):
                if (found := lookahead.look(after, depth)) is None:
                    break
                chances, reached = found, depth
            hoped = turned(chances)
            return Line(None, hoped.equity, (), after.is_exact, hoped, reached, lookahead.nodes)

    def evaluate(self, position: Position, limit: Limit = OWN_LIMIT) -> Chances:
        """The same as chances alone."""
        from ludus.engines.backgammon.network import Chances

        return Chances(*self.prospects(position, limit).chances)

    def _rank(
        self, rules: Rules[Position, Move], position: Position, limit: Limit, whims: Sequence[float], least: int
    ) -> tuple[list[Option], int]:
        """All plays, the best first, and how many positions were looked at; `least` are always compared."""
        from ludus.engines.backgammon.lookahead import own_lookahead

        lookahead, deepest = own_lookahead(self.weights), self._depth(limit)
        with lookahead.within(self._bounded(limit)):
            options = _judged(lookahead, rules, position, whims)
            for depth in range(1, deepest + 1):
                options = _looked_at(lookahead, options, depth, self._near(options, depth, least))
            return options, lookahead.nodes

    def _depth(self, limit: Limit) -> int:
        return min(self.depth, DEEPEST, DEEPEST if limit.depth is None else limit.depth)

    def _bounded(self, limit: Limit) -> Limit:
        bounds = [nodes for nodes in (self.nodes, limit.nodes) if nodes is not None]
        return limit._replace(nodes=min(bounds, default=None))

    def _near(self, options: list[Option], depth: int, least: int) -> list[Option]:
        """Which plays pass the filter for a look so many rolls ahead; the best `least` pass whatever it says."""
        most, margin = FILTERS[depth - 1]
        first = options[: max(min(most, self.candidates), least)]
        equal = [option for option in first if option.depth == depth - 1]
        return [option for i, option in enumerate(equal) if i < least or option.liking >= options[0].liking - margin]


def _judged(
    lookahead: Lookahead, rules: Rules[Position, Move], position: Position, whims: Sequence[float]
) -> list[Option]:
    from ludus.engines.backgammon.lookahead import After

    plays = rules.moves(position)
    afters = [After(next_.other, next_.own) for next_ in (rules.play(position, play) for play in plays)]
    judged = zip(plays, afters, lookahead.judge(afters), whims, strict=True)
    return _sorted([Option(*parts, parts[1].is_exact) for parts in judged])


def _looked_at(lookahead: Lookahead, options: list[Option], depth: int, near: list[Option]) -> list[Option]:
    """The same with a deeper look at those nearest to the best, as far as the limit lets it.

    One that is alone near the best has won already, unless it is the only play: its worth is wanted then.
    """
    if len(near) <= 1 < len(options) or all(option.is_exact for option in near):
        return options
    seen = []
    for option in near:
        chances = option.chances if option.is_exact else lookahead.look(option.after, depth)
        if chances is None:
            break
        seen.append(option._replace(chances=chances, depth=depth))
    return _sorted(seen) + options[len(seen) :]


def _sorted(options: list[Option]) -> list[Option]:
    return sorted(options, key=lambda option: option.liking, reverse=True)


def _line(option: Option, nodes: int) -> Line[Move]:
    chances, play = option.chances, option.play
    return Line(play, chances.equity, (play,), option.is_exact, chances, option.depth, nodes)
