"""Moments as agents read them."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache


def iso(ms: int) -> str:
    """A moment since 1970 as ISO 8601, in UTC."""
    second, rest = divmod(ms, 1000)
    return f"{_until_the_second(second)}.{rest:03}Z"


@lru_cache(maxsize=64)  # most that is told in a second is of a few seconds
def _until_the_second(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat()[:19]
