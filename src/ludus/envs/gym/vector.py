"""Many games against an opponent, as Gymnasium has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ludus.envs.batched.cpu import as_array
from ludus.envs.gym.duel import SEED_BITS, Duel, Seeds
from ludus.envs.gym.env import read_options
from ludus.envs.gym.views import Observation, mask_info, observation_space
from ludus.envs.opponents import Choice
from ludus.envs.render import RENDER_MODES, Renderer
from ludus.games import GAMES

Steps = tuple[Observation, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class LudusVectorEnv(VectorEnv[Observation, NDArray[np.int64], NDArray[Any]]):
    """The same games as `SoloEnv` plays, stepped together; those that end start anew in the same step."""

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        opponent: Choice = "random",
        side: str = "first",
        scoring: str = "win",
        variant: str = "standard",
        max_steps: int = 0,
        illegal: str = "raise",
        render_mode: str | None = None,
        threads: int | None = None,
        copy: bool = True,
    ) -> None:
        """Without `copy` observations and masks are the env's own arrays, and the next step overwrites them."""
        self._renderer = Renderer(render_mode)
        self.render_mode = render_mode
        options = {"scoring": scoring, "variant": variant, "max_steps": max_steps, "threads": threads}
        self._duel = Duel(game, num_envs, opponent=opponent, side=side, illegal=illegal, **options)
        self._is_reset = False
        self._copies = copy
        self.num_envs = num_envs
        self.single_observation_space = observation_space(game)
        self.single_action_space = spaces.Discrete(self._duel.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Seeds = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """New games; a number seeds game `i` with `seed + i`, a list each game by itself (None: it goes on)."""
        side = read_options(options)
        seed = int(seed) if isinstance(seed, np.integer) else seed
        super().reset(seed=seed if isinstance(seed, int) else None)
        if not self._is_reset:
            seed = self._filled(seed)
        self._duel.reset(seed=seed, side=side)
        self._is_reset = True
        return self._mine(self._duel.observation), mask_info(self._mine(self._duel.action_mask))

    def step(self, actions: NDArray[np.int64]) -> Steps:
        if not self._is_reset:
            raise ResetNeeded("reset() comes before step()")
        now = self._duel.step(as_array(actions))
        infos = mask_info(self._mine(now.action_mask))
        if self._duel.finals.which.any():
            infos |= self._final_infos()
        rewards = now.reward.astype(np.float64)
        return self._mine(now.observation), rewards, now.terminated.copy(), now.truncated.copy(), infos

    def action_masks(self) -> NDArray[np.bool_]:
        return np.asarray(self._duel.action_mask, np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """A picture of each game; `human` shows the first one only."""
        rules, duel = GAMES[self._duel.game], self._duel
        if self.render_mode == "human":
            self._renderer.draw(rules.board(duel.position(0)))
            return None
        return tuple(self._renderer.draw(rules.board(duel.position(i))) for i in range(self.num_envs))

    def close_extras(self, **kwargs: Any) -> None:
        self._renderer.close()

    def _filled(self, seed: Seeds) -> Seeds:
        """Before the first reset there is nothing to go on from, so that every game needs a seed."""
        if isinstance(seed, int):
            return seed
        drawn = self.np_random.integers(SEED_BITS, size=self.num_envs).tolist()
        return drawn if seed is None else [new if old is None else old for old, new in zip(seed, drawn, strict=True)]

    def _mine(self, array: NDArray[Any]) -> NDArray[Any]:
        return array.copy() if self._copies else array

    def _final_infos(self) -> dict[str, Any]:
        """What the games that ended were left with, in the form Gymnasium's own vector envs give it."""
        which, seen, mask = self._duel.finals
        last = np.full(self.num_envs, None, object)
        masks = np.zeros((self.num_envs, mask.shape[1]), np.int8)
        masks[which] = mask
        for game, row in zip(np.flatnonzero(which), seen, strict=True):
            last[game] = row
        info = {"action_mask": masks, "_action_mask": which.copy()}
        return {"final_obs": last, "_final_obs": which, "final_info": info, "_final_info": which.copy()}
