"""The handler that XLA calls for a CUDA device: it launches the kernel on XLA's stream, without Python.

The kernel is compiled by Numba and loaded with CUDA's driver as a library, whose kernels run on any stream of any
device. A problem in a kernel can only be noticed later: the kernel writes its number into memory of the host, and the
next call that sees one fails.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import jax
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.ccallback import CFunc
from numba.np.numpy_support import carray

from ludus.core.errors import IllegalAction, MalformedState, NoDevice
from ludus.envs.encoding import Encoding
from ludus.envs.jax import driver
from ludus.envs.jax.ffi import (
    API,
    ARRAY_DATA,
    ATTRIBUTES,
    CONTEXT,
    CREATE_ERROR,
    EXECUTE,
    LOW,
    MESSAGES,
    OPERANDS,
    RESULTS,
    STAGE,
    STREAM_GET,
    WORD,
    create_error,
    data,
    games,
    intrinsic,
    is_version_asked,
    load,
    message_of,
    pointer,
    store,
    target_of,
)

COMMAND_BUFFER = 1
"""A trait of the handler: XLA may put its launch into a CUDA graph."""
STREAM_BYTES = 32
PORTABLE_AND_MAPPED = 3
REFUSED = "CUDA error 000 when a step was launched"
DIGITS = REFUSED.index("000")
TEXTS: list[Any] = []
HANDLERS: list[Any] = []
"""Texts and handlers, kept for good because XLA has their addresses."""
LOCK = threading.Lock()
INT = ir.IntType(32)


class Launch(NamedTuple):
    """What the handler of an encoding needs: addresses, and the shape of a launch."""

    function: int
    """`cuLaunchKernel`."""
    kernel: int
    block: int
    shared_bytes: int
    problems: int
    """The address of a word of the host that kernels write to."""


class Driver:
    """CUDA's driver, by its C functions; each of them raises `NoDevice` if it fails or is missing."""

    def __init__(self, library: Any) -> None:
        self.library = library

    def call(self, name: str, *arguments: Any) -> None:
        code = self.function(name)(*arguments)
        if code:
            raise NoDevice(f"CUDA error {code} in {name}")

    def address_of(self, name: str) -> int:
        return ctypes.cast(self.function(name), ctypes.c_void_p).value or 0

    def function(self, name: str) -> Any:
        try:
            return getattr(self.library, name)
        except AttributeError:
            raise NoDevice(f"the NVIDIA driver has no {name}; this needs one for CUDA 12 or later") from None

    @contextmanager
    def context(self, ordinal: int) -> Iterator[None]:
        """A device's primary context, which XLA and Numba use."""
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), ordinal)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        try:
            yield
        finally:
            self.call("cuCtxPopCurrent_v2", ctypes.byref(context))

    def load(self, image: bytes, name: str, ordinals: Sequence[int]) -> int:
        """A kernel, ready for launches on these devices, even while a graph is captured."""
        library, kernel, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        options = (None, None, 0)
        self.call("cuLibraryLoadData", ctypes.byref(library), image, *options, *options)
        self.call("cuLibraryGetKernel", ctypes.byref(kernel), library, name.encode())
        for ordinal in ordinals:
            with self.context(ordinal):
                self.call("cuKernelGetFunction", ctypes.byref(function), kernel)
        return kernel.value or 0

    def host_word(self, ordinal: int) -> int:
        """The address of a word of the host that kernels on all devices can write to."""
        word = ctypes.c_void_p()
        with self.context(ordinal):
            self.call("cuMemHostAlloc", ctypes.byref(word), ctypes.c_size_t(8), PORTABLE_AND_MAPPED)
        ctypes.c_int64.from_address(word.value or 0).value = 0
        return word.value or 0


@cache
def prepare(encoding: Encoding, ordinals: tuple[int, ...]) -> Launch:
    """Compiles and loads the kernel of an encoding, which takes seconds."""
    from ludus.core.cuda import ADVICE, cuda, driver_library  # raises NoDevice where it can't be loaded
    from ludus.envs.batched.cuda import BLOCK
    from ludus.envs.jax.cuda import shared_bytes

    if not cuda.is_available() or driver_library() is None:
        raise NoDevice(f"Numba finds no CUDA device; {ADVICE}")
    image, name = compile_kernel(encoding, ordinals[0])
    found = Driver(driver_library())
    kernel, problems = found.load(image, name, ordinals), found.host_word(ordinals[0])
    return Launch(found.address_of("cuLaunchKernel"), kernel, BLOCK, shared_bytes(encoding.kernel), problems)


def compile_kernel(encoding: Encoding, ordinal: int) -> tuple[bytes, str]:
    """The machine code for a device, and the kernel's name in it."""
    from ludus.core.cuda import cuda, library_errors
    from ludus.envs.jax.cuda import SIGNATURE, make_kernel

    try:
        with cuda.gpus[ordinal]:
            compiled = make_kernel(encoding.kernel).compile(SIGNATURE)
            return machine_code(compiled), compiled.entry_name
    except library_errors() as error:
        reason = str(error).strip().partition("\n")[0]
        raise NoDevice(f"the kernel can't be compiled for this GPU ({type(error).__name__}: {reason})") from error


def machine_code(compiled: Any) -> bytes:
    """The code as linked by Numba: the driver refuses PTX from a compiler newer than itself."""
    image = compiled._codelibrary.get_cubin()
    return bytes(getattr(image, "code", image))


def raise_problem(launch: Launch) -> None:
    """Raises the problem that finished kernels have reported, once."""
    word = ctypes.c_int64.from_address(launch.problems)
    problem, word.value = word.value, 0
    if problem:
        raise (MalformedState if problem == driver.FOREIGN else IllegalAction)(MESSAGES[problem])


@intrinsic
def stream_of(_context: Any, _function: Any, _execution: Any) -> Any:
    """Asks XLA's function at this address for the stream; returns the address of an error, or 0, and the stream."""

    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        fields = builder.alloca(WORD, 4)
        for place, value in enumerate((WORD(STREAM_BYTES), WORD(0), args[1], WORD(0))):
            builder.store(value, builder.gep(fields, [WORD(place)]))
        function = builder.inttoptr(args[0], ir.FunctionType(WORD, [WORD]).as_pointer())
        error = builder.call(function, [builder.ptrtoint(fields, WORD)])
        stream = builder.load(builder.gep(fields, [WORD(3)]))
        return target.make_tuple(builder, signature.return_type, (error, stream))

    return types.UniTuple(types.int64, 2)(types.int64, types.int64), emit


@intrinsic
def launch_kernel(
    _context: Any, _function: Any, _kernel: Any, _blocks: Any, _block: Any, _shared: Any, _stream: Any, arguments: Any
) -> Any:
    """Calls `cuLaunchKernel`, which reads the arguments before it returns; returns the number of an error, or 0."""

    def emit(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        function, kernel, blocks, block, shared, stream, given = args
        values, places = (builder.alloca(WORD, arguments.count) for _ in range(2))
        for number in range(arguments.count):
            value = builder.gep(values, [WORD(number)])
            builder.store(builder.extract_value(given, number), value)
            builder.store(builder.ptrtoint(value, WORD), builder.gep(places, [WORD(number)]))
        blocks, block, shared = (builder.trunc(number, INT) for number in (blocks, block, shared))
        one, nothing = INT(1), WORD(0)
        kinds = [WORD, *[INT] * 7, *[WORD] * 3]
        call = builder.inttoptr(function, ir.FunctionType(INT, kinds).as_pointer())
        sizes = blocks, one, one, block, one, one, shared
        code = builder.call(call, [kernel, *sizes, stream, builder.ptrtoint(places, WORD), nothing])
        return builder.zext(code, WORD)

    return types.int64(*[types.int64] * 6, arguments), emit


def make_handler(launch: Launch, tag: int) -> Any:
    """The addresses become constants, so this is compiled in each process; it takes a fraction of a second."""
    function, kernel, block, shared, problems = launch
    message = address_of_text(REFUSED)

    def handle(frame: Any) -> Any:
        if is_version_asked(frame, COMMAND_BUFFER) or load(frame, STAGE) & LOW != EXECUTE:
            return 0
        functions, n = load(frame, API), games(frame)
        problem = load(problems, 0)
        if problem:
            store(problems, 0, 0)
            return create_error(load(functions, CREATE_ERROR), message_of(problem))
        if n == 0:
            return 0
        error, stream = stream_of(load(functions, STREAM_GET), load(frame, CONTEXT))
        if error:
            return error
        given, rows = data(frame, OPERANDS, 0), data(frame, RESULTS, 0)
        options = load(load(load(frame, ATTRIBUTES), 0), ARRAY_DATA)
        arguments = (
            given, rows, data(frame, OPERANDS, 1), data(frame, OPERANDS, 2), data(frame, RESULTS, 1),
            data(frame, RESULTS, 2), data(frame, RESULTS, 3), data(frame, RESULTS, 4), data(frame, RESULTS, 5),
            data(frame, RESULTS, 6), problems, n, int(given != rows), tag, load(options, 0), load(options, 1),
            load(options, 2), load(options, 3), load(options, 4), load(options, 5),
        )  # fmt: skip
        code = launch_kernel(function, kernel, (n + block - 1) // block, block, shared, stream, arguments)
        if code:
            digits = carray(pointer(message + DIGITS), 3, np.uint8)
            for place in range(3):
                digits[2 - place] = 48 + code // 10**place % 10
            return create_error(load(functions, CREATE_ERROR), message)
        return 0

    return handle


def make_refusal(text: str) -> Any:
    """A handler for devices that nothing can be launched on."""
    message = address_of_text(text)

    def refuse(frame: Any) -> Any:
        if is_version_asked(frame, 0) or load(frame, STAGE) & LOW != EXECUTE:
            return 0
        return create_error(load(load(frame, API), CREATE_ERROR), message)

    return refuse


def address_of_text(text: str) -> int:
    """The address of a copy of the text, which stays where it is."""
    TEXTS.append(ctypes.create_string_buffer(text.encode()))
    return ctypes.addressof(TEXTS[-1])


def compile_handler(handle: Any) -> Any:
    handler: Any = CFunc(handle, ((types.int64,), types.int64), {}, {"nopython": True})
    handler.compile()
    HANDLERS.append(handler)
    return handler


def register(encoding: Encoding, tag: int, ordinals: tuple[int, ...]) -> Launch | None:
    """Makes XLA find the handler for these CUDA devices, once; if something is missing, a handler that says so."""
    with LOCK:
        return _register(encoding, tag, ordinals)


@cache
def _register(encoding: Encoding, tag: int, ordinals: tuple[int, ...]) -> Launch | None:
    launch: Launch | None = None
    try:
        launch = prepare(encoding, ordinals)
        handle = make_handler(launch, tag)
    except NoDevice as error:
        handle = make_refusal(str(error))
    handler, traits = jax.ffi.pycapsule(compile_handler(handle).ctypes), COMMAND_BUFFER if launch else 0
    jax.ffi.register_ffi_target(target_of(encoding), handler, platform="CUDA", traits=traits)
    return launch
