"""What batched environments share on every device: options, arrays and their meaning."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NamedTuple, TypedDict, TypeVar

import numpy as np

from ludus.core.errors import MalformedAction
from ludus.envs.batched import driver, streams
from ludus.envs.options import check_choice, check_integer, check_seed, find_version

LAYOUTS: Mapping[str, int] = MappingProxyType({"bytes": driver.BYTES, "packed": driver.PACKED})
SCORINGS = ("win", "points")

Array = TypeVar("Array")
"""NumPy's on a CPU, Numba's device array on a GPU."""


class Options(TypedDict, total=False):
    """What `Batch` takes by keyword."""

    seed: int | None
    layout: str
    scoring: str
    max_steps: int | None
    variant: str
    match_length: int | None
    cube: bool | None
    jacoby: bool | None
    beavers: bool | None


class Step(NamedTuple, Generic[Array]):
    """One row a game. The arrays belong to the environment, and the next step overwrites them.

    `reward` is that of the player who acted. A game that ended has been reset: observation, mask and `to_play` are
    those of its successor.
    """

    observation: Array
    action_mask: Array
    reward: Array
    terminated: Array
    truncated: Array
    to_play: Array


class Totals(NamedTuple):
    steps: int
    first_wins: int
    second_wins: int
    draws: int
    truncated: int

    @property
    def games(self) -> int:
        return self.first_wins + self.second_wins + self.draws + self.truncated


class Batch(abc.ABC, Generic[Array]):
    """Many games stepped together; made by `ludus.envs.batch`."""

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
        **choices: Any,
    ) -> None:
        """`scoring` pays 1 for a win, or its points. `max_steps` truncates games; None and 0 mean no limit.

        With `seed=None` every environment is different. `choices` are options of the game's rules; `game` may also name
        one version of its environments.
        """
        encoding, variant = find_version(game, variant, choices)
        check_choice("layout", layout, LAYOUTS)
        check_choice("scoring", scoring, SCORINGS)
        num_envs = check_integer("num_envs", num_envs, 1, 1 << 28)
        self.game = encoding.game
        self.num_envs = num_envs
        self.layout = layout
        self.variant = variant
        self._encoding = encoding
        self._kernel = encoding.kernel
        self._layout = LAYOUTS[layout]
        self._scored = scoring == "points"
        self._limit = check_integer("max_steps", max_steps or 0, 0)
        seed = check_seed(seed)
        self._allocate()
        self.observation, self.action_mask, self.reward, self.terminated, self.truncated, self.to_play = self._views
        self.reset(seed=seed)

    @property
    def num_actions(self) -> int:
        return self._encoding.num_actions

    @abc.abstractmethod
    def _allocate(self) -> None:
        """Creates the arrays, and `_views`, their public form."""

    _views: Step[Array]

    @abc.abstractmethod
    def reset(self, *, seed: int | None = None) -> Step[Array]:
        """Starts all games over; without a seed their random numbers continue."""

    @abc.abstractmethod
    def step(self, actions: Any = None) -> Step[Array]:
        """Plays one action in each game, random ones for None."""

    @abc.abstractmethod
    def _rollout(self, steps: int) -> Totals:
        """Random play."""

    def rollout(self, policy: Callable[[Step[Array]], Any] | None = None, *, steps: int) -> Totals:
        """Plays many steps: at random in one call, or by a policy called with each step's arrays."""
        steps = check_integer("steps", steps, 0)
        if policy is None:
            return self._rollout(steps)
        counts = np.zeros(4, np.int64)
        for _ in range(steps):
            movers = self._host(self.to_play).copy()
            self.step(policy(self._views))
            ended, reward = self._host(self.terminated) != 0, self._host(self.reward)
            winners = np.where(reward[ended] == 0, 2, np.where(reward[ended] > 0, movers[ended], 1 - movers[ended]))
            counts += np.bincount(winners, minlength=4)
            counts[3] += np.count_nonzero(self._host(self.truncated))
        return Totals(steps * self.num_envs, *counts.tolist())

    def _host(self, array: Any) -> Any:
        return np.asarray(array)

    def _initial_state(self, seed: int | None, old: Any) -> Any:
        """The columns of all games before their first move; without a seed their random numbers continue."""
        kernel = self._kernel
        columns = np.zeros((self.num_envs, padded(kernel.WORDS)), np.int64)
        columns[:, : kernel.WORDS] = self._encoding.initial_state(self.variant)
        if seed is not None:
            columns[:, kernel.KEY] = keys(seed, self.num_envs)
        else:
            for row in kernel.RNG:
                columns[:, row] = old[row]
        return columns.T

    def _shaped(self, observation: Any, mask: Any) -> tuple[Any, Any]:
        """The arrays of words as users see them: bytes in the game's shape, or bit sets as they are."""
        if self.layout == "packed":
            return observation, mask
        shape, seen, legal = self._encoding.shape, observation.view(np.int8), mask.view(np.int8)
        seen = seen.reshape(self.num_envs, *shape) if len(shape) > 1 else seen[:, : shape[0]]
        return seen, legal[:, : self.num_actions]

    @property
    def _widths(self) -> tuple[int, int]:
        """Words in a row of the observation and of the mask."""
        kernel = self._kernel
        if self.layout == "packed":
            return kernel.PACKED_OBSERVATION, kernel.PACKED_MASK
        return kernel.OBSERVATION_WORDS, kernel.MASK_WORDS


def padded(words: int) -> int:
    """Rounded up to whole cache lines, so that games don't share any."""
    return -(-words // 16) * 16


def keys(seed: int, number: int) -> Any:
    """The games' random keys; only the low 63 bits of the seed count."""
    return streams.key_of(check_seed(seed), np.arange(number))  # type: ignore[arg-type]  # works on arrays


def check_actions(actions: Any, num_envs: int) -> None:
    """Accepts a row of integers in any library's array."""
    shape, kind = tuple(getattr(actions, "shape", ())), str(getattr(actions, "dtype", type(actions).__name__))
    if shape != (num_envs,) or "int" not in kind:
        raise MalformedAction(f"actions must be a row of {num_envs} integers, not {kind} of shape {shape}")
