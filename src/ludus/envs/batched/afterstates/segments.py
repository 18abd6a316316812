"""Ragged arrays: segment `i` of the values goes from `offsets[i]` to `offsets[i + 1]`."""

from __future__ import annotations

from typing import Any


def find_best(i: int, offsets: Any, values: Any, chosen: Any) -> None:
    """The first of the greatest values, counted from the segment's start; -1 in an empty one. Any number beats NaN."""
    first, best = offsets[i], -1
    for k in range(offsets[i + 1] - first):
        value, top = values[first + k], values[first + max(best, 0)]
        if best < 0 or value > top or (top != top and value == value):  # only NaN differs from itself
            best = k
    chosen[i] = best


def find_all(offsets: Any, values: Any, chosen: Any) -> None:
    for i in range(len(chosen)):
        find_best(i, offsets, values, chosen)
