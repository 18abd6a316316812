"""A trained policy as an engine: it acts one hop or one die at a time, and its actions make up a whole move."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from random import Random
from typing import Any, Self

import numpy as np

from ludus.core.errors import UnknownOption
from ludus.engines.engine import Limit
from ludus.envs.batched.backgammon import PASS
from ludus.envs.opponents import actions_of
from ludus.envs.policy import Policy
from ludus.envs.table import Backgammon, Checkers, Encoding
from ludus.games.backgammon.position import Step


class PolicyPlayer:
    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._table: Encoding = Checkers(6, np.int8) if policy.game == "checkers" else Backgammon("standard")

    @classmethod
    def load(cls, path: str | PathLike[str], game: str) -> Self:
        policy = Policy.load(path)
        if policy.game != game:
            raise UnknownOption(f"{path} plays {policy.game}, not {game}")
        return cls(policy)

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """The move of its highest logits; nothing is left to chance."""
        actions = self._act_for_a_turn(position)
        if self._policy.game == "checkers":
            return next(move for move in rules.moves(position) if actions_of(position, move) == actions)
        return rules.resolve(position, _steps(actions))[0]

    def _act_for_a_turn(self, position: Any) -> list[int]:
        table, actions = self._table, []
        table.place(position)
        player, is_over = table.player, 0
        while table.player == player and not is_over:
            actions.append(int(self._policy.act(self._seen(), table.mask())))
            is_over = table.act(actions[-1])
        return actions

    def _seen(self) -> Any:
        """What the player to move sees, as policies are trained: in checkers the planes come first."""
        seen = self._table.observe(self._table.player)
        return seen.transpose(2, 0, 1) if self._policy.game == "checkers" else seen


def _steps(actions: list[int]) -> list[Step]:
    """Each action is a place and a die; a pass has no step."""
    pairs = [divmod(action, 6) for action in actions if action != PASS]
    return [Step(25 - place, max(25 - place - die - 1, 0)) for place, die in pairs]
