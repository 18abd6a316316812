"""The door for Gymnasium: one agent, and an opponent who answers within the step."""

from __future__ import annotations

import gymnasium

from ludus.envs.gym.env import SoloEnv
from ludus.envs.gym.vector import LudusVectorEnv
from ludus.games import GAMES

__all__ = ["LudusVectorEnv", "SoloEnv", "register"]


def register() -> None:
    """Makes the environments known to `gymnasium.make`, once; `import ludus.envs` does it."""
    for game in GAMES:
        name = f"ludus/{game.capitalize()}-v0"
        if name not in gymnasium.registry:
            gymnasium.register(
                name, f"{__name__}:SoloEnv", vector_entry_point=f"{__name__}:LudusVectorEnv", kwargs={"game": game}
            )
