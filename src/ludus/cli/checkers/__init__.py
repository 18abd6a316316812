"""Commands that only checkers has."""

from ludus.cli.checkers.endgames import app

__all__ = ["app"]
