"""The random actions of `step()`, for a caller who wants to see them first: `game` is the kernel being played."""

from __future__ import annotations

from typing import Any

game: Any = None
"""Bound by `ludus.core.kernel`."""


def sample_all(state: Any, first: int, actions: Any) -> None:
    """For the games from `first` on, as many as there are actions."""
    for i in range(len(actions)):
        actions[i] = game.sample_action(state, first + i)
