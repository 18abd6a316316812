"""Pgx's interface: `init` and `step` are pure functions for `jit`, `vmap`, `scan` and mctx."""

from __future__ import annotations

import dataclasses
from functools import cache, partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedAction, MalformedState, UnknownOption
from ludus.envs.batched.driver import TAG
from ludus.envs.batched.environment import SCORINGS
from ludus.envs.batched.states import StateFormat
from ludus.envs.jax import driver, ffi, launch
from ludus.envs.options import check_choice, check_integer, find_version

Array = Any
"""A JAX array; JAX isn't installed when types are checked."""
ILLEGAL = ("raise", "lose")


@dataclasses.dataclass(frozen=True, eq=False)
class State:
    """One game, or many in the leading dimensions."""

    current_player: Array
    """The player to move, 0 or 1, int32."""
    observation: Array
    """The board as the current player sees it, int8."""
    rewards: Array
    """Both players' rewards of the last step, float32."""
    terminated: Array
    truncated: Array
    legal_action_mask: Array
    """Booleans. All are True in a game that is over, which ignores its actions."""
    words: Array
    """The row that `Batch.save` has for this game; each word is two int32, the low one first."""

    def replace(self, **changes: Any) -> State:
        return dataclasses.replace(self, **changes)


jax.tree_util.register_dataclass(State)


class JaxEnv:
    """A game whose step is compiled code that XLA calls; made by `ludus.envs.jax.make`."""

    num_players = 2

    def __init__(
        self,
        game: str,
        *,
        variant: str = "standard",
        scoring: str = "win",
        max_steps: int | None = None,
        autoreset: bool = False,
        illegal: str = "raise",
        **choices: Any,
    ) -> None:
        """`scoring`, `max_steps`, `variant` and `choices` are those of `ludus.envs.batch`.

        With `autoreset` a game that ends starts over in the same step. An illegal action makes the call `raise`, on a
        GPU a later one (see `raise_illegal`), or the player who chose it `lose` a point.
        """
        encoding, self.variant = find_version(game, variant, choices)
        check_choice("scoring", scoring, SCORINGS)
        check_choice("illegal", illegal, ILLEGAL)
        self._made = partial(
            type(self), game, variant=self.variant, scoring=scoring, max_steps=max_steps, autoreset=autoreset,
            illegal=illegal,
        )  # fmt: skip
        self.game = encoding.game
        self.num_actions = encoding.num_actions
        self.observation_shape = encoding.shape
        self._kernel = encoding.kernel
        self._format = StateFormat(encoding)
        self._row = np.zeros(self._format.words, np.int64)
        self._row[TAG] = self._format.tag
        self._row[self._format.column] = encoding.initial_state(self.variant)
        self._options = np.zeros(driver.OPTIONS, np.int64)
        self._options[driver.LIMIT] = check_integer("max_steps", max_steps or 0, 0)
        self._options[driver.IS_SCORED] = scoring == "points"
        self._options[driver.AUTORESETS] = autoreset
        self._options[driver.FORFEITS] = illegal == "lose"
        self._encoding, self._target = encoding, ffi.register(encoding, self._format.tag)

    def __reduce__(self) -> Any:
        """Copies are made from the options: compiled functions can't be copied."""
        return self._made, ()

    def init(self, key: Array) -> State:
        """A new game for each JAX key; its dice are a function of the key."""
        keys = key_words(key)
        words = jnp.broadcast_to(self._row.view(np.int32), (*keys.shape[:-1], 2 * len(self._row)))
        return self._call(driver.RESET, words, keys=keys)

    def step(self, state: State, action: Array | None = None, key: Array | None = None) -> State:
        """Plays one action in each game, a random one for None.

        Without a key the dice come from the game's own stream, so a search would see the dice to come.
        """
        shape = state.words.shape[:-1]
        keys = None if key is None else key_words(key, shape)
        if action is None:
            return self._call(driver.STEP_AT_RANDOM, state.words, keys=keys)
        return self._call(driver.STEP, state.words, self._checked(action, shape), keys)

    def raise_illegal(self, state: State) -> None:
        """Waits for a state; raises if there was an illegal action on a GPU, where the call itself can't fail.

        That game is unchanged. Without this method, the host's next call after the action was noticed fails.
        """
        jax.block_until_ready(state)
        if on_cuda := self._register_cuda():
            launch.raise_problem(on_cuda)

    def save(self, state: State) -> NDArray[np.int64]:
        """The games as rows of integers, which `Batch.restore` and `StatelessEnv` take."""
        return np.asarray(state.words).view(np.int64)

    def restore(self, states: Any) -> State:
        """The games in rows saved here or by `Batch`."""
        rows = np.ascontiguousarray(self._format.check(states))
        self._format.check_rolled(rows)
        return self._call(driver.OBSERVE, jnp.asarray(rows.view(np.int32)))

    def _checked(self, action: Array, shape: tuple[int, ...]) -> Array:
        action = jnp.asarray(action)
        if action.shape != shape or not jnp.issubdtype(action.dtype, jnp.integer):
            raise MalformedAction(f"actions must be integers of shape {shape}, not {action.dtype} of {action.shape}")
        return jnp.where((action >= 0) & (action < self.num_actions), action, -1).astype(jnp.int32)

    def _register_cuda(self) -> launch.Launch | None:
        """Called once JAX has been started, which must not happen before its users have configured it."""
        devices = cuda_devices()
        return launch.register(self._encoding, self._format.tag, devices) if devices else None

    def _call(self, task: int, words: Array, actions: Array = None, keys: Array = None) -> State:
        self._register_cuda()
        shape = words.shape[:-1]
        if words.shape[-1:] != (2 * self._format.words,) or words.dtype != jnp.int32:
            raise MalformedState(f"these are not states of {self._format.name}: {words.dtype} of shape {words.shape}")
        options = self._options.copy()
        options[driver.TASK] = task
        options[driver.HAS_KEYS] = keys is not None
        call = jax.ffi.ffi_call(
            self._target, self._results(shape), vmap_method="broadcast_all", input_output_aliases={0: 0}
        )
        words, seen, legal, rewards, terminated, truncated, player = call(
            words,
            jnp.zeros(shape, jnp.int32) if actions is None else actions,
            jnp.zeros((*shape, 2), jnp.uint32) if keys is None else keys,
            options=options,
        )
        seen = seen[..., : prod(self.observation_shape)].reshape(*shape, *self.observation_shape)
        return State(player, seen, rewards, terminated, truncated, legal[..., : self.num_actions], words)

    def _results(self, shape: tuple[int, ...]) -> list[Any]:
        """What the handler writes, in its order; rows of observations and masks are whole words of eight bytes."""
        observation, mask = 8 * self._kernel.OBSERVATION_WORDS, 8 * self._kernel.MASK_WORDS
        return [
            jax.ShapeDtypeStruct((*shape, 2 * self._format.words), jnp.int32),
            jax.ShapeDtypeStruct((*shape, observation), jnp.int8),
            jax.ShapeDtypeStruct((*shape, mask), jnp.bool_),
            jax.ShapeDtypeStruct((*shape, 2), jnp.float32),
            jax.ShapeDtypeStruct(shape, jnp.bool_),
            jax.ShapeDtypeStruct(shape, jnp.bool_),
            jax.ShapeDtypeStruct(shape, jnp.int32),
        ]


@cache
def cuda_devices() -> tuple[int, ...]:
    """CUDA's numbers for the devices that JAX has in this process."""
    try:
        return tuple(device.local_hardware_id for device in jax.local_devices(backend="cuda"))
    except RuntimeError:  # JAX's way of saying that there are none
        return ()


def key_words(key: Array, shape: tuple[int, ...] | None = None) -> Array:
    """Two words of 32 bits for each key of `jax.random`, of its old or its new kind."""
    if hasattr(key, "dtype") and jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
        key = jax.random.key_data(key)
    words = jnp.atleast_1d(jnp.asarray(key))[..., :2]
    if words.dtype != jnp.uint32 or words.shape[-1:] != (2,) or shape not in (None, words.shape[:-1]):
        games = "" if shape is None else f" for games of shape {shape}"
        raise UnknownOption(f"keys{games} are those of jax.random, not {words.dtype} of shape {jnp.shape(key)}")
    return words
