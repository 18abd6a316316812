"""Decisions about the cube: their equities, the right actions, and the window around them.

Equities are the doubler's and normalized: winning the present value of the cube is 1, in a match as for money.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadInput
from ludus.engines.backgammon.cube.janowski import Owner, Rates, cash_point, ends, rates
from ludus.engines.backgammon.cube.score import CubeView, cube_view
from ludus.engines.backgammon.cube.tree import SHARES, Level, Node, Tree, beavered, grow, is_exact
from ludus.engines.backgammon.lookahead import MAX_DEPTH, Afterstate, Lookahead, flipped, thread_lookahead
from ludus.engines.backgammon.network import Chances
from ludus.engines.engine import OWN_LIMIT, Limit
from ludus.engines.study import EVEN
from ludus.games.backgammon.position import CubeAction, Position, Stage

PASS: Final = 1.0
SLIGHT: Final = 0.0005
"""Points that are not worth playing for: in a race a gammon is as good as impossible, but not quite."""
SCAN: Final = np.linspace(0.0, 1.0, 2001)
"""Winning chances at which the window is looked for."""


class TakePoints(NamedTuple):
    """The winning chances from which a player takes a double, by how live the cube is afterwards."""

    dead: float
    live: float
    real: float | None
    """If the cube is as live as in this kind of position; None if equities are exact."""


class Window(NamedTuple):
    """Where decisions change, in the doubler's winning chances, if gammons stay as frequent as they are.

    A point that no chance reaches is None, and so are all estimates if equities are exact: then a double may be right
    with any winning chance above a half, as on the last roll.
    """

    take: TakePoints
    """The other player's take points, in that player's chances."""
    double: float | None
    """From here on a double is better than none."""
    cash: float | None
    """From here on a double should be dropped."""
    too_good: float | None
    """From here on playing for a gammon is better than a double that is dropped."""


class MarketLosers(NamedTuple):
    """The shares of the next rolls, and of rolls with a reply, after which a double would be dropped.

    A roll counts if that is so on average over the replies.
    """

    rolls: float
    sequences: float


class CubeDecision(NamedTuple):
    no_double: float
    double_take: float
    double_pass: float
    chances: Chances
    """The chances of the player on roll."""
    depth: int
    can_double: bool
    has_beavers: bool
    view: CubeView
    life: float
    """The life of a centred cube in this kind of position."""
    is_exact: bool = False

    @property
    def double_beaver(self) -> float:
        """The equity after a double, a beaver and the best answer to it: a drop loses twice the cube's value."""
        return max(2 * self.double_take, -2 * self.double_pass)

    @property
    def doubled(self) -> float:
        """The equity after a double and the best answer to it."""
        return min(self.double_take, self.double_pass, *([self.double_beaver] if self.has_beavers else []))

    @property
    def value(self) -> float:
        """The equity with the best decisions."""
        return max(self.no_double, self.doubled) if self.can_double else self.no_double

    @property
    def best(self) -> CubeAction:
        """The best action of the player on roll; of equals, a double only if the other side can't use the cube."""
        gain = self.doubled - self.no_double
        is_better = gain > EVEN or (gain > -EVEN and not self.view.doubled.flipped.can_double)
        return CubeAction.DOUBLE if self.can_double and is_better else CubeAction.NO_DOUBLE

    @property
    def response(self) -> CubeAction:
        """The best response to a double, whether the double is right or wrong."""
        if self.double_take > self.double_pass:
            return CubeAction.DROP
        return CubeAction.BEAVER if self.has_beavers and self.double_beaver < self.double_take else CubeAction.TAKE

    @property
    def is_too_good(self) -> bool:
        """Whether a double would be dropped, but playing on is worth more."""
        return self.can_double and self.response is CubeAction.DROP and self.no_double > self.double_pass + EVEN

    @property
    def window(self) -> Window:
        found = _window(self.view, self.chances, self.life)
        return Window(found.take._replace(real=None), None, None, None) if self.is_exact else found


def cube_decision(
    position: Position, limit: Limit = OWN_LIMIT, *, weights: str | None = None, depth: int = MAX_DEPTH
) -> CubeDecision:
    """The decision in a position before the roll; while a double is open, the decision to offer it.

    Looks as deep as the limit allows, at most `depth` rolls ahead. `weights` names a file for the network.
    """
    if position.mover is None or position.dice:
        raise BadInput("the cube is decided on before the roll, and not before the opening roll")
    view, lookahead = cube_view(position), thread_lookahead(weights)
    most = min(depth, MAX_DEPTH, MAX_DEPTH if limit.depth is None else limit.depth)
    with lookahead.within(limit):
        root = _root(lookahead, position)
        found = decision_at_sight(root.chances, position)
        for rolls in range(1, 1 if found.is_exact else most + 1):
            trees = _trees(lookahead, root, view, rolls)
            if trees is None:
                break
            found = _decision(view, *trees)
        return found


def decision_at_sight(chances: Chances, position: Position, view: CubeView | None = None) -> CubeDecision:
    """The decision of a player on roll who has these chances; `view` replaces the position's cube and score."""
    tree = Tree([Level([Node(position.own, position.other, chances)])])
    return _decision(view or cube_view(position), tree, tree)


def cubeful_equity(chances: Chances, position: Position) -> float:
    """What a position before the roll is worth to the player on roll, who has these chances.

    At sight, by Janowski; with the best decision if the player may double now.
    """
    view, tree = cube_view(position), Tree([Level([Node(position.own, position.other, chances)])])
    is_open = position.cube is not None and position.cube.stage is Stage.ON_ROLL
    worth = tree.on_roll(view) if is_open else tree.no_double(view)
    return float(view.equity(worth)[0])


def afterstate_equities(view: CubeView, afterstates: list[Afterstate], chances: list[Chances]) -> list[float]:
    """What plays are worth to the side that made them, at sight; the view and the chances are that side's."""
    nodes = [Node(after.other, after.own, flipped(each)) for after, each in zip(afterstates, chances, strict=True)]
    other = view.flipped
    found: list[float] = (-other.equity(Tree([Level(nodes)]).on_roll(other))).tolist()
    return found


def afterstate_search(
    lookahead: Lookahead, view: CubeView, afterstate: Afterstate, depth: int
) -> tuple[float, Chances] | None:
    """What one play is worth, `depth` rolls ahead, with its chances; None if the limit was reached first."""
    other = view.flipped
    root = Node(afterstate.other, afterstate.own, flipped(lookahead.evaluate([afterstate])[0]))
    tree = grow(lookahead, root, other, depth)
    if tree is None:
        return None
    return -float(other.equity(tree.on_roll(other))[0]), flipped(tree.mean_chances)


def is_exact_after(view: CubeView, afterstate: Afterstate) -> bool:
    """Whether a play's cubeful equity is exact at sight."""
    return is_exact(view, afterstate.other, afterstate.own)


def market_losers(position: Position, *, weights: str | None = None) -> MarketLosers:
    """How often the next roll, or that roll and a reply, takes the position beyond the cash point."""
    view, lookahead = cube_view(position), thread_lookahead(weights)
    with lookahead.within(OWN_LIMIT):
        tree = grow(lookahead, _root(lookahead, position), view, 2)
    assert tree is not None
    taken = tree.levels[2].cubeful(view.doubled).reshape(len(SHARES), len(SHARES))
    bar = view.score.worth(view.value)
    return MarketLosers(float(SHARES @ (taken @ SHARES > bar)), float(SHARES @ (taken > bar) @ SHARES))


def _root(lookahead: Lookahead, position: Position) -> Node:
    afterstate = Afterstate(position.other, position.own)
    return Node(position.own, position.other, flipped(lookahead.evaluate([afterstate])[0]))


def _trees(lookahead: Lookahead, root: Node, view: CubeView, depth: int) -> tuple[Tree, Tree] | None:
    """For no double and for a double: with different cubes, different plays may be best."""
    tree = grow(lookahead, root, view, depth)
    is_same = np.allclose(view.weights(), view.doubled.weights())
    doubled = tree if is_same else grow(lookahead, root, view.doubled, depth)
    return None if tree is None or doubled is None else (tree, doubled)


def _decision(view: CubeView, tree: Tree, doubled: Tree) -> CubeDecision:
    worth = (tree.no_double(view), doubled.no_double(view.doubled))
    no_double, double_take = (float(view.equity(each)[0]) for each in worth)
    if view.is_free:  # no game ends better without the double; other plays may have been searched
        no_double = min(no_double, double_take)
    root = tree.levels[0]
    return CubeDecision(
        no_double,
        double_take,
        PASS,
        tree.mean_chances,
        tree.depth,
        view.can_double,
        view.has_beavers,
        view,
        float(root.life[0]),
        is_exact(view, root.nodes[0].own, root.nodes[0].other),
    )


def _window(view: CubeView, chances: Chances, life: float) -> Window:
    """Finds the window by moving the winning chance from 0 to 1; the shares of gammons stay the same."""
    same = np.zeros_like(SCAN)
    shares = Rates(*(same + share for share in rates(np.array([chances]))))
    no_double = view.equity(view.cubeful(shares, SCAN, same + life))
    taken = view.equity(view.doubled.cubeful(shares, SCAN, same + life))
    doubled = np.minimum(beavered(view, taken), PASS)
    cash = _first(taken >= PASS)
    is_reached = view.can_double and cash is not None
    return Window(
        TakePoints(
            1 - _dead_cash(view, shares),
            1 - float(cash_point(view.score, shares, view.value)[0]),
            1 - (1.0 if cash is None else cash),
        ),
        _first((doubled > no_double) & (taken < PASS)) if view.can_double else None,
        cash if is_reached else None,
        _first((no_double > PASS + SLIGHT) & (taken >= PASS)) if is_reached else None,
    )


def _first(holds: NDArray[np.bool_]) -> float | None:
    return float(SCAN[holds.argmax()]) if holds.any() else None


def _dead_cash(view: CubeView, shares: Rates) -> float:
    """The doubler's winning chance at which a take is as good as a drop, if neither side can double again."""
    win, loss = ends(view.score, shares, 2 * view.value, Owner.OTHER)
    return min(max((view.score.worth(view.value) - float(loss[0])) / float(win[0] - loss[0]), 0.0), 1.0)
