"""Checks of what users give: every wrong value is an `UnknownOption` that says what there is."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Collection
from typing import Any

from ludus.core.errors import UnknownOption

SEEDS = (1 << 63) - 1


def check_choice(name: str, value: Any, known: Collection[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise UnknownOption(f"there is no {name} {value!r}; there are {', '.join(known)}")


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as an int, if it is a whole number in the range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if number < low or (high is not None and number > high):
        span = f"{low} or more" if high is None else f"{low} to {high:,}"
        raise UnknownOption(f"{name} is a whole number, {span}, not {value!r}")
    return number


def check_seed(seed: Any) -> int:
    """The 63 bits of a seed that count; None stands for any."""
    if seed is None:
        return secrets.randbits(63)
    try:
        return operator.index(seed) & SEEDS
    except TypeError:
        raise UnknownOption(f"a seed is a whole number, not {seed!r}") from None
