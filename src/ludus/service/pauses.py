"""How long a bot takes for a move, its thinking included: about as long as a person might."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Final

PAUSES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {"easy": (0.5, 1.5), "medium": (1.0, 3.0), "hard": (2.0, 5.0)}
)
"""Shortest and longest, in seconds, by level."""


def pause(level: str, rng: Random, scale: float = 1.0) -> float:
    """Seconds from the other side's move to the bot's; `scale` stretches them, 0 leaves none.

    Bots of the operator's own take as long as `medium`.
    """
    return scale * rng.uniform(*PAUSES.get(level, PAUSES["medium"]))
