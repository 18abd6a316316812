"""Ids that sort by the time of their creation, and digests that stand for texts."""

from __future__ import annotations

from hashlib import blake2b
from random import Random
from uuid import UUID


def ordered_id(now: int, count: int, rng: Random) -> str:
    """A UUID of version 7: ordered by time, then by a 32-bit count, then random.

    >>> ordered_id(1_700_000_000_123, 1, Random(1))
    '018bcfe5-687b-7000-8000-06462265b1f5'
    """
    high, low = count >> 20 & 0xFFF, count & 0xFFFFF
    return str(UUID(int=now << 80 | 7 << 76 | high << 64 | 2 << 62 | low << 42 | rng.getrandbits(42)))


def digest(text: str) -> int:
    """A signed 64-bit number, as databases store them.

    >>> digest("checkers")
    -3068756220553918871
    """
    return int.from_bytes(blake2b(text.encode(errors="replace"), digest_size=8).digest(), signed=True)
