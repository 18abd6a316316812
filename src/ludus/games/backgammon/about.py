from __future__ import annotations

from typing import Final

from ludus.core.about import About

ABOUT: Final = About(
    title="Backgammon",
    description="A race of fifteen men against fifteen with dice: run, block, hit, bear off. Gammons count double.",
    tags=("perfect-info", "sequential", "2-player", "classic", "stochastic"),
    minutes=10,
    minutes_range=(5, 20),
    rated_moves=5,
    wins=("single", "gammon", "backgammon"),
    position_prefixes=("XGID",),
    perft_start="XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",  # white on roll, as in published counts
    rank=2,
)
