"""The rolls that may follow a position, each played the best way, and cubeful values over them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from ludus.engines.backgammon import bearoff
from ludus.engines.backgammon.cube.janowski import Array, Owner, Rates, rates
from ludus.engines.backgammon.cube.life import cube_life
from ludus.engines.backgammon.cube.score import CubeView
from ludus.engines.backgammon.lookahead import Afterstate, Lookahead, flipped
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.tables import cube_pairs
from ludus.games.backgammon.kernel import is_off
from ludus.games.backgammon.position import Men

DICE: Final = tuple((die, then) for die in range(1, 7) for then in range(1, die + 1))
SHARES: Final = np.array([(1 if die == then else 2) / 36 for die, then in DICE])
CUBE_COLUMNS: Final = {Owner.CENTRED: bearoff.CENTRED, Owner.OWN: bearoff.OWN, Owner.OTHER: bearoff.OTHERS}


class Node(NamedTuple):
    """A position before the roll, as the side to roll sees it."""

    own: Men
    other: Men
    chances: Chances

    @property
    def is_over(self) -> bool:
        return is_off(*self.own) or is_off(*self.other)

    @property
    def passed(self) -> Node:
        """The same after a turn in which nothing is played."""
        return Node(self.other, self.own, flipped(self.chances))


class Level:
    """All positions after the same number of rolls, 21 for each one of the level before."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self.nodes = nodes
        self.chances: Array = np.array([node.chances for node in nodes])

    @cached_property
    def rates(self) -> Rates:
        return rates(self.chances)

    @cached_property
    def life(self) -> Array:
        return np.array([cube_life(node.own, node.other) for node in self.nodes])

    @cached_property
    def exact(self) -> tuple[Array, Array]:
        """The positions in the cubeful bear-off table: their numbers in the level, and their rows in the table."""
        found = [i for i, node in enumerate(self.nodes) if _is_in_table(node)]
        ranks = [(bearoff.rank(*self.nodes[i].own), bearoff.rank(*self.nodes[i].other)) for i in found]
        return np.array(found, np.intp), np.array([cube_pairs()[pair] for pair in ranks]).reshape(-1, bearoff.CUBES)

    def cubeful(self, view: CubeView) -> Array:
        """What each position is worth to the side to roll, if it doesn't double."""
        worth = view.cubeful(self.rates, self.chances[:, 0], self.life)
        if view.score.is_endless(view.value) and view.score.can_double(view.value):
            found, rows = self.exact
            worth[found] = view.value * rows[:, CUBE_COLUMNS[view.owner]]
        return worth


def _is_in_table(node: Node) -> bool:
    return not node.is_over and bool(bearoff.is_exact(*node.own, *node.other))


class Tree:
    """Levels of positions, the first with one; the side to roll changes from level to level."""

    def __init__(self, levels: Sequence[Level]) -> None:
        self.levels = levels

    @property
    def depth(self) -> int:
        return len(self.levels) - 1

    def no_double(self, view: CubeView, level: int = 0) -> Array:
        """What a level's positions are worth to the side to roll, if it doesn't double now."""
        if level == self.depth:
            return self.levels[level].cubeful(view)
        later = self.on_roll(view.flipped, level + 1)
        return view.score.complement(later.reshape(-1, len(DICE)) @ SHARES)

    def double_take(self, view: CubeView, level: int = 0) -> Array:
        """The same if it doubles and the other side takes, or beavers if that is better."""
        return beavered(view, self.no_double(view.doubled, level))

    def on_roll(self, view: CubeView, level: int = 0) -> Array:
        """The same with the best decisions of both sides."""
        no_double = self.no_double(view, level)
        if not view.can_double:
            return no_double
        return np.maximum(no_double, np.minimum(self.double_take(view, level), view.score.worth(view.value)))

    @property
    def mean_chances(self) -> Chances:
        """The chances of the side to roll in the first position, averaged over the last level."""
        chances = self.levels[-1].chances
        for _ in range(self.depth):
            chances = SHARES @ chances.reshape(-1, len(DICE), chances.shape[1])
        mean = Chances(*chances[0].tolist())
        return flipped(mean) if self.depth % 2 else mean


def is_exact(view: CubeView, own: Men, other: Men) -> bool:
    """Whether the game is over, or the bear-off tables have the position with this cube."""
    return is_off(*own) or is_off(*other) or (view.has_table and bool(bearoff.is_exact(*own, *other)))


def beavered(view: CubeView, taken: Array) -> Array:
    """A take becomes a beaver if the cube is worth more to the other side at twice the value."""
    return np.minimum(taken, 2 * taken) if view.has_beavers else taken


def grow(lookahead: Lookahead, root: Node, view: CubeView, depth: int) -> Tree | None:
    """The tree below a position; None if the limit was reached first. Plays are chosen as if the cube stayed put."""
    levels, sides = [Level([root])], (view.flipped.weights(), view.weights())
    for level in range(depth):
        nodes: list[Node] = []
        for node in levels[-1].nodes:
            nodes += _children(lookahead, node, sides[level % 2])
            if lookahead.is_stopped:
                return None
        levels.append(Level(nodes))
    return Tree(levels)


def _children(lookahead: Lookahead, node: Node, weights: Array) -> list[Node]:
    if node.is_over:
        return [node.passed] * len(DICE)
    return [_child(*lookahead.best_reply(node.own, node.other, dice, weights)) for dice in DICE]


def _child(afterstate: Afterstate, chances: Chances) -> Node:
    return Node(afterstate.other, afterstate.own, chances)
