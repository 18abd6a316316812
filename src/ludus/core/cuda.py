"""Numba's CUDA target. Where its libraries are missing, importing this module says what to install."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ludus.core.errors import NoDevice
from ludus.core.extras import DISTRIBUTION

ADVICE: Final = f"with an NVIDIA GPU, pip install '{DISTRIBUTION}[cuda]'; device='cpu' runs everywhere"

if not hasattr(np, "row_stack"):  # numba-cuda up to 0.2x needs it, NumPy 2.5 has dropped it
    np.row_stack = np.vstack
try:
    from numba import cuda as _cuda
except (ImportError, OSError, RuntimeError) as error:  # RuntimeError: NVIDIA's loader of libraries finds none
    raise NoDevice(f"CUDA cannot be loaded ({str(error).partition(chr(10))[0]}); {ADVICE}") from None

cuda: Any = _cuda


def on_device(array: Any) -> Any:
    """Another library's array as Numba's, in the same memory; arrays of the host are copied to the device."""
    if hasattr(array, "__cuda_ndarray__"):
        return array
    if hasattr(array, "__cuda_array_interface__"):
        return cuda.as_cuda_array(array)
    return cuda.to_device(np.ascontiguousarray(array))
