"""Search trees as arrays: how a simulation chooses its way, and what its result changes.

A tree is one row of the arrays in `Tree`. Its nodes hold no positions: a simulation replays the actions from the root,
so that repetitions count as they do in the game. A roll of the dice is a chance node, whose edges are the rolls.

All values are the first player's. Each node has bounds for its exact value: those of the rules if the game is over,
else those that follow from its children's. A node is proven when its bounds meet, and is not searched further.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import TYPE_CHECKING, Any

from ludus.envs.batched.streams import below, draw

if TYPE_CHECKING:
    from ludus.envs.mcts.arrays import Leaves, Roots, Settings, Tree

PARENT, PLAYER, FIRST, COUNT, VISITS, IN_FLIGHT = range(6)
"""Integers of a node: it has `COUNT` edges from `FIRST` on; simulations in flight count as lost."""
SUM, RAW, LOW, HIGH = range(4)
"""Numbers of a node: the sum of its visits' values, the evaluator's value, the bounds of the exact one."""
ACTION, CHILD = range(2)
"""Integers of an edge; that of a chance node has the number of a roll as its action."""
PRIOR, LOGIT, SCORE = range(3)
"""Numbers of an edge; that of a chance node has the weight of a roll as its prior. The score is scratch."""
NODES, EDGES, FORCED = range(3)
"""How many of each a game's tree has; `FORCED` counts nodes with a single action that were not evaluated."""
CHANCE = 2
"""The player of a chance node."""
NONE = -1
TOLERANCE = 1e-3
"""How far an evaluator's value may be out of bounds, as sums of probabilities can be."""
LEAST = 1e-30
"""The least share of an action that is not dominated, before the shares are made to add up to 1."""
ROLL, GUMBEL = 0x2545F491, 0x7F4A7C15
"""Mixed into the key for the order of rolls and the noise at the root."""


def start_all(tree: Tree, players: Any, outcome: Any, settings: Settings) -> None:
    """An unexpanded root for each game; a game that is over is proven."""
    for g in range(len(players)):
        tree.used[g, NODES] = tree.used[g, EDGES] = tree.used[g, FORCED] = 0
        add_node(tree, g, NONE, players[g], settings.limit)
        if outcome[g]:
            points = outcome[g] >> 2
            tree.values[g, 0, LOW] = tree.values[g, 0, HIGH] = points if settings.scored else sign_of(points)
            tree.nodes[g, 0, COUNT] = 0


def root_of(g: int) -> int:
    """0, as a variable: Numba compiles every function once more for a constant."""
    return g - g


def sign_of(points: int) -> int:
    return min(max(points, -1), 1)


def add_node(tree: Tree, g: int, parent: int, player: int, limit: float) -> int:
    node: int = tree.used[g, NODES]
    tree.used[g, NODES] = node + 1
    tree.nodes[g, node, PARENT] = parent
    tree.nodes[g, node, PLAYER] = player
    tree.nodes[g, node, FIRST] = 0
    tree.nodes[g, node, COUNT] = NONE
    tree.nodes[g, node, VISITS] = 0
    tree.nodes[g, node, IN_FLIGHT] = 0
    tree.values[g, node, SUM] = 0.0
    tree.values[g, node, RAW] = 0.0
    tree.values[g, node, LOW] = -limit
    tree.values[g, node, HIGH] = limit
    return node


def add_edge(tree: Tree, g: int, action: int, prior: float) -> None:
    edge = tree.used[g, EDGES]
    tree.used[g, EDGES] = edge + 1
    tree.edges[g, edge, ACTION] = action
    tree.edges[g, edge, CHILD] = NONE
    tree.priors[g, edge, PRIOR] = prior
    tree.priors[g, edge, LOGIT] = prior


def add_only_edge(tree: Tree, g: int, node: int, action: int) -> None:
    """Expands a node whose player has no choice. It needs no evaluation: it is worth as much as its child."""
    tree.used[g, FORCED] += 1
    tree.nodes[g, node, FIRST] = tree.used[g, EDGES]
    tree.nodes[g, node, COUNT] = 1
    add_edge(tree, g, action, 1.0)


def is_proven(tree: Tree, g: int, node: int) -> bool:
    return bool(tree.values[g, node, LOW] == tree.values[g, node, HIGH])


def release(tree: Tree, g: int, node: int) -> None:
    """Gives up a simulation on its way to a child of this node."""
    while node != NONE:
        tree.nodes[g, node, IN_FLIGHT] -= 1
        node = tree.nodes[g, node, PARENT]


def choose_roll(tree: Tree, g: int, node: int, key: int) -> int:
    """Deals the rolls out as from a shuffled deck that holds each as often as its weight; proven ones are skipped."""
    first, count = tree.nodes[g, node, FIRST], tree.nodes[g, node, COUNT]
    total = 0
    for edge in range(first, first + count):
        total += int(tree.priors[g, edge, PRIOR])
    number = draw(key, ROLL, node)
    stride = 1 + below(number, total - 1)
    while has_common_factor(stride, total):
        stride += 1
    dealt = tree.nodes[g, node, VISITS] + tree.nodes[g, node, IN_FLIGHT] - 1
    for skipped in range(total):
        card = (number + stride * (dealt + skipped)) % total
        edge = first
        while card >= tree.priors[g, edge, PRIOR]:
            card -= int(tree.priors[g, edge, PRIOR])
            edge += 1
        child = tree.edges[g, edge, CHILD]
        if child == NONE or not is_proven(tree, g, child):
            break
    return edge


def has_common_factor(a: int, b: int) -> bool:
    while b:
        a, b = b, a % b
    return a > 1


def choose(tree: Tree, g: int, node: int, roots: Roots, schedule: Any, settings: Settings) -> int:
    if node > 0 and tree.nodes[g, node, COUNT] == 1:
        only: int = tree.nodes[g, node, FIRST]
        return only
    if not settings.is_gumbel:
        return choose_by_puct(tree, g, node, settings)
    if node == 0:
        return choose_by_halving(tree, g, roots, schedule, settings)
    return choose_by_policy(tree, g, node, settings)


def side_of(tree: Tree, g: int, node: int) -> int:
    """The sign that turns values into those of the player to move."""
    return 1 - 2 * int(tree.nodes[g, node, PLAYER])


def guaranteed(tree: Tree, g: int, node: int, limit: float) -> float:
    """The least value that the player to move is proven to reach."""
    side, best = side_of(tree, g, node), -limit
    first = tree.nodes[g, node, FIRST]
    for edge in range(first, first + tree.nodes[g, node, COUNT]):
        child = tree.edges[g, edge, CHILD]
        if child != NONE:
            best = max(best, tree.values[g, child, LOW] if side > 0 else -tree.values[g, child, HIGH])
    return best


def is_dominated(tree: Tree, g: int, edge: int, side: int, floor: float, limit: float) -> bool:
    """Whether another action is proven to be as good as this one can be."""
    child, low, high = tree.edges[g, edge, CHILD], -limit, limit
    if child != NONE:
        low, high = tree.values[g, child, LOW], tree.values[g, child, HIGH]
        if side < 0:
            low, high = -high, -low
    return high < floor or (high == floor and low < floor)


def is_spent(tree: Tree, g: int, node: int, edge: int) -> bool:
    """Whether the edge has nothing left to find out. Not at the root, where visits show how good an action is."""
    child = tree.edges[g, edge, CHILD]
    return node > 0 and child != NONE and is_proven(tree, g, child)


def visits_of(tree: Tree, g: int, edge: int) -> int:
    """The visits of an edge, including simulations in flight."""
    child = tree.edges[g, edge, CHILD]
    return 0 if child == NONE else tree.nodes[g, child, VISITS] + tree.nodes[g, child, IN_FLIGHT]


def value_of(tree: Tree, g: int, edge: int, side: int, unvisited: float, scale: float) -> float:
    """The value of an edge for the player to move."""
    child = tree.edges[g, edge, CHILD]
    visits = visits_of(tree, g, edge)
    if visits == 0:
        return unvisited
    total: float = side * tree.values[g, child, SUM] - tree.nodes[g, child, IN_FLIGHT] * scale
    return total / visits


def choose_by_puct(tree: Tree, g: int, node: int, settings: Settings) -> int:
    """Chooses an edge by PUCT; an action that has not been tried has the node's value."""
    side, limit = side_of(tree, g, node), settings.limit
    floor = guaranteed(tree, g, node, limit)
    own = side * tree.values[g, node, SUM] / tree.nodes[g, node, VISITS]
    visits = tree.nodes[g, node, VISITS] + tree.nodes[g, node, IN_FLIGHT] - 1
    factor = settings.exploration * settings.scale * sqrt(visits)
    first = tree.nodes[g, node, FIRST]
    best, chosen = 0.0, NONE
    for edge in range(first, first + tree.nodes[g, node, COUNT]):
        if is_dominated(tree, g, edge, side, floor, limit) or is_spent(tree, g, node, edge):
            continue
        bonus = factor * tree.priors[g, edge, PRIOR] / (1 + visits_of(tree, g, edge))
        score = value_of(tree, g, edge, side, own, settings.scale) + bonus
        if chosen == NONE or score > best:
            best, chosen = score, edge
    return chosen


def choose_by_policy(tree: Tree, g: int, node: int, settings: Settings) -> int:
    """The Gumbel search below the root: visits in the proportions of the improved policy."""
    first, count = tree.nodes[g, node, FIRST], tree.nodes[g, node, COUNT]
    improve_policy(tree, g, node, settings)
    visits = tree.nodes[g, node, VISITS] + tree.nodes[g, node, IN_FLIGHT] - 1
    best, chosen = 0.0, NONE
    for edge in range(first, first + count):
        share = tree.priors[g, edge, SCORE]
        score = share - visits_of(tree, g, edge) / (1 + visits)
        if share > 0 and not is_spent(tree, g, node, edge) and (chosen == NONE or score > best):
            best, chosen = score, edge
    return chosen


def improve_policy(tree: Tree, g: int, node: int, settings: Settings) -> None:
    """Writes the scores: the softmax of logits and transformed values; 0 for dominated actions."""
    first, count = tree.nodes[g, node, FIRST], tree.nodes[g, node, COUNT]
    write_logits(tree, g, node, settings)
    highest, total = -inf, 0.0
    for edge in range(first, first + count):
        highest = max(highest, tree.priors[g, edge, SCORE])
    for edge in range(first, first + count):
        score = tree.priors[g, edge, SCORE]
        tree.priors[g, edge, SCORE] = max(exp(score - highest), LEAST) if score > -inf else 0.0
        total += tree.priors[g, edge, SCORE]
    for edge in range(first, first + count):
        tree.priors[g, edge, SCORE] /= total


def write_logits(tree: Tree, g: int, node: int, settings: Settings) -> None:
    """Writes logits plus transformed values into the scores; dominated actions get the lowest."""
    side, limit = side_of(tree, g, node), settings.limit
    floor = guaranteed(tree, g, node, limit)
    first, count = tree.nodes[g, node, FIRST], tree.nodes[g, node, COUNT]
    most = 0
    for edge in range(first, first + count):
        most = max(most, visits_of(tree, g, edge))
    scale = (settings.visit_offset + most) * settings.value_scale / (2 * settings.scale)
    unvisited = mixed_value(tree, g, node, side, settings.scale)
    for edge in range(first, first + count):
        if is_dominated(tree, g, edge, side, floor, limit):
            tree.priors[g, edge, SCORE] = -inf
        else:
            value = value_of(tree, g, edge, side, unvisited, settings.scale)
            tree.priors[g, edge, SCORE] = tree.priors[g, edge, LOGIT] + scale * value


def mixed_value(tree: Tree, g: int, node: int, side: int, scale: float) -> float:
    """The value of an untried action: a mix of the evaluator's value and the tried actions' values under the policy."""
    first, count = tree.nodes[g, node, FIRST], tree.nodes[g, node, COUNT]
    weight, total, visits = 0.0, 0.0, 0
    for edge in range(first, first + count):
        tried = visits_of(tree, g, edge)
        if tried:
            prior = tree.priors[g, edge, PRIOR]
            weight += prior
            total += prior * value_of(tree, g, edge, side, 0.0, scale)
            visits += tried
    raw: float = side * tree.values[g, node, RAW]
    return raw if weight == 0 else (raw + visits * total / weight) / (1 + visits)


def choose_by_halving(tree: Tree, g: int, roots: Roots, schedule: Any, settings: Settings) -> int:
    """The Gumbel search at the root: of the actions with the visits that are due, the one with the best score."""
    first, count = tree.nodes[g, 0, FIRST], tree.nodes[g, 0, COUNT]
    due = schedule[min(count, len(schedule) - 1), settings.simulations - roots.left[g]]
    write_logits(tree, g, root_of(g), settings)
    best, chosen, is_due = 0.0, NONE, False
    for edge in range(first, first + count):
        if tree.priors[g, edge, SCORE] == -inf:
            continue
        score = roots.noise[g, edge - first] + tree.priors[g, edge, SCORE]
        is_next = visits_of(tree, g, edge) == due
        if chosen == NONE or (is_next and not is_due) or (is_next == is_due and score > best):
            best, chosen, is_due = score, edge, is_next
    return chosen


def back_up(tree: Tree, g: int, node: int, value: float, limit: float) -> None:
    """Ends a simulation. The node's sum grows by `value`, unless its rolls or its bounds change that."""
    has_news = tree.nodes[g, node, VISITS] == 0 and is_proven(tree, g, node)
    while node != NONE:
        old = tree.values[g, node, SUM]
        tree.nodes[g, node, VISITS] += 1
        tree.nodes[g, node, IN_FLIGHT] -= 1
        visits = tree.nodes[g, node, VISITS]
        is_chance = tree.nodes[g, node, PLAYER] == CHANCE
        total = visits * expected_value(tree, g, node) if is_chance else old + value
        total = min(max(total, visits * tree.values[g, node, LOW]), visits * tree.values[g, node, HIGH])
        tree.values[g, node, SUM] = total
        value = tree.values[g, node, SUM] - old
        node = tree.nodes[g, node, PARENT]
        if has_news and node != NONE:
            has_news = tighten(tree, g, node, limit)


def expected_value(tree: Tree, g: int, node: int) -> float:
    """The mean over the rolls that have been tried, by their weights."""
    first, count = tree.nodes[g, node, FIRST], tree.nodes[g, node, COUNT]
    weight, total = 0.0, 0.0
    for edge in range(first, first + count):
        child = tree.edges[g, edge, CHILD]
        if child != NONE and tree.nodes[g, child, VISITS] > 0:
            weight += tree.priors[g, edge, PRIOR]
            total += tree.priors[g, edge, PRIOR] * tree.values[g, child, SUM] / tree.nodes[g, child, VISITS]
    return total / weight


def tighten(tree: Tree, g: int, node: int, limit: float) -> bool:
    """Takes the bounds from the children; returns whether they changed."""
    player = tree.nodes[g, node, PLAYER]
    low = combined_bound(tree, g, node, player, LOW, -limit)
    high = combined_bound(tree, g, node, player, HIGH, limit)
    is_new: bool = low != tree.values[g, node, LOW] or high != tree.values[g, node, HIGH]
    tree.values[g, node, LOW] = low
    tree.values[g, node, HIGH] = high
    return is_new


def combined_bound(tree: Tree, g: int, node: int, player: int, bound: int, untried: float) -> float:
    """The first player's best bound, the second player's, or the mean over the rolls."""
    first, count = tree.nodes[g, node, FIRST], tree.nodes[g, node, COUNT]
    best, weight, total = 0.0, 0.0, 0.0
    for edge in range(first, first + count):
        child = tree.edges[g, edge, CHILD]
        value = untried if child == NONE else tree.values[g, child, bound]
        if edge == first or (player == 0 and value > best) or (player == 1 and value < best):
            best = value
        weight += tree.priors[g, edge, PRIOR]
        total += tree.priors[g, edge, PRIOR] * value
    return total / weight if player == CHANCE else best


def expand_all(tree: Tree, leaves: Leaves, mask: Any, logits: Any, values: Any, limit: float) -> int:
    """Gives the leaves their edges and ends their simulations; returns the first row that isn't all numbers, or -1."""
    width, bad = len(leaves.node) // len(tree.used), NONE
    for at in range(len(leaves.node)):
        g, node, row = at // width, leaves.node[at], leaves.row[at]
        if node == NONE:
            continue
        if bad == NONE and not (expand(tree, g, node, mask, logits, row) and abs(values[row]) <= limit + TOLERANCE):
            bad = row
        value = values[row] * side_of(tree, g, node)
        tree.values[g, node, RAW] = value
        back_up(tree, g, node, value, limit)
    return bad


def expand(tree: Tree, g: int, node: int, mask: Any, logits: Any, row: int) -> bool:
    """Adds the legal actions with the softmax of their logits; returns whether these are numbers."""
    first = tree.used[g, EDGES]
    highest, total = -inf, 0.0
    for word in range(mask.shape[1]):
        legal = mask[row, word]
        if legal:
            for byte in range(8):
                if legal >> 8 * byte & 1:
                    logit = logits[row, 8 * word + byte]
                    add_edge(tree, g, 8 * word + byte, logit)
                    highest = max(highest, logit)
    last = tree.used[g, EDGES]
    tree.nodes[g, node, FIRST] = first
    tree.nodes[g, node, COUNT] = last - first
    for edge in range(first, last):
        tree.priors[g, edge, PRIOR] = exp(tree.priors[g, edge, LOGIT] - highest)
        total += tree.priors[g, edge, PRIOR]
    for edge in range(first, last):
        tree.priors[g, edge, PRIOR] /= total
    return total >= 1.0


def draw_gumbel(roots: Roots, tree: Tree, scale: float) -> None:
    """Draws the noise of each root action; the uniform random number is never 0 or 1."""
    for g in range(len(roots.left)):
        for k in range(tree.nodes[g, 0, COUNT]):
            uniform = (draw(roots.key[g], GUMBEL, k) + 0.5) / 4294967296.0
            roots.noise[g, k] = -log(-log(uniform)) * scale


def mix_noise(roots: Roots, tree: Tree, fraction: float) -> None:
    """Mixes noise, normalised over the legal actions, into the priors of the root."""
    for g in range(len(roots.left)):
        first, count, total = tree.nodes[g, 0, FIRST], tree.nodes[g, 0, COUNT], 0.0
        for k in range(count):
            total += roots.noise[g, k]
        for k in range(count):
            share = roots.noise[g, k] / total if total > 0 else 1.0 / count
            tree.priors[g, first + k, PRIOR] += fraction * (share - tree.priors[g, first + k, PRIOR])


def conclude_all(tree: Tree, roots: Roots, settings: Settings, found: Any) -> None:
    """Writes the results; visits that a proven root did not need go to its best action."""
    action, policy, visits, value, is_exact = found
    for g in range(len(roots.left)):
        first, count, side = tree.nodes[g, 0, FIRST], max(tree.nodes[g, 0, COUNT], 0), side_of(tree, g, root_of(g))
        is_exact[g] = is_proven(tree, g, root_of(g))
        value[g] = side * (tree.values[g, 0, LOW] if is_exact[g] else tree.values[g, 0, SUM] / tree.nodes[g, 0, VISITS])
        action[g] = NONE
        if count == 0:
            continue
        best = best_edge(tree, g, roots, settings)
        action[g] = tree.edges[g, best, ACTION]
        for edge in range(first, first + count):
            spared = roots.left[g] if edge == best else 0
            visits[g, tree.edges[g, edge, ACTION]] = visits_of(tree, g, edge) + spared
        write_policy(tree, g, best, is_exact[g], settings, policy[g])


def best_edge(tree: Tree, g: int, roots: Roots, settings: Settings) -> int:
    """The action proven best or, if there is none, the most visited one; of equal ones, the one with the best score."""
    side, limit, is_exact = side_of(tree, g, root_of(g)), settings.limit, is_proven(tree, g, root_of(g))
    floor = guaranteed(tree, g, root_of(g), limit)
    first = tree.nodes[g, 0, FIRST]
    write_logits(tree, g, root_of(g), settings)
    chosen, most, best = NONE, 0, 0.0
    for edge in range(first, first + tree.nodes[g, 0, COUNT]):
        if is_dominated(tree, g, edge, side, floor, limit):
            continue
        visits = 0 if is_exact else visits_of(tree, g, edge)
        noise = roots.noise[g, edge - first] if settings.is_gumbel else 0.0
        score = tree.priors[g, edge, SCORE] + noise
        if chosen == NONE or visits > most or (visits == most and score > best):
            chosen, most, best = edge, visits, score
    return chosen


def write_policy(tree: Tree, g: int, best: int, is_exact: bool, settings: Settings, policy: Any) -> None:
    """The improved policy of the Gumbel search, or the shares of the visits; all on the best action if it is proven."""
    first, count = tree.nodes[g, 0, FIRST], tree.nodes[g, 0, COUNT]
    if settings.is_gumbel and not is_exact:
        improve_policy(tree, g, root_of(g), settings)
    total = tree.nodes[g, 0, VISITS] - 1
    for edge in range(first, first + count):
        share = 1.0 if edge == best else 0.0
        if not is_exact:
            share = tree.priors[g, edge, SCORE] if settings.is_gumbel else visits_of(tree, g, edge) / total
        policy[tree.edges[g, edge, ACTION]] = share
