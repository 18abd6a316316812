"""Numba's CUDA target, and the stream that launches and copies go to.

Where CUDA's libraries are missing, importing this module says what to install.
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, Final

import numpy as np

from ludus.core.errors import NoDevice, NotCapturable, UnknownOption
from ludus.core.extras import DISTRIBUTION

ADVICE: Final = f"with an NVIDIA GPU, pip install '{DISTRIBUTION}[cuda]'; device='cpu' runs everywhere"

if not hasattr(np, "row_stack"):  # numba-cuda up to 0.2x needs it, NumPy 2.5 has dropped it
    np.row_stack = np.vstack
try:
    from numba import cuda as _cuda
except (ImportError, OSError, RuntimeError) as error:  # RuntimeError: NVIDIA's loader of libraries finds none
    raise NoDevice(f"CUDA cannot be loaded ({str(error).partition(chr(10))[0]}); {ADVICE}") from None

cuda: Any = _cuda

# Numba's advice to authors of kernels; a small batch is its user's decision. The message starts with a colour.
warnings.filterwarnings("ignore", message=r".*Grid size \d+ will likely")

LIBRARY_ERRORS: Final = {
    "numba.cuda.cudadrv.error": ("CudaDriverError", "CudaRuntimeError", "NvvmError", "NvrtcError"),
    "cuda.bindings.nvvm": ("nvvmError",),
    "cuda.bindings.nvjitlink": ("nvJitLinkError",),
    "cuda.core._utils.cuda_utils": ("CUDAError",),
    "cuda.core.experimental._utils.cuda_utils": ("CUDAError",),  # cuda-core before 0.5
}
"""Errors of the compilers, the linker and the driver that are neither an ImportError nor a RuntimeError."""
LEGACY: Final = 1
"""The default stream's handle in interfaces where 0 means no stream."""
_STREAM: ContextVar[Any] = ContextVar("stream", default=0)


def current_stream() -> Any:
    """Numba's stream for launches and copies, 0 for the default one."""
    return _STREAM.get()


@contextmanager
def on_stream(stream: Any) -> Iterator[None]:
    """Launches and copies go to this stream: torch's, CuPy's, Numba's, any with `__cuda_stream__`, or a handle.

    If a capture of it has begun already, nothing is freed meanwhile, since that would invalidate the capture.
    """
    handle = handle_of(stream)
    token = _STREAM.set(external_stream(handle) if handle else 0)
    try:
        with cuda.defer_cleanup() if is_capturing() else nullcontext():
            yield
    finally:
        _STREAM.reset(token)


def handle_of(stream: Any) -> int:
    """The address by which CUDA knows a stream."""
    for name in ("cuda_stream", "ptr"):  # torch, CuPy
        if hasattr(stream, name):
            return int(getattr(stream, name))
    if hasattr(stream, "__cuda_stream__"):
        found = stream.__cuda_stream__
        return int((found() if callable(found) else found)[1])
    if hasattr(stream, "__int__") and not isinstance(stream, float | str | bool):
        return int(stream)
    raise UnknownOption(f"this {type(stream).__name__} is not a CUDA stream")


@lru_cache(maxsize=128)
def external_stream(handle: int) -> Any:
    """Returns the same object each time, since Numba prepares launches for each stream object it sees."""
    return cuda.external_stream(handle)


def is_capturing() -> bool:
    """Whether launches on the current stream are put into a graph instead of being run."""
    stream, library, status = current_stream(), driver_library(), ctypes.c_int(0)
    if not stream or library is None:
        return False
    failed = library.cuStreamIsCapturing(ctypes.c_void_p(int(stream)), ctypes.byref(status))
    return not failed and status.value != 0


@cache
def driver_library() -> Any:
    """CUDA's driver, for what Numba does not offer; None if it can't be found."""
    try:
        return ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return None


@cache
def library_errors() -> tuple[type[Exception], ...]:
    """What compiling and loading a kernel may raise where CUDA's libraries are missing, or don't fit the GPU."""
    found: list[type[Exception]] = [ImportError, OSError, RuntimeError]
    for name, kinds in LIBRARY_ERRORS.items():
        with suppress(ImportError):
            module = import_module(name)
            found += [getattr(module, kind) for kind in kinds if hasattr(module, kind)]
    return tuple(found)


def check_not_capturing() -> None:
    if current_stream() and is_capturing():
        raise NotCapturable(
            "this allocates memory on the device or needs the host, so it can't be part of a CUDA graph; "
            "`step` and `sample` with check=False can, after a first call outside of the capture"
        )


def device_array(shape: Any, dtype: Any) -> Any:
    check_not_capturing()
    return cuda.device_array(shape, dtype)


def to_device(values: Any) -> Any:
    """A copy on the device, complete when this returns, for every stream."""
    found = device_array(np.shape(values), values.dtype)
    write(found, values)
    return found


def write(array: Any, values: Any) -> None:
    """Copies values of the host into an array of the device; complete when this returns."""
    check_not_capturing()
    stream = current_stream()
    if np.size(values):  # Numba's simulator compares the strides of empty arrays
        array.copy_to_device(values, stream=stream)
    (stream or cuda.default_stream()).synchronize()  # CUDA's own wait may end before the values have arrived


def to_host(array: Any) -> Any:
    check_not_capturing()
    stream = current_stream()
    found = array.copy_to_host(stream=stream)
    if stream:
        stream.synchronize()
    return found


def on_device(array: Any) -> Any:
    """Another library's array as Numba's, in the same memory; arrays of the host are copied to the device.

    Where an array names the stream that fills it, work on other streams waits for that one.
    """
    if hasattr(array, "__cuda_ndarray__"):
        return array
    described = getattr(array, "__cuda_array_interface__", None)
    if described is None:
        return to_device(np.ascontiguousarray(array))
    filled_on = described.get("stream")
    must_wait = filled_on is not None and int(filled_on) != (int(current_stream()) or LEGACY)
    if must_wait:
        check_not_capturing()
    return cuda.from_cuda_array_interface(described, owner=array, sync=must_wait)
