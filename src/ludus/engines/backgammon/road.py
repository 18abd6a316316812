"""Counts along one side's road, on the kernel's bit planes."""

from __future__ import annotations

from typing import Final

from ludus.games.backgammon.kernel import OFF, PLACES

PIPS: Final = tuple((1 << bit, sum(1 << place for place in range(OFF) if OFF - place >> bit & 1)) for bit in range(5))
"""A place's distance from the end, bit by bit: what the bit is worth, and the places whose distance has it."""


def pips(low: int, high: int) -> int:
    """How far all men have to go."""
    total = 0
    for worth, places in PIPS:
        total += worth * men_in(low, high, places)
    return total


def men_in(low: int, high: int, places: int) -> int:
    """How many men stand on these places."""
    upper = places << 32
    ones, twos = (low & places).bit_count(), (low & upper).bit_count()
    return ones + 2 * twos + 4 * (high & places).bit_count() + 8 * (high & upper).bit_count()


def stacked(low: int, high: int, places: int) -> int:
    """How many men stand on these places beyond the second of each."""
    crowded = (low >> 32 | high | high >> 32) & PLACES & places
    return men_in(low, high, crowded) - 2 * crowded.bit_count()
