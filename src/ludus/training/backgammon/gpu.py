"""Runs the functions of `turns` as CUDA kernels, one thread for each index."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from ludus.core.cuda import cuda
from ludus.core.errors import NoDevice
from ludus.core.kernel import for_cuda
from ludus.training.backgammon import turns

BLOCK = 128


class Gpu:
    device = "cuda"

    def __init__(self) -> None:
        if not torch.cuda.is_available():
            raise NoDevice("torch finds no CUDA device; --device cpu works everywhere")

    def run(self, name: str, number: int, *given: Any) -> None:
        if number:
            arguments = tuple(cuda.as_cuda_array(part) if isinstance(part, torch.Tensor) else part for part in given)
            launch(name, number, arguments)


def launch(name: str, number: int, given: tuple[Any, ...]) -> None:
    """The arrays must be on the device."""
    _kernel(name)[(number + BLOCK - 1) // BLOCK, BLOCK](number, given)


@cache
def _kernel(name: str) -> Any:
    function = getattr(for_cuda(turns), name)

    @cuda.jit
    def run(number: int, given: Any) -> None:
        i = cuda.grid(1)
        if i < number:
            function(i, *given)

    return run
