"""How long a bot takes over a move, search included: about as long as a person."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Final

PAUSES: Final[Mapping[str, tuple[float, float]]] = MappingProxyType(
    {
        "beginner": (0.5, 1.5),
        "novice": (0.5, 1.5),
        "easy": (0.5, 1.5),
        "steady": (0.75, 2.25),
        "medium": (1.0, 3.0),
        "hard": (2.0, 5.0),
    }
)
"""Shortest and longest, in seconds, by level."""


EXHIBITION: Final = (2.0, 6.0)
"""Between two moves of bots that play for spectators: most of them come in the first half of it."""


def exhibition_pause(rng: Random, scale: float = 1.0) -> float:
    shortest, longest = EXHIBITION
    return scale * (shortest + (longest - shortest) * rng.betavariate(1.5, 3))


def pause(level: str, rng: Random, scale: float = 1.0) -> float:
    """Seconds from the opponent's move to the bot's, times `scale`. The operator's own bots pause like `medium`."""
    return scale * rng.uniform(*PAUSES.get(level, PAUSES["medium"]))
