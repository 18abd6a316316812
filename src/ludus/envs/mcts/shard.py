"""One thread's part of a search: its games' trees as arrays, and the calls of the compiled functions on them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadInput
from ludus.core.kernel import compiled
from ludus.envs.batched.driver import OUTCOME
from ludus.envs.batched.environment import padded
from ludus.envs.batched.states import StateFormat
from ludus.envs.encoding import Encoding
from ludus.envs.mcts import tree
from ludus.envs.mcts.arrays import Leaves, Roots, Settings, Tree
from ludus.envs.mcts.tree import EDGES, NONE

EDGES_PER_NODE = 12
"""The initial room for edges; it grows."""

Array = NDArray[Any]


class Shard:
    def __init__(
        self,
        simulation: Any,
        layout: StateFormat,
        encoding: Encoding,
        settings: Settings,
        schedule: Array,
        leaves: int,
        start: int,
        stop: int,
    ) -> None:
        self.start, self.stop = start, stop
        self.found = 0
        """How many positions there are to evaluate."""
        self._simulation, self._layout, self._kernel = simulation, layout, encoding.kernel
        kernel: Any = encoding.kernel
        self._trees = compiled(tree)
        self._settings, self._schedule, self._width = settings, schedule, leaves
        games = stop - start
        nodes = (2 if kernel.MOST_ROLLS > 1 else 1) * settings.simulations + 2
        edges = nodes * EDGES_PER_NODE + settings.most_forced
        nodes += settings.most_forced
        self._tree = Tree(
            np.empty((games, nodes, 6), np.int32),
            np.empty((games, nodes, 4), np.float64),
            np.empty((games, edges, 2), np.int32),
            np.empty((games, edges, 3), np.float32),
            np.zeros((games, 3), np.int64),
        )
        self.noise = np.zeros((games, kernel.ACTIONS), np.float32)
        self._roots = Roots(*self._positions(games), np.zeros(games, np.int64), np.zeros(games, np.int64), self.noise)
        number = games * leaves
        self._leaves = Leaves(
            *self._positions(number),
            node=np.full(number, NONE, np.int64),
            row=np.zeros(number, np.int64),
            packed=np.zeros(kernel.PACKED_OBSERVATION + kernel.PACKED_MASK, np.int64),
            actions=encoding.packed_actions(),
        )

    def _positions(self, number: int) -> tuple[Array, Array]:
        """Room for positions: a column of state and a stretch of history for each.

        There are two columns at least: Numba takes a single one for an array of another layout, and compiles all again.
        """
        kernel, columns = self._kernel, max(number, 2)
        return np.zeros((columns, padded(kernel.WORDS)), np.int64).T, np.zeros(number * kernel.HISTORY + 1, np.int64)

    def start_search(self, rows: NDArray[np.int64], keys: NDArray[np.int64]) -> None:
        roots, layout = self._roots, self._layout
        roots.state.T[: len(rows), : self._kernel.WORDS] = rows[:, layout.column]
        roots.history[:-1] = rows[:, layout.history].ravel()
        roots.key[:] = keys
        roots.left[:] = self._settings.simulations
        players, outcomes = roots.state[self._kernel.PLAYER, : len(rows)].copy(), rows[:, OUTCOME].copy()
        self._trees.start_all(self._tree, players, outcomes, self._settings)

    def select(self) -> None:
        """Runs simulations until they need the evaluator."""
        self._make_room()
        self.found = self._simulation.select_all(self._tree, self._roots, self._leaves, self._schedule, self._settings)

    def _make_room(self) -> None:
        """Makes room for a round: each leaf's actions and the rolls before it, and all forced nodes to come."""
        trees, kernel = self._tree, self._kernel
        there = trees.edges.shape[1]
        needed = int(trees.used[:, EDGES].max()) + self._width * (kernel.ACTIONS + kernel.MOST_ROLLS)
        needed += self._settings.most_forced
        if needed > there:
            room = max(needed, there * 3 // 2)
            self._tree = trees._replace(edges=longer(trees.edges, room), priors=longer(trees.priors, room))

    def write(self, first: int, observation: Array, mask: Array) -> None:
        """Writes the positions to evaluate, from row `first` on."""
        if not self._simulation.write_leaves(self._leaves, first, observation, mask):
            raise BadInput("a game has no legal action: its dice have not been rolled")

    def play_out(self, values: Array) -> None:
        self._simulation.play_out_all(self._leaves, self._settings.scored, values)

    def expand(self, mask: Array, logits: Array, values: Array) -> None:
        bad = self._trees.expand_all(self._tree, self._leaves, mask, logits, values, self._settings.limit)
        if bad != NONE:
            limit = f"from -{self._settings.limit:g} to {self._settings.limit:g}"
            raise BadInput(f"the evaluator's logits must be finite numbers and its values {limit}: see row {bad}")

    def go_on(self, mask: Array, logits: Array, values: Array) -> None:
        self.expand(mask, logits, values)
        self.select()

    def draw_gumbel(self, scale: float) -> None:
        self._trees.draw_gumbel(self._roots, self._tree, scale)

    def mix_noise(self, noise: Any, fraction: float) -> None:
        self.noise[:] = noise
        self._trees.mix_noise(self._roots, self._tree, fraction)

    def conclude(self, found: tuple[Array, ...]) -> None:
        mine = tuple(part[self.start : self.stop] for part in found)
        self._trees.conclude_all(self._tree, self._roots, self._settings, mine)


def longer(rows: Array, length: int) -> Array:
    grown = np.empty((len(rows), length, *rows.shape[2:]), rows.dtype)
    grown[:, : rows.shape[1]] = rows
    return grown
