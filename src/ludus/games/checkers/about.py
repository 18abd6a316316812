from __future__ import annotations

from typing import Final

from ludus.core.about import About

ABOUT: Final = About(
    title="Checkers",
    description="English draughts on 32 squares: men forward, short kings, captures forced, free choice among them.",
    tags=("perfect-info", "deterministic", "sequential", "2-player", "classic"),
    minutes=10,
    minutes_range=(5, 20),
    rated_moves=5,
    media_type="application/x-draughts-pdn",
    position_prefixes=("B:", "W:"),
    rank=1,
)
