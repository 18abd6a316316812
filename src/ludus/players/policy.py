"""A trained policy as an engine: it acts one hop or one die at a time until its actions make up a move.

A policy with a value searches with as many simulations as its file says.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from random import Random
from typing import Any, Self

from ludus.core.errors import UnknownOption
from ludus.engines.engine import Limit
from ludus.envs.encoding import find_encoding
from ludus.envs.mcts import MCTS
from ludus.envs.policy import Policy
from ludus.envs.simulator import Simulator

LEAVES, MOST_LEAVES, ROUNDS = 4, 32, 128
"""Simulations that share a call of the network: those of a search in `ROUNDS` calls, between the other two."""


class PolicyPlayer:
    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._encoding = find_encoding(policy.game)
        self._simulator = Simulator(policy.game)
        self._search = _search(policy) if policy.simulations else None

    @classmethod
    def load(cls, path: str | PathLike[str], game: str, variant: str = "standard") -> Self:
        policy = Policy.load(path)
        encoding = find_encoding(policy.game)
        if encoding.game != game:
            raise UnknownOption(f"{path} plays {policy.game}, not {game}")
        if not encoding.plays(variant):
            raise UnknownOption(f"{path} can't play {variant}: it is a policy for {policy.game} alone")
        return cls(policy)

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """The move with the highest logits, or the one that the search finds best; nothing is random."""
        if not self._encoding.shows(position):
            raise UnknownOption(f"a policy for {self._policy.game} can't see everything that counts in this game")
        return self._encoding.decode_move(rules, position, self._actions(position, past))

    def _actions(self, position: Any, past: Sequence[Any]) -> list[int]:
        simulator, actions = self._simulator, []
        simulator.set_position(position, past)
        player, is_over = simulator.player, False
        while not is_over:
            actions.append(self._act(player))
            is_over = simulator.finishes_move(actions[-1])
        return actions

    def _act(self, player: int) -> int:
        if self._search:
            return int(self._search(self._simulator.save(), search=0).action[0])
        return int(self._policy.act(self._simulator.observe(player), self._simulator.action_mask()))


def _search(policy: Policy) -> MCTS:
    """A PUCT search; below the root, a Gumbel search settles on a reply too early to gain from many simulations."""
    number = policy.simulations
    leaves = shared_leaves(number)
    return MCTS(policy.game, policy.evaluate, simulations=number, leaves=leaves, method="puct", threads=1)


def shared_leaves(simulations: int) -> int:
    return min(simulations, max(LEAVES, min(MOST_LEAVES, simulations // ROUNDS)))
