"""What the batched environment is on every device: its options, its arrays and what they mean."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ludus.core.errors import MalformedAction, UnknownVariant
from ludus.envs.batched import backgammon, checkers, driver, streams
from ludus.envs.options import check_choice, check_integer, check_seed
from ludus.games import GAMES

KERNELS: Mapping[str, ModuleType] = MappingProxyType({"checkers": checkers, "backgammon": backgammon})
LAYOUTS: Mapping[str, int] = MappingProxyType({"bytes": driver.BYTES, "packed": driver.PACKED})
SCORINGS = ("win", "points")
ROOM = 16
"""Integers kept for each game; a round number, so that games do not share cache lines."""


class Step(NamedTuple):
    """What there is after a step, one row a game. The arrays are the environment's, and the next step overwrites them.

    `reward` is that of the player who acted; a game that ended has started anew, and observation, mask and `to_play`
    are those of its successor.
    """

    observation: Any
    action_mask: Any
    reward: Any
    terminated: Any
    truncated: Any
    to_play: Any


class Totals(NamedTuple):
    """What a rollout came to."""

    steps: int
    first_wins: int
    second_wins: int
    draws: int
    truncated: int

    @property
    def games(self) -> int:
        return self.first_wins + self.second_wins + self.draws + self.truncated


class Batch(abc.ABC):
    """Many games of one kind, stepped together. `ludus.envs.batch` makes one."""

    device: ClassVar[str]

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        seed: int | None = 0,
        layout: str = "bytes",
        scoring: str = "win",
        max_steps: int | None = None,
        variant: str = "standard",
    ) -> None:
        """`max_steps` truncates a game after so many steps; `scoring` pays a win with 1 or with its points.

        Without a limit (None or 0) nothing is truncated; with the seed None every environment is another.
        """
        check_choice("game", game, KERNELS)
        check_choice("layout", layout, LAYOUTS)
        check_choice("scoring", scoring, SCORINGS)
        num_envs = check_integer("num_envs", num_envs, 1, 1 << 28)
        if variant not in GAMES[game].variants:
            known = ", ".join(GAMES[game].variants)
            raise UnknownVariant(f"{game} has no variant {variant!r}; there are {known}")
        self.game = game
        self.num_envs = num_envs
        self.layout = layout
        self.variant = variant
        self._kernel = KERNELS[game]
        self._layout = LAYOUTS[layout]
        self._scored = scoring == "points"
        self._limit = check_integer("max_steps", max_steps or 0, 0)
        seed = check_seed(seed)
        self._allocate()
        self.reset(seed=seed)

    @property
    def num_actions(self) -> int:
        return int(self._kernel.ACTIONS)

    @property
    def observation(self) -> Any:
        return self._views.observation

    @property
    def action_mask(self) -> Any:
        return self._views.action_mask

    @property
    def reward(self) -> Any:
        return self._views.reward

    @property
    def terminated(self) -> Any:
        return self._views.terminated

    @property
    def truncated(self) -> Any:
        return self._views.truncated

    @property
    def to_play(self) -> Any:
        return self._views.to_play

    @abc.abstractmethod
    def _allocate(self) -> None:
        """Makes the arrays, and `_views`, the same as users see them."""

    _views: Step

    @abc.abstractmethod
    def reset(self, *, seed: int | None = None) -> Step:
        """New games everywhere; with a seed, the same ones as any environment with that seed plays."""

    @abc.abstractmethod
    def step(self, actions: Any = None) -> Step:
        """One action in each game; None plays at random."""

    @abc.abstractmethod
    def _roll_out(self, steps: int) -> Totals:
        """Random play."""

    def rollout(self, policy: Callable[[Step], Any] | None = None, *, steps: int) -> Totals:
        """Many steps at once: at random in one go, or by a policy that is called with each step's arrays."""
        steps = check_integer("steps", steps, 0)
        if policy is None:
            return self._roll_out(steps)
        counts = np.zeros(4, np.int64)
        for _ in range(steps):
            movers = self._host(self.to_play).copy()
            self.step(policy(self._views))
            ended, reward = self._host(self.terminated) != 0, self._host(self.reward)
            winners = np.where(reward[ended] != 0, movers[ended], 2)
            counts += np.bincount(winners, minlength=4)
            counts[3] += np.count_nonzero(self._host(self.truncated))
        return Totals(steps * self.num_envs, *counts.tolist())

    def _host(self, array: Any) -> Any:
        return np.asarray(array)

    def _fresh_state(self, seed: int | None, old: Any) -> Any:
        """The columns of all games before their first move; without a seed their random numbers go on."""
        kernel = self._kernel
        state = np.zeros((self.num_envs, ROOM), np.int64)
        if seed is None:
            state[:, kernel.KEY] = old[kernel.KEY]
            state[:, kernel.STEPS] = old[kernel.STEPS]
        else:
            state[:, kernel.KEY] = keys(seed, self.num_envs)
        if kernel is backgammon:
            state[:, backgammon.ROLLS] = 0 if seed is not None else old[backgammon.ROLLS]
            state[:, backgammon.START : backgammon.START + 2] = GAMES[self.game].variants[self.variant].white
        return state.T

    def _shaped(self, observation: Any, mask: Any) -> tuple[Any, Any]:
        """The arrays of words as users see them: planes of bytes, or bit sets as they are."""
        if self.layout == "packed":
            return observation, mask
        seen, allowed = observation.view(np.int8), mask.view(np.int8)
        if self._kernel is checkers:
            return seen.reshape(self.num_envs, 6, 8, 8), allowed
        return seen[:, : backgammon.OBSERVATION], allowed[:, : backgammon.ACTIONS]

    @property
    def _widths(self) -> tuple[int, int]:
        """How many words a row of the observation and of the mask has."""
        kernel = self._kernel
        if self.layout == "packed":
            return kernel.PACKED_OBSERVATION, kernel.PACKED_MASK
        return kernel.OBSERVATION_WORDS, kernel.MASK_WORDS


def keys(seed: int, number: int) -> Any:
    """The random keys of all games; only the low 63 bits of the seed count."""
    return streams.key_of(check_seed(seed), np.arange(number))  # type: ignore[arg-type]  # the same for an array


def check_actions(actions: Any, num_envs: int) -> None:
    """Refuses what is not a row of integers, whichever library's array it is."""
    shape, kind = tuple(getattr(actions, "shape", ())), str(getattr(actions, "dtype", type(actions).__name__))
    if shape != (num_envs,) or "int" not in kind:
        raise MalformedAction(f"actions must be {num_envs} integers in a row, not {kind} of shape {shape}")
