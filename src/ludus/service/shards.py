"""Shards: the platform's work is divided by ids into parts, each of which one process does at a time."""

from __future__ import annotations

from typing import Final
from zlib import crc32

SHARDS: Final = "0123456789abcdef"


def shard_of(id: str) -> str:
    """The last digit of an id, which is random; of text that ends in another letter, one made of its checksum.

    >>> shard_of("018bcfe5-687b-7000-8000-06462265b1fa"), shard_of("game/pool")
    ('a', '5')
    """
    last = id[-1:]
    return last if last and last in SHARDS else SHARDS[crc32(id.encode(errors="replace")) & 15]
