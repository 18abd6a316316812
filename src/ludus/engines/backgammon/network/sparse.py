"""The product of a sparse vector with a matrix, both of integers. Kernel code; compiled, see `machine.py`."""

from __future__ import annotations

from typing import Any, Final

MACHINE: Final = "ludus.engines.backgammon.network.machine"
LANES: Final = 32
"""Numbers in a vector; arrays have a multiple of this size."""


def write_product(out: Any, values: Any, matrix: Any, part: int) -> None:
    """`values @ matrix[part]`, fast if most of the values are zero."""
    for j in range(out.shape[0]):
        out[j] = sum(int(values[i]) * int(matrix[part, i, j]) for i in range(values.shape[0]) if values[i])
