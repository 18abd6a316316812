"""Sets kept in the bits of an integer, and lists of integers for kernels to write into."""

from __future__ import annotations

from collections.abc import MutableSequence

Words = MutableSequence[int]


def count(word: int) -> int:
    """How many bits are set; one machine instruction once `kernel.py` has compiled it."""
    return word.bit_count()
