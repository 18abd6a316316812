from __future__ import annotations

from typing import Final

from ludus.core.about import About

ABOUT: Final = About(
    title="Backgammon",
    description="A race of fifteen men against fifteen with dice: run, block, hit, bear off. Gammons count double.",
    tags=("perfect-info", "sequential", "2-player", "classic", "stochastic"),
    minutes=10,
    wins=("single", "gammon", "backgammon"),
    rank=2,
)
