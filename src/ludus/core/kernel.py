"""Compiles a game's kernel: the same plain functions, turned into machine code by Numba.

A kernel is a module of plain functions over integers (and, where a list comes out, one flat array that the caller
owns). `compiled(module)` gives the same functions compiled for the CPU; a CUDA kernel may call those as they are. In
Numba's CUDA simulator there is no compiler, and `for_cuda(module)` gives the plain functions instead.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
import threading
from functools import cache
from types import FunctionType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from ludus.core import bits

if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def compiled(module: ModuleType) -> Any:
    """The module's functions compiled for the CPU: seconds at the first call of each, then from a cache on disk."""
    import numba

    print_of = fingerprint(module)
    names = dict(vars(module)) | vars(_intrinsics())
    for function in functions(module):
        twin = FunctionType(function.__code__, names, function.__name__, function.__defaults__)
        twin.__module__ = module.__name__
        twin.__qualname__ = f"{function.__name__}_{print_of}"
        names[function.__name__] = numba.njit(cache=True, nogil=True)(twin)
    return SimpleNamespace(**names)


class Scratch:
    """A list of integers for a kernel to write into, one for each thread."""

    def __init__(self, kernel: Any, size: int) -> None:
        self._kernel = kernel
        self._size = size
        self._local = threading.local()

    def words(self) -> Any:
        try:
            return self._local.words
        except AttributeError:
            self._local.words = new_words(self._kernel, self._size)
            return self._local.words

    def read(self, count: int) -> list[int]:
        """The first words of the list as plain integers."""
        words = self.words()[:count]
        return words if isinstance(words, list) else words.tolist()


def new_words(kernel: Any, size: int) -> Any:
    """A list of integers as this kernel takes it: plain for the interpreter, an array for compiled functions."""
    if isinstance(kernel, ModuleType):
        return [0] * size
    import numpy as np

    return np.zeros(size, np.int64)


def for_cuda(module: ModuleType) -> Any:
    """The module's functions as a CUDA kernel can call them."""
    from numba import config

    return module if config.ENABLE_CUDASIM else compiled(module)  # type: ignore[attr-defined]


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """The functions a kernel module defines itself, in the order of the source."""
    return (f for f in vars(module).values() if isinstance(f, FunctionType) and f.__module__ == module.__name__)


def fingerprint(module: ModuleType) -> str:
    """Changes with any line the machine code is made from, so that Numba's cache is never stale."""
    import numba

    sources = [inspect.getsource(part) for part in (module, bits, sys.modules[__name__])]
    return hashlib.sha256("\0".join([numba.__version__, *sources]).encode()).hexdigest()[:12]


@cache
def _intrinsics() -> SimpleNamespace:
    """`ludus.core.bits` in one machine instruction each."""
    import numba
    from numba.extending import intrinsic

    @intrinsic
    def _count(_typing_context: Any, _word: Any) -> Any:
        def emit(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return numba.int64(numba.int64), emit

    @numba.njit
    def count(word: int) -> int:
        return _count(word)  # type: ignore[call-arg]

    return SimpleNamespace(count=count)
