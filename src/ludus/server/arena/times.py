"""Moments as agents read them."""

from __future__ import annotations

from datetime import UTC, datetime


def iso(ms: int) -> str:
    """A moment since 1970 as ISO 8601, in UTC."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
