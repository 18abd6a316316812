"""Gymnasium environments: one agent, and an opponent that replies within the step."""

from __future__ import annotations

from ludus.core.extras import extra
from ludus.envs.encoding import games

with extra("envs"):
    import gymnasium

    from ludus.envs.gym.env import SoloEnv
    from ludus.envs.gym.vector import LudusVectorEnv

__all__ = ["LudusVectorEnv", "SoloEnv", "register"]


def register() -> None:
    """Registers `ludus/Game-v0` for every game that has environments, once; `import ludus.envs` does it."""
    for game in games():
        name = f"ludus/{game.capitalize()}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name, f"{__name__}:SoloEnv", vector_entry_point=f"{__name__}:LudusVectorEnv", kwargs={"game": game}
            )
