"""Rollouts: positions played out many times, with the luck of the rolls subtracted from the results."""

from ludus.engines.backgammon.rollout.rollout import (
    CubeRollout,
    Rollout,
    Rollouts,
    Settings,
    cube_result,
    cube_starts,
    rollout,
    rollout_cube,
)

__all__ = ["CubeRollout", "Rollout", "Rollouts", "Settings", "cube_result", "cube_starts", "rollout", "rollout_cube"]
