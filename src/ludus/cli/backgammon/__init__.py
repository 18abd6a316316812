"""Commands that only backgammon has."""

from ludus.cli.backgammon.rollout import app

__all__ = ["app"]
