"""Arrays and settings for the compiled functions of a search. `ludus.envs.mcts.tree` explains the columns."""

from __future__ import annotations

from typing import Any, NamedTuple


class Tree(NamedTuple):
    """Arrays with a row for each game."""

    nodes: Any
    values: Any
    edges: Any
    priors: Any
    used: Any
    """How many nodes and edges there are, and forced nodes among them."""


class Roots(NamedTuple):
    """The positions to search, each with its key, the simulations left and the noise of its actions."""

    state: Any
    history: Any
    key: Any
    left: Any
    noise: Any


class Leaves(NamedTuple):
    """Positions to evaluate: `node` is -1 if there is none, and `row` is the row in the evaluator's arrays."""

    state: Any
    history: Any
    node: Any
    row: Any
    packed: Any
    """Room for a position's bit sets."""
    actions: Any
    """The action of each bit of a packed mask."""


class Settings(NamedTuple):
    is_gumbel: bool
    scored: bool
    """Whether a win counts its points."""
    limit: float
    """No game is worth more than this."""
    scale: float
    """The greatest common value of a game, which a simulation in flight counts as lost."""
    exploration: float
    """PUCT's constant."""
    visit_offset: float
    value_scale: float
    """The two constants of the Gumbel search."""
    simulations: int
    most_forced: int
    """The most forced nodes in a tree."""
