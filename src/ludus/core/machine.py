"""`ludus.core.bits` for compiled code: the same functions in one machine instruction each, or few.

Importing this imports Numba; only `ludus.core.kernel` does.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features
from numba.core import cgutils, types
from numba.extending import intrinsic as numba_intrinsic

from ludus.core import bits

WORD = ir.IntType(64)
HAS_PDEP = bool(get_host_cpu_features().get("bmi2", False))
jit: Any = numba.njit
intrinsic: Any = numba_intrinsic
"""Untyped: an intrinsic is declared with a typing context, which Numba passes itself."""
inlined = jit(_nrt=False, forceinline=True)


@intrinsic
def _count(_context: Any, _word: Any) -> Any:
    return numba.int64(numba.int64), lambda _target, builder, _signature, args: builder.ctpop(args[0])


@intrinsic
def _reverse(_context: Any, _word: Any) -> Any:
    return numba.int64(numba.int64), lambda _target, builder, _signature, args: builder.bitreverse(args[0])


@inlined
def count(word: int) -> int:
    return _count(word)


@inlined
def reverse(word: int) -> int:
    return _reverse(word)


spread = inlined(bits.spread)
spread_by_halves = inlined(bits.spread_by_halves)


def _nth_by_loop(word: int, number: int) -> int:
    for _ in range(number):
        word &= word - 1
    return count((word & -word) - 1)


@intrinsic
def _nth(_context: Any, _word: Any, _number: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        """One `pdep` instruction, where the processor has it."""
        if not HAS_PDEP or "CPU" not in type(target).__name__:
            return target.compile_internal(builder, _nth_by_loop, signature, args)
        kind = ir.FunctionType(WORD, [WORD, WORD])
        deposit = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64")
        bit = builder.call(deposit, [builder.shl(ir.Constant(WORD, 1), args[1]), args[0]])
        return builder.cttz(bit, ir.Constant(ir.IntType(1), 0))

    return numba.int64(numba.int64, numba.int64), emit


@inlined
def nth(word: int, number: int) -> int:
    return _nth(word, number)


def _bytes_of(builder: Any, word: Any, lanes: int) -> Any:
    """A vector of bytes, 0 or 1, from the low bits of a word."""
    low = builder.trunc(word, ir.IntType(lanes)) if lanes < 64 else word
    return builder.zext(builder.bitcast(low, ir.VectorType(ir.IntType(1), lanes)), ir.VectorType(ir.IntType(8), lanes))


def _store(target: Any, builder: Any, signature: Any, args: Any, vector: Any) -> Any:
    """Stores a vector; `args` are array, row and column, and the array's integers are aligned to eight bytes."""
    kind = signature.args[0]
    array = target.make_array(kind)(target, builder, args[0])
    place = cgutils.get_item_pointer(target, builder, kind, array, [args[1], args[2]], wraparound=False)
    builder.store(vector, builder.bitcast(place, vector.type.as_pointer())).align = 8
    return target.get_dummy_value()


@intrinsic
def _write_set(_context: Any, out: Any, _row: Any, _first: Any, _word: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _store(target, builder, signature, args, _bytes_of(builder, args[3], 64))

    return types.void(out, numba.int64, numba.int64, numba.int64), emit


@intrinsic
def _write_half(_context: Any, out: Any, _row: Any, _first: Any, _word: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _store(target, builder, signature, args, _bytes_of(builder, args[3], 32))

    return types.void(out, numba.int64, numba.int64, numba.int64), emit


@intrinsic
def _write_counts(_context: Any, out: Any, _row: Any, _first: Any, _low: Any, _high: Any, _last: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        total = ir.Constant(ir.VectorType(ir.IntType(8), 32), [0] * 32)
        for plane in range(4):
            half = builder.lshr(args[3 + plane // 2], ir.Constant(WORD, 32 * (plane % 2)))
            weight = ir.Constant(total.type, [plane] * 32)
            total = builder.or_(total, builder.shl(_bytes_of(builder, half, 32), weight))
        words, third = builder.bitcast(total, ir.VectorType(WORD, 4)), ir.Constant(ir.IntType(32), 3)
        last = builder.or_(builder.extract_element(words, third), args[5])
        return _store(target, builder, signature, args, builder.insert_element(words, last, third))

    return types.void(out, numba.int64, numba.int64, numba.int64, numba.int64, numba.int64), emit


@inlined
def write_set(out: Any, row: int, first: int, word: int) -> None:
    _write_set(out, row, first, word)


@inlined
def write_half(out: Any, row: int, first: int, word: int) -> None:
    _write_half(out, row, first, word)


@inlined
def write_counts(out: Any, row: int, first: int, low: int, high: int, last: int) -> None:
    _write_counts(out, row, first, low, high, last)


@intrinsic
def _read_half(_context: Any, source: Any, _first: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        array = target.make_array(kind)(target, builder, args[0])
        place = cgutils.get_item_pointer(target, builder, kind, array, [args[1]], wraparound=False)
        vector = ir.VectorType(ir.IntType(8), 32)
        loaded = builder.load(builder.bitcast(place, vector.as_pointer()))
        loaded.align = 1
        is_set = builder.icmp_unsigned("!=", loaded, ir.Constant(vector, [0] * 32))
        return builder.zext(builder.bitcast(is_set, ir.IntType(32)), WORD)

    return numba.int64(source, numba.int64), emit


@inlined
def read_half(source: Any, first: int) -> int:
    return _read_half(source, first)
