"""The handler that XLA calls on the CPU, compiled by Numba: no Python runs inside a jitted function.

XLA passes one address, that of an `XLA_FFI_CallFrame`: operands, results and attributes, laid out as in the C header
`xla/ffi/api/c_api.h` (in the folder `jax.ffi.include_dir()`). Its fields are words of eight bytes, and the constants
here are their places. When a handler is registered, XLA compares versions of the interface and refuses old minor
versions, so the handler answers with XLA's own.
"""

from __future__ import annotations

import hashlib
import inspect
import sys
from functools import cache
from typing import Any

import jax
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.ccallback import CFunc
from numba.extending import intrinsic as numba_intrinsic
from numba.np.numpy_support import carray, farray

from ludus.core.kernel import compiled, fingerprint
from ludus.core.kernel_cache import KernelCache
from ludus.envs.batched.driver import HEADER
from ludus.envs.encoding import Encoding
from ludus.envs.jax import driver

intrinsic: Any = numba_intrinsic
"""Untyped: an intrinsic is declared with a typing context, which Numba passes itself."""
jit: Any = njit
inlined = jit(forceinline=True)

MAJOR = 0
"""The version of the interface that this is written for; later minor versions only append fields."""
EXTENSION, API, CONTEXT, STAGE, OPERANDS, RESULTS, ATTRIBUTES = 1, 2, 3, 4, 9, 14, 20
"""Places in the frame; the last three point to arrays of pointers."""
BUFFER_DATA, BUFFER_RANK, BUFFER_DIMS = 3, 4, 5
ARRAY_DATA = 2
EXTENSION_TYPE, EXTENSION_METADATA = 1, 3
METADATA, METADATA_VERSION, METADATA_TRAITS = 1, 3, 4
"""The type of the extension that asks for the version, and the places of the answers."""
EXECUTE = 3
API_VERSION, CREATE_ERROR, STREAM_GET = 4, 6, 10
"""Places in the table of XLA's functions."""
CREATE_ERROR_BYTES, INVALID_ARGUMENT = 28, 3
LOW = 0xFFFFFFFF

MESSAGES = {
    driver.FOREIGN: "these are not states of this environment, or they are of another version",
    driver.ILLEGAL: "an action is not legal in its game; choose by legal_action_mask, or set illegal='lose'",
}
WORD = ir.IntType(64)


@intrinsic
def pointer(_context: Any, _address: Any) -> Any:
    """An address as a pointer."""

    def emit(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.int64), emit


@intrinsic
def load(_context: Any, _address: Any, _place: Any) -> Any:
    """A word of the struct or array at an address."""

    def emit(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.load(builder.gep(builder.inttoptr(args[0], WORD.as_pointer()), [args[1]]))

    return types.int64(types.int64, types.int64), emit


@intrinsic
def store(_context: Any, _address: Any, _place: Any, _value: Any) -> Any:
    def emit(target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        builder.store(args[2], builder.gep(builder.inttoptr(args[0], WORD.as_pointer()), [args[1]]))
        return target.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), emit


@intrinsic
def message_of(_context: Any, _problem: Any) -> Any:
    """The address of one of the messages."""

    def emit(target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        message = WORD(0)
        for problem, text in MESSAGES.items():
            found = builder.ptrtoint(target.insert_const_string(builder.module, text), WORD)
            message = builder.select(builder.icmp_signed("==", args[0], WORD(problem)), found, message)
        return message

    return types.int64(types.int64), emit


@intrinsic
def create_error(_context: Any, _function: Any, _message: Any) -> Any:
    """Has XLA's function at this address make an error with the message at another; returns the error's address."""

    def emit(_target: Any, builder: Any, _signature: Any, args: Any) -> Any:
        fields = builder.alloca(WORD, 4)
        for place, value in enumerate((WORD(CREATE_ERROR_BYTES), WORD(0), args[1], WORD(INVALID_ARGUMENT))):
            builder.store(value, builder.gep(fields, [WORD(place)]))
        function = builder.inttoptr(args[0], ir.FunctionType(WORD, [WORD]).as_pointer())
        return builder.call(function, [builder.ptrtoint(fields, WORD)])

    return types.int64(types.int64, types.int64), emit


@inlined
def data(frame: int, kind: int, number: int) -> int:
    """The address of an operand's or a result's memory."""
    return load(load(load(frame, kind), number), BUFFER_DATA)


@inlined
def games(frame: int) -> int:
    """The number of games: the product of the dimensions of the actions."""
    actions, number = load(load(frame, OPERANDS), 1), 1
    for axis in range(load(actions, BUFFER_RANK)):
        number *= load(load(actions, BUFFER_DIMS), axis)
    return number


@inlined
def is_version_asked(frame: int, traits: int) -> bool:
    """Whether XLA asks for the version; if so, answers with it and the handler's traits."""
    extension = load(frame, EXTENSION)
    if extension == 0 or load(extension, EXTENSION_TYPE) & LOW != METADATA:
        return False
    minor = load(load(frame, API), API_VERSION) & ~LOW
    store(load(extension, EXTENSION_METADATA), METADATA_VERSION, MAJOR | minor)
    store(load(extension, EXTENSION_METADATA), METADATA_TRAITS, traits)
    return True


def target_of(encoding: Encoding) -> str:
    """The name under which XLA finds the handlers of an encoding."""
    return f"ludus_{encoding.name}"


@cache
def register(encoding: Encoding, tag: int) -> str:
    """Makes XLA find the handler of an encoding for the CPU, and returns its name; compiles it at the first call."""
    target = target_of(encoding)
    jax.ffi.register_ffi_target(target, jax.ffi.pycapsule(compile_handler(encoding, tag).ctypes), platform="cpu")
    jax.ffi.register_ffi_target_as_batch_partitionable(target)
    return target


def compile_handler(encoding: Encoding, tag: int) -> Any:
    """Compiles the handler, in seconds the first time; later it comes from the cache on disk."""
    handle = make_handler(encoding.kernel, tag)
    source = inspect.getsource(sys.modules[__name__])
    mark = hashlib.sha256(f"{fingerprint(driver, encoding.kernel)} {tag} {source}".encode()).hexdigest()[:12]
    handle.__qualname__ = f"{encoding.name}_{mark}"
    handler: Any = CFunc(handle, ((types.int64,), types.int64), {}, {"nopython": True})
    handler._cache = KernelCache(handle)
    handler.compile()
    return handler


def make_handler(kernel: Any, tag: int) -> Any:
    run = compiled(driver, kernel).run
    row_words, header_bytes = HEADER + kernel.WORDS + kernel.HISTORY, 8 * HEADER
    observation_words, mask_words = kernel.OBSERVATION_WORDS, kernel.MASK_WORDS

    def handle(frame: int) -> int:
        if is_version_asked(frame, 0) or load(frame, STAGE) & LOW != EXECUTE:
            return 0
        n = games(frame)
        given, rows = data(frame, OPERANDS, 0), data(frame, RESULTS, 0)
        if given != rows:
            for word in range(n * row_words):
                store(rows, word, load(given, word))
        problem = run(
            carray(pointer(rows), n * row_words, np.int64),
            farray(pointer(rows + header_bytes), (row_words, n), np.int64),
            tag,
            carray(pointer(data(frame, OPERANDS, 1)), n, np.int32),
            carray(pointer(data(frame, OPERANDS, 2)), n, np.int64),
            carray(pointer(load(load(load(frame, ATTRIBUTES), 0), ARRAY_DATA)), driver.OPTIONS, np.int64),
            carray(pointer(data(frame, RESULTS, 1)), (n, observation_words), np.int64),
            carray(pointer(data(frame, RESULTS, 2)), (n, mask_words), np.int64),
            carray(pointer(data(frame, RESULTS, 3)), 2 * n, np.float32),
            carray(pointer(data(frame, RESULTS, 4)), n, np.int8),
            carray(pointer(data(frame, RESULTS, 5)), n, np.int8),
            carray(pointer(data(frame, RESULTS, 6)), n, np.int32),
        )
        return create_error(load(load(frame, API), CREATE_ERROR), message_of(problem)) if problem else 0

    return handle
