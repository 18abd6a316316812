"""Gymnasium environments: one agent, and an opponent that replies within the step."""

from __future__ import annotations

from ludus.core.extras import extra
from ludus.envs.encoding import games, versions

with extra("envs"):
    import gymnasium

    from ludus.envs.gym.env import SoloEnv
    from ludus.envs.gym.vector import LudusVectorEnv

__all__ = ["LudusVectorEnv", "SoloEnv", "register"]


def register() -> None:
    """Registers every version of every game that has environments, once; `import ludus.envs` does it."""
    for game in games():
        for version, encoding in versions(game).items():
            name = f"ludus/{encoding.gym_id}"
            if name not in gymnasium.registry:
                many, kwargs = f"{__name__}:LudusVectorEnv", {"game": version}
                gymnasium.register(name, f"{__name__}:SoloEnv", vector_entry_point=many, kwargs=kwargs)
