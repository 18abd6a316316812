"""Counts an engine's work on fixed positions; the count stays the same if a code change leaves all choices the same."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ludus.engines import Analyst, Limit, adapter, analyst
from ludus.games import GAMES


class Count(NamedTuple):
    position: str
    move: str
    nodes: int
    seconds: float


def count(game: str, clock: Callable[[], float] = time.perf_counter) -> Iterator[Count]:
    """The engine's work on each of the game's positions, to a fixed depth."""
    own, rules = adapter(game), GAMES[game]
    engine: Analyst = own.bench_engine() if own.bench_engine else analyst(game)
    positions = [rules.notation.read_position(text) for text in own.bench_positions]
    for position in positions:  # compile, load and build everything first
        engine.analyse(rules, position, Limit(depth=1), (), 1)
    for text, position in zip(own.bench_positions, positions, strict=True):
        began = clock()
        best = engine.analyse(rules, position, Limit(depth=own.bench_depth), (), 1)[0]
        yield Count(text, rules.notation.write_move(position, best.move), best.nodes, clock() - began)
