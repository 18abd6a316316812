"""One game against an opponent, as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from ludus.core.errors import MalformedAction, UnknownOption
from ludus.envs.batched.environment import as_array
from ludus.envs.gym.single_agent import SingleAgentBatch
from ludus.envs.opponents import Choice, League
from ludus.envs.options import SEED_BITS
from ludus.envs.render import RENDER_MODES, Renderer
from ludus.games import GAMES

Observation = NDArray[np.int8]
RESET_OPTIONS = ("side", "position")


def observation_space(batch: SingleAgentBatch) -> spaces.Space[Any]:
    high = batch.high
    return spaces.Box(np.zeros_like(high), high.copy(), dtype=np.int8)


class SoloEnv(gymnasium.Env[Observation, np.int64]):
    """The agent plays one seat; the opponent's replies are part of `step`."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012  # Gymnasium declares it like this

    def __init__(
        self,
        game: str,
        *,
        opponent: Choice | League = "random",
        side: str = "first",
        scoring: str = "win",
        variant: str = "standard",
        max_steps: int = 0,
        illegal: str = "raise",
        render_mode: str | None = None,
        **choices: Any,
    ) -> None:
        """`choices` are options of the game's rules."""
        self._renderer = Renderer(render_mode)
        self.render_mode = render_mode
        options = {"scoring": scoring, "variant": variant, "max_steps": max_steps} | unseeded(choices)
        self._batch = SingleAgentBatch(game, 1, opponent=opponent, side=side, illegal=illegal, **options)
        self._is_reset = False
        self.observation_space = observation_space(self._batch)
        self.action_space = spaces.Discrete(self._batch.num_actions)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a new game; `options` may have the agent's `side` and a `position`, for this game only."""
        chosen = read_options(options, RESET_OPTIONS)
        super().reset(seed=seed)
        if seed is None and not self._is_reset:
            seed = int(self.np_random.integers(SEED_BITS))
        self._batch.reset(seed=seed, side=chosen.get("side"), position=chosen.get("position"))
        self._is_reset = True
        self._show()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if not self._is_reset:
            raise ResetNeeded("call reset() before step()")
        batch = self._batch
        batch.play(_row(action))
        self._show()
        return (
            self._observation(),
            float(batch.reward[0]),
            bool(batch.terminated[0]),
            bool(batch.truncated[0]),
            self._info(),
        )

    def save(self) -> NDArray[np.int64]:
        """The state of the game, for `restore`."""
        if not self._is_reset:
            raise ResetNeeded("call reset() before save()")
        state: NDArray[np.int64] = self._batch.save()[0]
        return state

    def restore(self, state: NDArray[np.int64]) -> tuple[Observation, dict[str, Any]]:
        """Continues from a saved state, and returns what `reset` does."""
        self._batch.restore(np.asarray(state)[None])
        self._is_reset = True
        return self._observation(), self._info()

    def set_opponent(self, opponent: Choice | League) -> None:
        """Sets another opponent, from the next move on."""
        self._batch.set_opponent(opponent)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, under the name that MaskablePPO looks for."""
        return np.asarray(self._batch.action_mask[0], np.bool_)

    def render(self) -> Any:
        return self._renderer.draw(GAMES[self._batch.game].board(self._batch.position(0)))

    def close(self) -> None:
        self._renderer.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _observation(self) -> Observation:
        return np.array(self._batch.observation[0])

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self._batch.action_mask[0].copy()}
        return info | {"opponent": int(self._batch.opponents[0])} if self._batch.has_league else info


def _row(action: Any) -> NDArray[Any]:
    number = as_array(action)
    if number.shape != () or number.dtype.kind not in "iu":
        raise MalformedAction(f"an action is a single integer, not {number.dtype} of shape {number.shape}")
    return number.reshape(1)


def unseeded(choices: dict[str, Any]) -> dict[str, Any]:
    """The same choices, without a seed: the batch takes one too, but the first `reset` sets it."""
    if "seed" in choices:
        raise UnknownOption("the seed is an argument of reset(), not of the environment")
    return choices


def read_options(options: dict[str, Any] | None, known: Collection[str]) -> dict[str, Any]:
    """The options of `reset`, if all of them are known."""
    if unknown := set(options or {}).difference(known):
        raise UnknownOption(
            f"reset has no option {', '.join(sorted(map(repr, unknown)))}; there are {', '.join(known)}"
        )
    return options or {}
