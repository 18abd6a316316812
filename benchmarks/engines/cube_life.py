"""How live the cube is, by the kind of position: `python -m benchmarks.engines.cube_life [--positions N] …`.

Positions of games at sight are rolled out for ten rolls, with a centred cube and with one that was just turned; both
sides decide about it at sight. The luck of the rolls is taken off. Janowski's parameter is the one with which values at
sight fit best. The model is in the decisions and at the end of each trial, so run it again after changing the figures.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from itertools import count
from random import Random
from typing import Final, NamedTuple

import numpy as np

from benchmarks.engines.cube import positions
from benchmarks.report import heading, machine, row
from ludus.engines.backgammon.cube.janowski import Owner, cubeful
from ludus.engines.backgammon.cube.life import most_back
from ludus.engines.backgammon.cube.score import CubeView, cube_view
from ludus.engines.backgammon.cube.tree import SHARES, Level, Node, Tree, grow, is_exact
from ludus.engines.backgammon.lookahead import Afterstate, Lookahead, flipped, thread_lookahead
from ludus.engines.backgammon.network.features import BEAR_OFF, RACE, kind
from ludus.engines.engine import OWN_LIMIT
from ludus.games.backgammon.position import Cube, Position

ROLLS: Final = 10
CHANCES: Final = (0.4, 0.85)
"""Where somebody might double soon."""


class Fit(NamedTuple):
    """What a position is worth beyond a dead cube, and what a live cube is worth beyond it."""

    found: float
    live: float


def kind_of(node: Node) -> str:
    found = kind(*node.own, *node.other)
    if found in (BEAR_OFF, RACE):
        return "bear-off" if found == BEAR_OFF else "race"
    return f"contact, {min(max(most_back(node.own, node.other), 1), 4)} men back"


def sampled(lookahead: Lookahead, rng: Random) -> Iterator[tuple[Position, Node]]:
    for seed in count():
        for position in positions(1_000, Random(f"{rng.random()} {seed}")):
            chances = flipped(lookahead.evaluate([Afterstate(position.other, position.own)])[0])
            node = Node(position.own, position.other, chances)
            money = position._replace(cube=Cube(), match=None)
            if CHANCES[0] < chances.win < CHANCES[1] and not is_exact(cube_view(money), node.own, node.other):
                yield money, node


def rolled_out(lookahead: Lookahead, node: Node, view: CubeView, rng: Random) -> float:
    """One trial's value to the side to roll, which doesn't double at first, without the luck of its rolls."""
    sign, luck = 1, 0.0
    for turn in range(ROLLS):
        if node.is_over:
            break
        if turn and view.can_double:
            sight, cash = Tree([Level([node])]), view.score.worth(view.value)
            taken = float(sight.double_take(view)[0])
            if min(taken, cash) > float(sight.no_double(view)[0]):
                if taken > cash:
                    return sign * cash - luck
                view = view.doubled
        tree = grow(lookahead, node, view, 1)
        assert tree is not None
        values = -tree.on_roll(view.flipped, 1)
        roll = rng.choices(range(len(SHARES)), SHARES.tolist())[0]
        luck += sign * float(values[roll] - SHARES @ values)
        node, view, sign = tree.levels[1].nodes[roll], view.flipped, -sign
    return sign * float(Tree([Level([node])]).on_roll(view)[0]) - luck


def fit(lookahead: Lookahead, node: Node, view: CubeView, rng: Random, trials: int) -> Fit:
    level = Level([node])
    win, cube = level.chances[:, 0], (view.value, view.owner)
    dead, live = (float(cubeful(view.score, level.rates, win, *cube, np.array([life]))[0]) for life in (0.0, 1.0))
    values = [rolled_out(lookahead, node, view, rng) for _ in range(trials)]
    return Fit(float(np.mean(values)) - dead, live - dead)


def report(name: str, fits: list[Fit]) -> None:
    found, live = np.array(fits).T
    life = float(found @ live / (live @ live))
    error = float(np.sqrt(((found - life * live) ** 2) @ live**2) / (live @ live))
    row(name, len(fits), f"{life:.3f} ± {error:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=120, help="of each kind")
    parser.add_argument("--trials", type=int, default=2, help="for each position and cube")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, lookahead = Random(options.seed), thread_lookahead()
    fits = defaultdict[tuple[str, Owner], list[Fit]](list)
    with lookahead.within(OWN_LIMIT):
        for position, node in sampled(lookahead, rng):
            name, view = kind_of(node), cube_view(position)
            if len(fits[name, Owner.CENTRED]) < options.positions:
                for each in (view, view.doubled):
                    fits[name, each.owner].append(fit(lookahead, node, each, rng, options.trials))
            if len(fits) == 12 and all(len(found) == options.positions for found in fits.values()):
                break
    print(f"The cube's life, {machine()}\n")
    heading("positions", "values", "life")
    for (name, owner), found in sorted(fits.items(), key=lambda item: (item[0][0], item[0][1].value)):
        report(f"{name}, {'centred' if owner is Owner.CENTRED else 'turned'}", found)


if __name__ == "__main__":
    main()
