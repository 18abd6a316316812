"""Results of matches in a file, a line of JSON for each, so that several runs can be added up."""

from __future__ import annotations

import json
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ludus.engines.estimate import Estimate


class Result(NamedTuple):
    """Of one match. The two of a pair share seed and pair, and so the dice."""

    length: int
    plies: int
    seed: int
    pair: int
    side: int
    """Ours."""
    is_won: bool
    adjusted: float
    """1 if we won, else 0, less the luck of all rolls."""


Pair = tuple[Result, Result]


class Rates(NamedTuple):
    """The share of matches won, as they fell and luck-adjusted, with standard errors over pairs."""

    matches: int
    plain: Estimate
    adjusted: Estimate


def rates(pairs: Sequence[Pair]) -> Rates:
    plain, adjusted = (
        [(getattr(one, name) + getattr(other, name)) / 2 for one, other in pairs] for name in ("is_won", "adjusted")
    )
    return Rates(2 * len(pairs), estimate(plain), estimate(adjusted))


def estimate(values: Sequence[float]) -> Estimate:
    """The error of a single value is not a number."""
    return Estimate(statistics.mean(values), statistics.stdev(values) / len(values) ** 0.5 if values[1:] else math.nan)


def append(path: Path, pair: Pair) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(json.dumps(result._asdict()) + "\n" for result in pair))


def read(paths: Iterable[Path]) -> list[Pair]:
    """All pairs of these files, which must have been played to the same length at the same plies, each once."""
    found = defaultdict[tuple[int, int], list[Result]](list)
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    for result in (Result(**json.loads(line)) for line in lines):
        found[result.seed, result.pair].append(result)
    if len({(result.length, result.plies) for pair in found.values() for result in pair}) != 1:
        raise SystemExit("these matches differ in length or plies")
    if any([result.side for result in pair] != [0, 1] for pair in found.values()):
        raise SystemExit("a pair of these matches is not whole, or there twice")
    return [(one, other) for one, other in found.values()]
