"""Sets kept in the bits of an integer, and lists of integers for kernels to write into."""

from __future__ import annotations

from collections.abc import MutableSequence

Words = MutableSequence[int]


def reverse(word: int) -> int:
    """The 64 bits in reverse order; neither the first nor the last may be set."""
    word = word >> 1 & 0x5555555555555555 | (word & 0x5555555555555555) << 1
    word = word >> 2 & 0x3333333333333333 | (word & 0x3333333333333333) << 2
    word = word >> 4 & 0x0F0F0F0F0F0F0F0F | (word & 0x0F0F0F0F0F0F0F0F) << 4
    word = word >> 8 & 0x00FF00FF00FF00FF | (word & 0x00FF00FF00FF00FF) << 8
    word = word >> 16 & 0x0000FFFF0000FFFF | (word & 0x0000FFFF0000FFFF) << 16
    return word >> 32 & 0xFFFFFFFF | (word & 0xFFFFFFFF) << 32


def count(word: int) -> int:
    """How many bits are set; one machine instruction once `kernel.py` has compiled it."""
    return word.bit_count()


def spread(byte: int) -> int:
    """Eight bits as eight bytes of 0 or 1, the lowest first."""
    return (byte & 127) * 0x0002040810204081 & 0x0101010101010101 | (byte & 128) << 49


def spread_by_halves(byte: int) -> int:
    """The same by two products of 32 bits, which is what a GPU has."""
    return (byte & 15) * 0x204081 & 0x01010101 | ((byte >> 4) * 0x204081 & 0x01010101) << 32
