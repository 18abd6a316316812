"""Simulations from roots to leaves, written once for all games: `game` is the kernel of the one being played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.core.bits import count, nth
from ludus.envs.batched.streams import key_of
from ludus.envs.mcts.tree import (
    ACTION,
    CHANCE,
    CHILD,
    COUNT,
    EDGES,
    FIRST,
    FORCED,
    HIGH,
    IN_FLIGHT,
    LOW,
    NONE,
    PARENT,
    PLAYER,
    add_edge,
    add_node,
    add_only_edge,
    back_up,
    choose,
    choose_roll,
    is_proven,
    release,
    root_of,
    sign_of,
)

if TYPE_CHECKING:
    from ludus.envs.mcts.arrays import Leaves, Roots, Settings, Tree

game: Any = None
"""Bound by `ludus.core.kernel`."""

WON = 1


def select_all(tree: Tree, roots: Roots, leaves: Leaves, schedule: Any, settings: Settings) -> int:
    """Runs the next simulations of each game, as many as it has leaves, down to positions that must be evaluated.

    Those that end in a proven node need no evaluator and are finished here. Returns how many need it.
    """
    width, number = len(leaves.node) // len(roots.left), 0
    for g in range(len(roots.left)):
        found = 0
        for k in range(width):
            leaves.node[g * width + k] = NONE
        while found < width and roots.left[g] > 0 and not is_proven(tree, g, root_of(g)):
            at = g * width + found
            node = descend(tree, g, roots, leaves, at, schedule, settings)
            if node == NONE:
                break
            if node != 0:
                roots.left[g] -= 1
            if is_proven(tree, g, node):
                back_up(tree, g, node, tree.values[g, node, LOW], settings.limit)
            else:
                leaves.node[at] = node
                found += 1
        number += found
    return number


def descend(tree: Tree, g: int, roots: Roots, leaves: Leaves, at: int, schedule: Any, settings: Settings) -> int:
    """The node that a simulation ends in, its position in column `at`; -1 if another one is still in flight there."""
    copy_root(roots, g, leaves, at)
    node = root_of(g)
    while tree.nodes[g, node, COUNT] != NONE and not is_proven(tree, g, node):
        tree.nodes[g, node, IN_FLIGHT] += 1
        if tree.nodes[g, node, PLAYER] == CHANCE:
            edge = choose_roll(tree, g, node, roots.key[g])
            game.set_roll(leaves.state, at, tree.edges[g, edge, ACTION])
            if tree.edges[g, edge, CHILD] == NONE:
                tree.edges[g, edge, CHILD] = add_node(tree, g, node, leaves.state[game.PLAYER, at], settings.limit)
        else:
            edge = choose(tree, g, node, roots, schedule, settings)
            action = tree.edges[g, edge, ACTION]
            code = game.apply_action(leaves.state, at, leaves.history, at * game.HISTORY, action)
            if tree.edges[g, edge, CHILD] == NONE:
                child = add_child(tree, g, node, leaves.state, at, code, settings)
                tree.edges[g, edge, CHILD] = child
                if tree.nodes[g, child, COUNT] == NONE and tree.used[g, FORCED] < settings.most_forced:
                    expand_forced(tree, g, child, leaves, at)
        node = tree.edges[g, edge, CHILD]
    if tree.nodes[g, node, IN_FLIGHT] > 0:
        release(tree, g, tree.nodes[g, node, PARENT])
        return NONE
    tree.nodes[g, node, IN_FLIGHT] = 1
    return node


def copy_root(roots: Roots, g: int, leaves: Leaves, at: int) -> None:
    """Copies a root with other random numbers: a search must not see the dice to come."""
    for word in range(game.WORDS):
        leaves.state[word, at] = roots.state[word, g]
    leaves.state[game.KEY, at] = roots.key[g]
    for word in range(game.HISTORY):
        leaves.history[at * game.HISTORY + word] = roots.history[g * game.HISTORY + word]


def add_child(tree: Tree, g: int, parent: int, state: Any, at: int, code: int, settings: Settings) -> int:
    """The node that an action leads to, which ended the game if `code` is not 0."""
    actor = tree.nodes[g, parent, PLAYER]
    rolls = 1 if code else game.count_rolls(state, at)
    node = add_node(tree, g, parent, CHANCE if rolls > 1 else state[game.PLAYER, at], settings.limit)
    if code:
        points = game.points(state, at) if code == WON else 0
        value = (points if settings.scored else sign_of(points)) * (1 - 2 * actor)
        tree.nodes[g, node, COUNT] = 0
        tree.values[g, node, LOW] = tree.values[g, node, HIGH] = value
    elif rolls > 1:
        tree.nodes[g, node, FIRST] = tree.used[g, EDGES]
        tree.nodes[g, node, COUNT] = rolls
        for number in range(rolls):
            add_edge(tree, g, number, game.roll_weight(state, at, number))
    return node


def expand_forced(tree: Tree, g: int, node: int, leaves: Leaves, at: int) -> None:
    """If the position in column `at` has a single legal action, the simulation goes on through it."""
    action, total = NONE, 0
    game.write_packed(leaves.state, at, leaves.packed, 0, leaves.packed, game.PACKED_OBSERVATION)
    for word in range(game.PACKED_MASK):
        legal = leaves.packed[game.PACKED_OBSERVATION + word]
        if legal:
            total += count(legal)
            action = leaves.actions[64 * word + nth(legal, 0)]
    if total == 1:
        add_only_edge(tree, g, node, action)


def write_leaves(leaves: Leaves, first: int, observation: Any, mask: Any) -> bool:
    """Writes the positions to evaluate to the rows from `first` on; returns whether all have a legal action."""
    row, is_good = first, True
    for at in range(len(leaves.node)):
        if leaves.node[at] != NONE:
            leaves.row[at] = row
            game.write_bytes(leaves.state, at, observation, mask, row)
            is_good &= has_any(mask, row)
            row += 1
    return is_good


def has_any(mask: Any, row: int) -> bool:
    found = 0
    for word in range(mask.shape[1]):
        found |= mask[row, word]
    return found != 0


def play_out_all(leaves: Leaves, scored: bool, values: Any) -> None:
    """Evaluates leaves by random games to the end, for the player to move."""
    for at in range(len(leaves.node)):
        if leaves.node[at] != NONE:
            leaves.state[game.KEY, at] = key_of(leaves.state[game.KEY, at], leaves.node[at])
            values[leaves.row[at]] = play_out(leaves.state, at, leaves.history, at * game.HISTORY, scored)


def play_out(state: Any, i: int, history: Any, at: int, scored: bool) -> int:
    player = actor = state[game.PLAYER, i]
    code = 0
    while code == 0:
        actor = state[game.PLAYER, i]
        code = game.apply_action(state, i, history, at, game.sample_action(state, i))
    points = game.points(state, i) if code == WON else 0
    value = points if scored else sign_of(points)
    return value if actor == player else -value
