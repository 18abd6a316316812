"""Sets as the bits of an integer, also as bytes, and the type of kernels' buffers."""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any

Words = MutableSequence[int]
MACHINE = "ludus.core.machine"


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


def nth(word: int, number: int) -> int:
    """The index of the set bit with this number, counted from the lowest."""
    for _ in range(number):
        word &= word - 1
    return count((word & -word) - 1)


def spread(byte: int) -> int:
    """Eight bits as eight bytes of 0 or 1, the lowest first."""
    return (byte & 127) * 0x0002040810204081 & 0x0101010101010101 | (byte & 128) << 49


def spread_by_halves(byte: int) -> int:
    """The same with two 32-bit products, which suit a GPU."""
    return (byte & 15) * 0x204081 & 0x01010101 | ((byte >> 4) * 0x204081 & 0x01010101) << 32


def spread_six(word: int) -> int:
    """Ten bits six apart."""
    return (word & 31) * 0x108421 & 0x1041041 | ((word >> 5) * 0x108421 & 0x1041041) << 30


def spread_two(word: int) -> int:
    """Thirty-two bits two apart."""
    word = (word | word << 16) & 0x0000FFFF0000FFFF
    word = (word | word << 8) & 0x00FF00FF00FF00FF
    word = (word | word << 4) & 0x0F0F0F0F0F0F0F0F
    word = (word | word << 2) & 0x3333333333333333
    return (word | word << 1) & 0x5555555555555555


def join_two(word: int) -> int:
    """Every second bit, from the lowest on."""
    word &= 0x5555555555555555
    word = (word | word >> 1) & 0x3333333333333333
    word = (word | word >> 2) & 0x0F0F0F0F0F0F0F0F
    word = (word | word >> 4) & 0x00FF00FF00FF00FF
    word = (word | word >> 8) & 0x0000FFFF0000FFFF
    return (word | word >> 16) & 0xFFFFFFFF


def list_members(word: int, names: Any, first: int, out: Any, at: int) -> int:
    """Writes the names of a set's members, bytes; that of the lowest one is at `first`. Returns where the list ends.

    What follows there may be overwritten, up to 64 bytes from `at`, with zeros.
    """
    while word:
        out[at] = names[first + count((word & -word) - 1)]
        word &= word - 1
        at += 1
    return at


def prefetch(words: Any, at: int) -> None:
    """Loads a word into the processor's cache before it is needed; does nothing unless compiled."""


def write_set(out: Any, row: int, first: int, word: int) -> None:
    """Sixty-four bits as bytes, into eight integers of a row."""
    for part in range(8):
        out[row, first + part] = spread(word >> 8 * part & 255)


def write_half(out: Any, row: int, first: int, word: int) -> None:
    """The low thirty-two bits as bytes, into four integers of a row."""
    for part in range(4):
        out[row, first + part] = spread(word >> 8 * part & 255)


def write_counts(out: Any, row: int, first: int, low: int, high: int, last: int) -> None:
    """Thirty-two four-bit numbers as bytes, their bits in the halves of `low` and `high`; `last` joins the end."""
    for part in range(4):
        ones = spread(low >> 8 * part & 255) | spread(low >> 8 * part + 32 & 255) << 1
        fours = spread(high >> 8 * part & 255) << 2 | spread(high >> 8 * part + 32 & 255) << 3
        out[row, first + part] = ones | fours | (last if part == 3 else 0)


def read_half(source: Any, first: int) -> int:
    """The set of those among thirty-two bytes that are not 0."""
    return sum(1 << part for part in range(32) if source[first + part])
