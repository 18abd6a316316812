"""The games in JAX: `init` and `step` for `jit`, `vmap`, `scan` and mctx, compiled code that XLA calls on the CPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.core.extras import extra

if TYPE_CHECKING:
    from ludus.envs.jax.env import JaxEnv


def make(game: str, **options: Any) -> JaxEnv:
    """A game as an environment for JAX; see `JaxEnv` for the options."""
    with extra("jax"):
        from ludus.envs.jax.env import JaxEnv
    return JaxEnv(game, **options)
