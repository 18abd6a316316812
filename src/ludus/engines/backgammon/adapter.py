"""What the platform needs from this engine. NumPy and Numba load when a player first evaluates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from ludus.core.errors import BadInput
from ludus.engines.adapters import EngineAdapter
from ludus.engines.backgammon.linear import LinearPlayer
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.backgammon.study import BackgammonStudy
from ludus.engines.engine import Limit, Line
from ludus.games.backgammon.position import Position, Roll

OPENING: Final = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
BEAR_OFF: Final = "XGID=-FDBB-----------Aacbcc-c--:0:0:-1:21:0:0:0:0:10"
FEW_MEN: Final = (
    "XGID=-BBB---------------bbb----:0:0:1:21:0:0:0:0:10",
    "XGID=-BBB---------------bbb----:1:1:1:21:0:0:0:0:12",
)
"""Positions without and with a cube, which use different tables."""
MATCH: Final = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:3:0:7:10"
HARD: Final = BackgammonPlayer(depth=2, nodes=150_000)


def prospects(position: Position, limit: Limit) -> Line[None]:
    if position.mover is None:
        raise BadInput("it is nobody's turn before the opening roll; say whose: 1 or -1 in an XGID")
    return BackgammonPlayer().analyse_before_roll(position, limit)


def luck(position: Position, roll: Roll) -> float:
    from ludus.engines.backgammon.luck import luck

    return luck(position, roll)


def is_weights(entries: Collection[str]) -> bool:
    """A policy has layers too, but it also names its game."""
    return "weight_0.npy" in entries and "game.npy" not in entries


def load_weights(path: str) -> BackgammonPlayer:
    from ludus.engines.backgammon.network.network import load_arrays

    load_arrays(path)  # raises now what is wrong with the file, not at the first move
    return replace(HARD, weights=path)


ADAPTER: Final = EngineAdapter(
    levels=MappingProxyType(
        {
            "beginner": BackgammonPlayer(depth=0, noise=0.3, oversight=0.65),
            "novice": BackgammonPlayer(depth=0, noise=0.3, oversight=0.3),
            "easy": BackgammonPlayer(depth=0, noise=0.2),
            "steady": BackgammonPlayer(depth=0, noise=0.11),
            "medium": BackgammonPlayer(depth=0, noise=0.06),
            "hard": HARD,
        }
    ),
    players=MappingProxyType({"linear": LinearPlayer()}),
    analyst=BackgammonPlayer,
    prospects=prospects,
    luck=luck,
    default_limit=Limit(depth=2),  # takes less than half a second and does not depend on the clock
    report_limit=Limit(depth=1, nodes=200_000),
    deepening=(Limit(depth=0), Limit(depth=1, nodes=200_000), Limit(depth=2, nodes=1_000_000)),
    study=BackgammonStudy(),
    review_lines=40,  # practically all, so that the move played is among them
    thresholds=(0.04, 0.08, 0.16),
    warmup_positions=(OPENING, BEAR_OFF, *FEW_MEN, MATCH),
    compile_seconds=20,
    kernels=(
        ("ludus.engines.backgammon.expectimax", "expectimax"),
        ("ludus.engines.backgammon.bearoff", "write_rolls"),
        ("ludus.engines.backgammon.bearoff", "write_cube_pairs"),
    ),
    bench_positions=(
        OPENING,
        "XGID=-a--a-EBB---cDa--d-e----AA:0:0:1:53:0:0:0:0:10",
        "XGID=a---bCD-C----DbA-cbe------:0:0:-1:21:0:0:0:0:10",
        "XGID=a--EB-Da----fC---A-bb-c---:0:0:1:42:0:0:0:0:10",
        "XGID=-DBCB-B-----aB----acacbbb-:0:0:1:53:0:0:0:0:10",
        "XGID=-ABBC-BC-AA--------aadbeb-:0:0:1:43:0:0:0:0:10",
        BEAR_OFF,
    ),
    is_weights=is_weights,
    load_weights=load_weights,
)
