"""Runs the functions of `turns` for many indices: on the CPU's cores or on a GPU."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, Protocol

import torch

from ludus.core.cores import cores
from ludus.core.errors import UnknownOption
from ludus.core.kernel import compiled
from ludus.training.backgammon import turns


class Backend(Protocol):
    device: str

    def run(self, name: str, number: int, *given: Any) -> None:
        """Calls the function of this name for 0 to `number` - 1; takes tensors as they are."""
        ...


class Cpu:
    """A slice of the indices for each thread."""

    device = "cpu"

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or cores()
        self._pool = ThreadPoolExecutor(self._threads, "ludus-train")

    def run(self, name: str, number: int, *given: Any) -> None:
        arguments = tuple(part.numpy() if isinstance(part, torch.Tensor) else part for part in given)
        cuts = [number * k // self._threads for k in range(self._threads + 1)]
        slices = [(a, b) for a, b in pairwise(cuts) if a < b]
        list(self._pool.map(lambda part: _loop(name)(*part, arguments), slices))


def backend(device: str) -> Backend:
    torch.set_float32_matmul_precision("high")
    if device == "cpu":
        return Cpu()
    if device == "cuda":
        from ludus.training.backgammon.gpu import Gpu

        return Gpu()
    raise UnknownOption(f"unknown device {device!r}; choose cpu or cuda")


@cache
def _loop(name: str) -> Any:
    import numba

    function = getattr(compiled(turns), name)
    njit: Any = numba.njit(nogil=True)

    @njit
    def run(first: int, last: int, given: Any) -> None:
        for i in range(first, last):
            function(i, *given)

    return run
