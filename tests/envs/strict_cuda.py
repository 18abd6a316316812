"""Makes Numba's CUDA simulator as strict as a device.

The simulator's arrays are NumPy's with another name: they add, compare and transpose without a copy, where a real array
refuses or copies. After `install()` they have attributes of real ones and no others, and shapes and strides come from
the code that real ones use. Host arrays are refused in launches, which would copy them there and back. The threads of a
block run one after the other, each up to the next barrier, so that a missing barrier shows at once. It is also many
times faster, since the simulator polls its threads.

Every launch and copy must name the stream that `only_on` expects, the default one outside of it. What is copied to the
host on another stream is there once that has been synchronized, and so is, for other streams, what is copied to the
device on any. `capture` records launches, which a `Graph` replays.
"""

from __future__ import annotations

import ctypes
import importlib.util
import itertools
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[2]
GARBAGE = 0xA5
"""What is in memory that nobody has written."""


def simulated(test: Callable[[], None]) -> Callable[[], None]:
    """Runs a test in a process of its own, in the strict simulator."""

    @wraps(test)
    def run() -> None:
        start = "from tests.envs import strict_cuda; strict_cuda.install()"
        check_simulated("-c", f"{start}; from {test.__module__} import {test.__name__} as test; test.__wrapped__()")

    return run


def check_simulated(*arguments: str) -> str:
    """What a Python program prints, in the simulator."""
    env = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def shapes() -> Any:
    """Numba's arithmetic of shapes and strides for real device arrays, for which the simulator has a stub."""
    folder = Path(str(importlib.util.find_spec("numba_cuda").submodule_search_locations[0]))  # type: ignore[union-attr,index]  # it is installed
    found = importlib.util.spec_from_file_location("shapes", folder / "numba/cuda/cudadrv/dummyarray.py")
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class Device:
    """What the simulated device insists on."""

    stream = 0
    graph: ClassVar[Graph | None] = None
    arriving: ClassVar[list[tuple[Any, int]]] = []
    """Memory that a copy from the host may not have reached yet, and the stream that the copy is on."""


class NotOnADevice(Exception):
    """A real device would do something else."""


def check_stream(stream: Any) -> None:
    if int(stream) != Device.stream:
        raise NotOnADevice(f"work on stream {int(stream)}, where all belongs on stream {Device.stream}")


def check_not_capturing() -> None:
    if Device.graph is not None:
        raise NotOnADevice("a device refuses to allocate, copy or wait while a stream is captured")


class Stream:
    """As torch has them: a handle is all that is known."""

    def __init__(self, handle: int) -> None:
        self.cuda_stream = handle


class ExternalStream:
    """As Numba makes them of a handle."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.pending: list[tuple[Any, Any]] = []

    def __int__(self) -> int:
        return self._handle

    def synchronize(self) -> None:
        check_not_capturing()
        for target, values in self.pending:
            target[...] = values
        self.pending.clear()
        Device.arriving = [each for each in Device.arriving if each[1] != self._handle]


DEFAULT = ExternalStream(0)


class Graph:
    """Launches and their arguments."""

    def __init__(self) -> None:
        self.launches: list[tuple[Any, Any, Any]] = []

    def replay(self) -> None:
        for kernel, settings, arguments in self.launches:
            kernel.grid_dim, kernel.block_dim, kernel.dynshared_size = settings
            kernel(*arguments)


@contextmanager
def only_on(stream: Stream) -> Iterator[None]:
    """Refuses work on any other stream."""
    before, Device.stream = Device.stream, stream.cuda_stream
    try:
        yield
    finally:
        Device.stream = before


@contextmanager
def capture(stream: Stream) -> Iterator[Graph]:
    """Launches are recorded, not run."""
    graph = Device.graph = Graph()
    try:
        with only_on(stream):
            yield graph
    finally:
        Device.graph = None


class StrictArray:
    """What `numba.cuda.cudadrv.devicearray.DeviceNDArray` does, in the host's memory."""

    __cuda_ndarray__: ClassVar[bool] = True

    def __init__(self, memory: Any, offset: int, shape: Any, strides: Any, dtype: Any) -> None:
        self._memory, self._offset = memory, offset
        self._dummy = shapes().Array.from_desc(0, tuple(shape), tuple(strides), np.dtype(dtype).itemsize)
        self.shape, self.strides, self.dtype = self._dummy.shape, self._dummy.strides, np.dtype(dtype)
        self.size, self.ndim, self.stream = self._dummy.size, self._dummy.ndim, 0

    def host_view(self) -> Any:
        """The memory itself, which only kernels and copies may see."""
        for memory, stream in Device.arriving:
            if memory is self._memory and stream != Device.stream:
                raise NotOnADevice(f"stream {Device.stream} reads what is still being copied on stream {stream}")
        return np.ndarray(self.shape, self.dtype, self._memory, self._offset, self.strides)

    def _part(self, described: Any, dtype: Any = None) -> StrictArray:
        start = self._offset + described.extent.begin
        return StrictArray(self._memory, start, described.shape, described.strides, dtype or self.dtype)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        place = (self._memory.ctypes.data + self._offset, False)
        return {"shape": self.shape, "strides": self.strides, "data": place, "typestr": self.dtype.str, "version": 3}

    @property
    def flags(self) -> dict[str, bool]:
        return dict(self._dummy.flags)

    @property
    def nbytes(self) -> int:
        return int(self.size * self.dtype.itemsize)

    def is_c_contiguous(self) -> bool:
        return bool(self._dummy.is_c_contig)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.copy_to_host().astype(dtype or self.dtype)

    @property
    def T(self) -> StrictArray:  # noqa: N802  # its name in Numba
        if self.ndim != 2:
            raise NotImplementedError("transposing a non-2D DeviceNDArray isn't supported")
        check_stream(self.stream)
        return to_device(np.ascontiguousarray(self.host_view().T))

    def reshape(self, *shape: Any, **options: Any) -> StrictArray:
        new = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        described, extents = self._dummy.reshape(*new, **options)
        if extents not in (None, [self._dummy.extent]):
            raise NotImplementedError("operation requires copying")
        return self._part(described)

    def view(self, dtype: Any) -> StrictArray:
        kind, shape, strides = np.dtype(dtype), list(self.shape), list(self.strides)
        if kind.itemsize != self.dtype.itemsize:
            if not self.is_c_contiguous():
                raise ValueError("the array must be C-contiguous")
            shape[-1], strides[-1] = shape[-1] * self.dtype.itemsize // kind.itemsize, kind.itemsize
        return StrictArray(self._memory, self._offset, shape, strides, kind)

    def __getitem__(self, item: Any) -> Any:
        found = self._dummy[item]
        list(found.iter_contiguous_extent())  # a real array does so too
        if found.is_array:
            return self._part(found)
        check_stream(self.stream)
        check_not_capturing()
        return self._part(shapes().Array.from_desc(found.extent.begin, (1,), (0,), self.dtype.itemsize)).host_view()[0]

    def copy_to_host(self, stream: Any = 0) -> Any:
        check_stream(stream)
        check_not_capturing()
        values = self.host_view().copy()
        if not stream:
            return values
        found = device_array(self.shape, self.dtype).host_view()
        stream.pending.append((found, values))
        return found

    def copy_to_device(self, source: Any, stream: Any = 0) -> None:
        check_stream(stream)
        check_not_capturing()
        values = source.host_view() if isinstance(source, StrictArray) else source
        if values.dtype != self.dtype or values.shape != self.shape:
            raise TypeError("incompatible dtype or shape")
        self.host_view()[...] = values
        if not isinstance(source, StrictArray):
            Device.arriving.append((self._memory, int(stream)))


def device_array(shape: Any, dtype: Any = np.float64) -> StrictArray:
    """A device doesn't clear its memory."""
    check_not_capturing()
    like = np.ndarray(shape, dtype)
    return StrictArray(np.full(max(like.nbytes, 1), GARBAGE, np.uint8), 0, like.shape, like.strides, dtype)


def to_device(values: Any) -> StrictArray:
    if isinstance(values, StrictArray):
        return values
    check_stream(0)
    check_not_capturing()
    given = np.asarray(values)
    if not (given.flags.c_contiguous or given.flags.f_contiguous):
        raise ValueError("Array contains non-contiguous buffer and cannot be transferred as a single memory region.")
    memory = np.frombuffer(given.tobytes("A") or b"\0", np.uint8).copy()
    return StrictArray(memory, 0, given.shape, given.strides, given.dtype)


def from_cuda_array_interface(described: dict[str, Any], owner: Any = None, sync: bool = True) -> StrictArray:
    if sync and described.get("stream") is not None:
        check_not_capturing()
    shape, kind = described["shape"], np.dtype(described["typestr"])
    strides = described["strides"] or np.ndarray(shape, kind).strides
    size = sum((n - 1) * step for n, step in zip(shape, strides, strict=True)) + kind.itemsize if all(shape) else 1
    memory = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(described["data"][0]))
    found = StrictArray(memory, 0, shape, strides, kind)
    found._owner = owner  # type: ignore[attr-defined]  # keeps the memory alive
    return found


def as_cuda_array(array: Any) -> StrictArray:
    return from_cuda_array_interface(array.__cuda_array_interface__, array)


def refuse_host_array(array: Any) -> Any:
    raise TypeError(f"a host array of shape {array.shape} in a launch would be copied to the device and back")


def dimensions(grid: Any, block: Any) -> Any:
    found = import_module("numba.cuda.errors").normalize_kernel_dimensions(grid, block)
    if not all(size for part in found for size in part):
        raise ValueError(f"a device refuses to launch {found}")
    return found


class SharedMemory:
    """In place of the simulator's, which has what was in the host's memory before: often just what is to be written."""

    def __init__(self, size: int) -> None:
        self._dynamic, self._arrays = np.full(size, GARBAGE, np.uint8), dict[Any, Any]()

    def array(self, shape: Any, dtype: Any) -> Any:
        """The same for all threads that ask for it in one line."""
        kind = import_module("numba.cuda.np.numpy_support").as_dtype(dtype) if hasattr(dtype, "name") else dtype
        if shape == 0:
            return self._dynamic.view(kind)
        asks = sys._getframe(1)
        found = self._arrays.get((asks.f_code, asks.f_lineno))
        if found is None:
            found = self._arrays[asks.f_code, asks.f_lineno] = device_array(shape, kind).host_view()
        return found


class Point(NamedTuple):
    x: int
    y: int
    z: int


class Runner(threading.Thread):
    """Runs threads of a block, one after the other; one that waits at a barrier keeps its runner."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.turn = threading.Semaphore(0)
        self.block: Any = None
        self.start()

    def run(self) -> None:
        while True:
            self.turn.acquire()
            self.block.run_pending(self)
            IDLE.append(self)
            self.block.turn.release()

    def syncthreads(self) -> None:
        self.block.waiting.append(self)
        self.block.turn.release()
        self.turn.acquire()
        if self.block.error is not None:
            raise Abandoned


class Abandoned(Exception):
    """Another thread of the block has failed."""


IDLE: list[Runner] = []
ORDERS = itertools.cycle((1, -1))
"""Blocks run their threads in either order, by turns."""


class Block:
    """In place of `numba.cuda.simulator.kernel.BlockManager`, which polls its threads."""

    def __init__(self, function: Callable[..., None], grid: Any, block: Any, debug: bool) -> None:
        self._function, self._block = function, block
        self.waiting: list[Runner] = []
        self.turn = threading.Semaphore(0)
        self.error: BaseException | None = None

    def run(self, place: Any, *arguments: Any) -> None:
        self.place, self.arguments = Point(*place), arguments
        self.pending = [Point(*each) for each in np.ndindex(*self._block)][:: next(ORDERS)]
        while self.pending or self.waiting:
            if self.pending:
                self._resume(IDLE.pop() if IDLE else Runner())
                continue
            released, self.waiting = self.waiting, []
            for runner in released:
                self._resume(runner)
        if self.error is not None:
            raise self.error

    def _resume(self, runner: Runner) -> None:
        """Until it waits or has nothing left to do."""
        runner.block = self
        runner.turn.release()
        self.turn.acquire()

    def run_pending(self, runner: Any) -> None:
        while self.pending:
            me = self.pending.pop(0)
            runner.threadIdx, runner.blockIdx, runner.thread_id = me, self.place, me.x
            try:
                self._function(*self.arguments)
            except Abandoned:
                return
            except BaseException as error:  # raised again where the kernel was launched
                self.error, self.pending = error, []


def watch_launches(kernel: Any) -> None:
    """Has the simulator's kernels check their stream, and record themselves during a capture."""
    configure, call = kernel.__getitem__, kernel.__call__

    def configured(self: Any, configuration: Any) -> Any:
        check_stream(configuration[2] if len(configuration) > 2 else 0)
        return configure(self, configuration)

    def called(self: Any, *arguments: Any) -> Any:
        if Device.graph is None:
            return call(self, *arguments)
        Device.graph.launches.append((self, (self.grid_dim, self.block_dim, self.dynshared_size), arguments))
        return None

    kernel.__getitem__, kernel.__call__ = configured, called


def install() -> None:
    core: Any = import_module("ludus.core.cuda")
    kernel: Any = import_module("numba.cuda.simulator.kernel")
    cuda = core.cuda
    for function in (device_array, to_device, from_cuda_array_interface, as_cuda_array):
        setattr(cuda, function.__name__, function)
    cuda.external_stream, cuda.default_stream = ExternalStream, lambda: DEFAULT
    core.is_capturing = lambda: Device.graph is not None and int(core.current_stream()) == Device.stream
    watch_launches(kernel.FakeCUDAKernel)
    kernel.FakeCUDAArray = StrictArray
    kernel.FakeWithinKernelCUDAArray = StrictArray.host_view
    kernel.InOut = refuse_host_array
    kernel.normalize_kernel_dimensions = dimensions
    kernel.BlockManager = Block
    kernel_api: Any = import_module("numba.cuda.simulator.kernelapi")
    kernel_api.FakeCUDAShared = SharedMemory
