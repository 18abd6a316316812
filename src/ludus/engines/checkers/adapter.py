"""What the platform needs from this engine. NumPy and Numba load when a player first searches."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ludus.engines.adapters import EngineAdapter
from ludus.engines.checkers.player import CheckersPlayer
from ludus.engines.engine import Limit

START: Final = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
HARD: Final = CheckersPlayer(default_nodes=1_000_000, opening_variety=0.03)


def bench_engine() -> CheckersPlayer:
    """Uses the packaged tables only: larger ones built on this machine would change the count."""
    from ludus.engines.checkers.endgames.tables import PACKAGED, load
    from ludus.engines.checkers.searcher import Searcher

    return CheckersPlayer(searcher=Searcher(tables=load(PACKAGED)))


def is_weights(entries: Collection[str]) -> bool:
    return "cells.npy" in entries


def load_weights(path: str) -> CheckersPlayer:
    from ludus.engines.checkers.searcher import Searcher
    from ludus.engines.checkers.weights import load

    return replace(HARD, searcher=Searcher(load(path)))


ADAPTER: Final = EngineAdapter(
    levels=MappingProxyType(
        {
            "beginner": CheckersPlayer(depth=1, nodes=2_000, noise=0.4, oversight=0.85, uses_tables=False),
            "novice": CheckersPlayer(depth=2, nodes=2_000, noise=0.4, oversight=0.35, uses_tables=False),
            "easy": CheckersPlayer(depth=2, nodes=2_000, noise=0.3, uses_tables=False),
            "steady": CheckersPlayer(depth=3, nodes=5_000, noise=0.15, uses_tables=False),
            "medium": CheckersPlayer(depth=5, nodes=20_000, noise=0.06, plays_out_wins=True),
            "hard": HARD,
        }
    ),
    analyst=CheckersPlayer,
    default_limit=Limit(seconds=0.5),
    report_limit=Limit(nodes=400_000, depth=22),
    deepening=(Limit(nodes=20_000), Limit(nodes=200_000), Limit(nodes=2_000_000), Limit(nodes=6_000_000)),
    review_lines=3,
    thresholds=(0.1, 0.25, 0.5),
    warmup_positions=(START, "W:WK14,K18:BK1"),
    compile_seconds=15,
    kernels=(("ludus.engines.checkers.search", "iterative_deepening"),),
    bench_positions=(
        START,
        "B:W18,21,24,25,28,29,30,31,32:B1,2,3,4,5,6,8,9,11",
        "W:W20,21,23,25,28,29,30,32:B1,3,4,5,6,8,10,11,14,K31",
        "B:W13,20,21,22,23,26,29,30,32:B1,4,5,7,10,11,12,14,15",
        "B:W17,19,20,21,31,32:B3,5,7,8,11,12",
        "B:W5,14,18,20,22,24,28,31:B2,7,8,11,13,15,16,19",
        "B:W5,9,20,28,30:B2,4,11,18,K31",
        "W:WK14,K18,K22,K23:BK1,K5,K32",
        "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
    ),
    bench_depth=14,
    bench_engine=bench_engine,
    is_weights=is_weights,
    load_weights=load_weights,
    variables=("LUDUS_ENDGAMES",),
)
