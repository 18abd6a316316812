"""Rollouts: positions played out many times, with the luck of the rolls taken off the results."""

from ludus.engines.backgammon.rollout.rollout import Rollout, Rollouts, Settings, rollout

__all__ = ["Rollout", "Rollouts", "Settings", "rollout"]
