"""Many games against an opponent, as a Gymnasium vector environment."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ludus.core.errors import UnknownOption
from ludus.envs.batched.environment import as_array
from ludus.envs.gym.env import Observation, observation_space, read_options, unseeded
from ludus.envs.gym.single_agent import Opponents, Seeds, SingleAgentBatch, read_seeds
from ludus.envs.options import SEED_BITS
from ludus.envs.render import RENDER_MODES, Renderer
from ludus.games import GAMES

RESET_OPTIONS = ("side", "position", "reset_mask")
Steps = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class LudusVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """The games of `SoloEnv` stepped together."""

    metadata: dict[str, Any] = {  # noqa: RUF012  # Gymnasium declares it like this
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        opponent: Opponents = "random",
        side: str = "first",
        scoring: str = "win",
        variant: str = "standard",
        max_steps: int = 0,
        illegal: str = "raise",
        render_mode: str | None = None,
        threads: int | None = None,
        copy: bool = True,
        autoreset_mode: str | AutoresetMode = AutoresetMode.SAME_STEP,
        **choices: Any,
    ) -> None:
        """Without `copy`, observations and masks are the env's own arrays, and the next step overwrites them.

        `choices` are options of the game's rules.
        """
        self._autoreset = read_autoreset_mode(autoreset_mode)
        self.metadata = self.metadata | {"autoreset_mode": self._autoreset}
        self._renderer = Renderer(render_mode)
        self.render_mode = render_mode
        options = {"scoring": scoring, "variant": variant, "max_steps": max_steps, "threads": threads}
        options |= unseeded(choices)
        self._batch = SingleAgentBatch(game, num_envs, opponent=opponent, side=side, illegal=illegal, **options)
        self._is_reset = False
        self._copies = copy
        self.num_envs = num_envs
        self.single_observation_space = observation_space(self._batch)
        self.single_action_space = spaces.Discrete(self._batch.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Starts games over. A number seeds game `i` with `seed + i`; in a list, None means no new seed.

        `options` may have a `side` and a `position` for these games, or a list with a position for each game of the
        environment, and a `reset_mask` of the games to start over instead of all.
        """
        chosen = read_options(options, RESET_OPTIONS)
        where = read_mask(chosen["reset_mask"], self.num_envs) if "reset_mask" in chosen else None
        if where is not None and not self._is_reset:
            raise ResetNeeded("the first reset() is one of all games")
        seed = int(seed) if isinstance(seed, np.integer) else seed
        super().reset(seed=seed if isinstance(seed, int) else None)
        if not self._is_reset:
            seed = self._complete(seed)
        self._batch.reset(seed=seed, where=where, side=chosen.get("side"), position=chosen.get("position"))
        self._is_reset = True
        return self._owned(self._batch.observation), self._infos()

    def step(self, actions: NDArray[np.int64]) -> Steps:
        if not self._is_reset:
            raise ResetNeeded("call reset() before step()")
        batch, actions = self._batch, as_array(actions)
        if self._autoreset is AutoresetMode.SAME_STEP:
            batch.step(actions)
        elif self._autoreset is AutoresetMode.NEXT_STEP:
            batch.play_or_begin(actions)
        else:
            batch.play(actions)
        infos, rewards = self._infos(), batch.reward.astype(np.float64)
        if self._autoreset is AutoresetMode.SAME_STEP and batch.final.which.any():
            infos |= self._final_infos()
        return self._owned(batch.observation), rewards, batch.terminated.copy(), batch.truncated.copy(), infos

    def save(self, where: Any = None) -> NDArray[np.int64]:
        """The states of all games or of those of `where`, a mask or indices; a row each."""
        if not self._is_reset:
            raise ResetNeeded("call reset() before save()")
        return self._batch.save(where)

    def restore(self, states: NDArray[np.int64], where: Any = None) -> tuple[Observation, dict[str, Any]]:
        """Continues from saved states in all games or in those of `where`, and returns what `reset` does."""
        if where is not None and not self._is_reset:
            raise ResetNeeded("the first restore() is one of all games")
        self._batch.restore(states, where)
        self._is_reset = True
        return self._owned(self._batch.observation), self._infos()

    def set_opponent(self, opponent: Opponents, where: Any = None) -> None:
        """Sets another opponent, from the next move on, in all games or in those of `where`, a mask or indices.

        A sequence has an opponent for each of these games.
        """
        self._batch.set_opponent(opponent, where)

    def action_masks(self) -> NDArray[np.bool_]:
        return np.asarray(self._batch.action_mask, np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each game; `human` shows the first one only."""
        rules, batch = GAMES[self._batch.game], self._batch
        if self.render_mode == "human":
            self._renderer.draw(rules.board(batch.position(0)))
            return None
        return tuple(self._renderer.draw(rules.board(batch.position(i))) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        self._renderer.close()

    def _complete(self, seed: Seeds) -> Seeds:
        """Adds missing seeds: on the first reset no random numbers can continue, so every game needs one."""
        if isinstance(seed, int):
            return seed
        drawn = self.np_random.integers(SEED_BITS, size=self.num_envs)
        is_given, seeds = read_seeds([None] * self.num_envs if seed is None else seed, self.num_envs)
        complete: list[int] = np.where(is_given, seeds, drawn).tolist()
        return complete

    def _owned(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copies else array

    def _infos(self) -> dict[str, Any]:
        """The masks of all games and, in a league, the numbers of their opponents."""
        batch, every = self._batch, np.ones(self.num_envs, np.bool_)
        infos = {"action_mask": self._owned(batch.action_mask), "_action_mask": every}
        if batch.has_league:
            infos |= {"opponent": batch.opponents.copy(), "_opponent": every.copy()}
        return infos

    def _final_infos(self) -> dict[str, Any]:
        """The last observations and masks of games that ended, in the form of Gymnasium's own vector envs."""
        which, seen, mask, _ = self._batch.final
        last = np.full(self.num_envs, None, object)
        masks = np.zeros((self.num_envs, mask.shape[1]), np.int8)
        masks[which] = mask
        for game, row in zip(np.flatnonzero(which), seen, strict=True):
            last[game] = row
        info = {"action_mask": masks, "_action_mask": which.copy()}
        if self._batch.has_league:
            numbers = np.zeros(self.num_envs, np.int64)
            numbers[which] = self._batch.final_opponents
            info |= {"opponent": numbers, "_opponent": which.copy()}
        return {"final_obs": last, "_final_obs": which, "final_info": info, "_final_info": which.copy()}


def read_autoreset_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        known = ", ".join(one.value for one in AutoresetMode)
        raise UnknownOption(f"there is no autoreset_mode {mode!r}; there are {known}") from None


def read_mask(mask: Any, number: int) -> NDArray[np.bool_]:
    found = as_array(mask)
    if found.shape != (number,) or found.dtype != np.bool_ or not found.any():
        raise UnknownOption(f"reset_mask must be {number} booleans, at least one of them True")
    return found
