"""The backgammon engine: a network, exact bear-offs, lookahead on the plays that are close, and the cube.

NumPy and Numba are imported on first use, because engines are created long before they are asked for a move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.rules import Rules
from ludus.engines.engine import OWN_LIMIT, Limit, Line, noticed, roll
from ludus.games.backgammon.position import Cube, CubeAction, Position, Stage
from ludus.games.backgammon.rules import Move

if TYPE_CHECKING:
    from ludus.engines.backgammon.cube.equity import CubeDecision
    from ludus.engines.backgammon.cube.score import CubeView
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
"""The filters for one roll ahead and for two."""


MIN_LINES: Final = 2
"""The fewest plays that an analysis compares, if there are that many."""


CUBE_NOISE: Final = 0.5
"""The noise about the cube, as a share of that about plays: who is ahead is easier to see than the best play."""
MOST_NOISE: Final = 1.5
"""The most noise, in standard deviations, so that no level makes an absurd decision about the cube."""


class Candidate(NamedTuple):
    """A play and its chances so far; `noise` is a weaker player's error in judging it.

    `cubeful` is its equity if there is a cube or a match.
    """

    play: Move
    afterstate: Afterstate
    chances: Chances
    noise: float
    is_exact: bool
    cubeful: float | None = None
    depth: int = 0

    @property
    def value(self) -> float:
        return self.chances.equity if self.cubeful is None else self.cubeful

    @property
    def score(self) -> float:
        return self.value + self.noise


@dataclass(frozen=True)
class BackgammonPlayer:
    """Looks `depth` rolls ahead at `candidates` plays, within `nodes`; a caller's limit can only lower these.

    `noise` is the standard deviation of the error added to each equity. It overlooks a share `oversight` of the plays,
    never all of them, and of its chances to double. `weights` names a file for the network.

    With a cube or in a match, equities are cubeful and normalized: winning the cube's present value is 1.
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
            is_cube_action = bool(position.cube) and not rules.chances(position)
            return self._cube_action(position, limit, rng) if is_cube_action else roll(rules, position, rng)
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
        """The best plays after the roll, or the decisions about the cube; else see `analyse_before_roll`.

        All are searched to the same depth. If the limit cuts that short, those searched deeper come first.
        """
        plays = () if rules.chances(position) else rules.moves(position)
        if not plays:
            return ()
        if not position.dice:
            return tuple(sorted(self._cube_lines(position, limit), key=lambda line: line.value, reverse=True))
        candidates, nodes = self._ranked(rules, position, plays, limit, [0.0] * len(plays), max(lines, MIN_LINES))
        return tuple(_line(candidate, nodes) for candidate in candidates[:lines])

    def analyse_before_roll(self, position: Position, limit: Limit = OWN_LIMIT) -> Line[None]:
        """The chances of the side to roll, searched as deep as the limit allows; the line has no move."""
        if has_cube_or_match(position):
            return self._prospects(position, limit)
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

    def decide(self, position: Position, limit: Limit = OWN_LIMIT) -> CubeDecision:
        """The decision about the cube before the roll, or about the open double."""
        from ludus.engines.backgammon.cube.equity import cube_decision

        return cube_decision(position, self._bounded(limit), weights=self.weights, depth=self.depth)

    def evaluate(self, position: Position, limit: Limit = OWN_LIMIT) -> Chances:
        """The chances of the side to roll."""
        from ludus.engines.backgammon.network import Chances

        return Chances(*self.analyse_before_roll(position, limit).chances)

    def _prospects(self, position: Position, limit: Limit) -> Line[None]:
        from ludus.engines.backgammon.lookahead import thread_lookahead

        decision, stage = self.decide(position, limit), position.cube.stage if position.cube else Stage.ROLLING
        values = {
            Stage.ON_ROLL: decision.value,
            Stage.ROLLING: decision.no_double,
            Stage.DOUBLED: decision.doubled,
            Stage.BEAVERED: decision.double_beaver,
        }
        nodes = thread_lookahead(self.weights).nodes
        return Line(None, values[stage], (), decision.is_exact, decision.chances, decision.depth, nodes)

    def _cube_lines(self, position: Position, limit: Limit) -> tuple[Line[Move], ...]:
        """A line for each decision about the cube, with its value to the player who decides."""
        from ludus.engines.backgammon.lookahead import flipped, thread_lookahead

        assert position.cube is not None
        decision, is_answer = self.decide(position, limit), position.cube.stage is Stage.DOUBLED
        chances = flipped(decision.chances) if is_answer else decision.chances
        nodes = thread_lookahead(self.weights).nodes
        return tuple(
            Line(action, value, (action, *reply), decision.is_exact, chances, decision.depth, nodes)
            for action, value, reply in _cube_values(decision, position.cube)
        )

    def _cube_action(self, position: Position, limit: Limit, rng: Random) -> CubeAction:
        """What the player would do about the cube; its errors about it are bounded."""
        assert position.cube is not None
        values = {action: value for action, value, _ in _cube_values(self.decide(position, limit), position.cube)}
        if CubeAction.DOUBLE in values and self.oversight and rng.random() < self.oversight:
            return CubeAction.NO_DOUBLE
        if self.noise:
            error = min(max(rng.gauss(0, 1), -MOST_NOISE), MOST_NOISE) * CUBE_NOISE * self.noise
            bold = CubeAction.DOUBLE if CubeAction.DOUBLE in values else CubeAction.TAKE
            values[bold] += error
        return max(values, key=lambda action: values[action])

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

        lookahead, deepest, view = thread_lookahead(self.weights), self._depth(limit), _view(position)
        with lookahead.within(self._bounded(limit)):
            candidates = _evaluated(lookahead, rules, position, plays, noise, view)
            for depth in range(1, deepest + 1):
                filtered = self._filtered(candidates, depth, least)
                candidates = _searched(lookahead, candidates, depth, filtered, view)
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


def has_cube_or_match(position: Position) -> bool:
    return position.cube is not None or position.match is not None


def _view(position: Position) -> CubeView | None:
    """The view of the player on roll; None if equities are cubeless."""
    if not has_cube_or_match(position):
        return None
    from ludus.engines.backgammon.cube.score import cube_view

    return cube_view(position)


def _cube_values(decision: CubeDecision, cube: Cube) -> list[tuple[CubeAction, float, tuple[CubeAction, ...]]]:
    """The decisions, each with its value to the player who decides and the best reply; of equals, the best first."""
    match cube.stage:
        case Stage.DOUBLED:
            taken, beavered = (CubeAction.TAKE, -decision.double_take), (CubeAction.BEAVER, -decision.double_beaver)
            answers = [taken, (CubeAction.DROP, -decision.double_pass), *([beavered] if decision.has_beavers else [])]
        case Stage.BEAVERED:
            answers = [(CubeAction.TAKE, 2 * decision.double_take), (CubeAction.DROP, -2 * decision.double_pass)]
        case _:
            plain = (CubeAction.NO_DOUBLE, decision.no_double, ())
            double = (CubeAction.DOUBLE, decision.doubled, (decision.response,))
            return [double, plain] if decision.best is CubeAction.DOUBLE else [plain, double]
    return [(action, value, ()) for action, value in answers]


def _evaluated(
    lookahead: Lookahead,
    rules: BackgammonRules,
    position: Position,
    plays: Sequence[Move],
    noise: Sequence[float],
    view: CubeView | None,
) -> list[Candidate]:
    from ludus.engines.backgammon.lookahead import Afterstate

    board = Position(*position[:4])  # in a match, the end of a game would be the start of the next one
    afterstates = [Afterstate(next_.other, next_.own) for next_ in (rules.play(board, play) for play in plays)]
    chances = lookahead.evaluate(afterstates)
    found = zip(plays, afterstates, chances, noise, *_equities(view, afterstates, chances), strict=True)
    return _sorted([Candidate(*parts) for parts in found])


def _equities(
    view: CubeView | None, afterstates: list[Afterstate], chances: list[Chances]
) -> tuple[list[bool], list[float | None]]:
    """For each play, whether its equity is exact, and its cubeful equity."""
    if view is None:
        return [afterstate.is_exact for afterstate in afterstates], [None] * len(afterstates)
    from ludus.engines.backgammon.cube.equity import afterstate_equities, is_exact_after

    exact = [is_exact_after(view, afterstate) for afterstate in afterstates]
    return exact, list(afterstate_equities(view, afterstates, chances))


def _searched(
    lookahead: Lookahead, candidates: list[Candidate], depth: int, filtered: list[Candidate], view: CubeView | None
) -> list[Candidate]:
    """All candidates, the filtered ones searched to this depth as far as the limit allows.

    A single play that passes the filter is chosen unsearched, unless it is the only legal one: its value is wanted.
    """
    if len(filtered) <= 1 < len(candidates) or all(candidate.is_exact for candidate in filtered):
        return candidates
    searched = []
    for candidate in filtered:
        deeper = candidate if candidate.is_exact else _deeper(lookahead, candidate, depth, view)
        if deeper is None:
            break
        searched.append(deeper._replace(depth=depth))
    return _sorted(searched) + candidates[len(searched) :]


def _deeper(lookahead: Lookahead, candidate: Candidate, depth: int, view: CubeView | None) -> Candidate | None:
    if view is None:
        chances = lookahead.search(candidate.afterstate, depth)
        return None if chances is None else candidate._replace(chances=chances)
    from ludus.engines.backgammon.cube.equity import afterstate_search

    found = afterstate_search(lookahead, view, candidate.afterstate, depth)
    return None if found is None else candidate._replace(cubeful=found[0], chances=found[1])


def _sorted(candidates: list[Candidate]) -> list[Candidate]:
    return sorted(candidates, key=lambda candidate: candidate.score, reverse=True)


def _line(candidate: Candidate, nodes: int) -> Line[Move]:
    chances, play = candidate.chances, candidate.play
    return Line(play, candidate.value, (play,), candidate.is_exact, chances, candidate.depth, nodes)
