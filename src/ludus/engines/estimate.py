"""Means with their errors."""

from __future__ import annotations

from typing import Final, NamedTuple

DEVIATIONS: Final = 1.96
"""Standard errors on either side of the mean in a 95 % confidence interval."""


class Estimate(NamedTuple):
    """A mean and its standard error, which needs at least two values."""

    mean: float
    error: float | None
