"""`ludus.core.bits` for compiled code: the same functions, in one or a few machine instructions each.

Importing this imports Numba; only compiled code does.
"""

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from llvmlite.binding import get_host_cpu_features, get_host_cpu_name
from numba.core import cgutils, types
from numba.core import config as numba_config
from numba.extending import intrinsic as numba_intrinsic

from ludus.core import bits

WORD = ir.IntType(64)
WITH_BMI2 = ("x86-64-v3", "x86-64-v4")
"""Names that stand for many processors."""
config: Any = numba_config
"""Untyped: Numba reads it from the environment."""


def has_feature(name: str) -> bool:
    """Whether the processor that Numba compiles for has a feature: this one, unless `NUMBA_CPU_NAME` names another."""
    if config.CPU_FEATURES:
        return f"+{name}" in config.CPU_FEATURES.split(",")
    if config.CPU_NAME and config.CPU_NAME not in ("host", get_host_cpu_name()):
        return name == "bmi2" and config.CPU_NAME in WITH_BMI2
    return bool(get_host_cpu_features().get(name, False))


HAS_PDEP = has_feature("bmi2")
HAS_COMPRESS = has_feature("avx512vbmi2")
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


def _deposit(builder: Any, word: Any, places: Any) -> Any:
    """The low bits of a word at these places, in one `pdep` instruction."""
    kind = ir.FunctionType(WORD, [WORD, WORD])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pdep.64"), [word, places])


def is_cpu(target: Any) -> bool:
    """Whether Numba is compiling for the CPU; other targets have none of its instructions."""
    return "CPU" in type(target).__name__


def _has_pdep(target: Any) -> bool:
    return HAS_PDEP and is_cpu(target)


def has_compress(target: Any) -> bool:
    return HAS_COMPRESS and is_cpu(target)


@intrinsic
def _nth(_context: Any, _word: Any, _number: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not _has_pdep(target):
            return target.compile_internal(builder, _nth_by_loop, signature, args)
        bit = _deposit(builder, builder.shl(ir.Constant(WORD, 1), args[1]), args[0])
        return builder.cttz(bit, ir.Constant(ir.IntType(1), 0))

    return numba.int64(numba.int64, numba.int64), emit


@inlined
def nth(word: int, number: int) -> int:
    return _nth(word, number)


@intrinsic
def _spread_six(_context: Any, _word: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not _has_pdep(target):
            return target.compile_internal(builder, bits.spread_six, signature, args)
        return _deposit(builder, args[0], ir.Constant(WORD, 0x0041041041041041))

    return numba.int64(numba.int64), emit


@inlined
def spread_six(word: int) -> int:
    return _spread_six(word)


EVEN_BITS = ir.Constant(WORD, 0x5555555555555555)


@intrinsic
def _spread_two(_context: Any, _word: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not _has_pdep(target):
            return target.compile_internal(builder, bits.spread_two, signature, args)
        return _deposit(builder, args[0], EVEN_BITS)

    return numba.int64(numba.int64), emit


@intrinsic
def _join_two(_context: Any, _word: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not _has_pdep(target):
            return target.compile_internal(builder, bits.join_two, signature, args)
        kind = ir.FunctionType(WORD, [WORD, WORD])
        extract = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.bmi.pext.64")
        return builder.call(extract, [args[0], EVEN_BITS])

    return numba.int64(numba.int64), emit


@inlined
def spread_two(word: int) -> int:
    return _spread_two(word)


@inlined
def join_two(word: int) -> int:
    return _join_two(word)


def place_of(target: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """A pointer to an entry of an array."""
    found = target.make_array(kind)(target, builder, array)
    return cgutils.get_item_pointer(target, builder, kind, found, [at], wraparound=False)


def load(builder: Any, place: Any, kind: Any) -> Any:
    loaded = builder.load(builder.bitcast(place, kind.as_pointer()))
    loaded.align = 1
    return loaded


def store(builder: Any, vector: Any, place: Any) -> None:
    builder.store(vector, builder.bitcast(place, vector.type.as_pointer())).align = 1


def store_members(builder: Any, word: Any, names: Any, place: Any) -> Any:
    """One `vpcompressb` on 64 bytes; returns how many are stored. A set rarely has more than half of its members."""
    kind, members = names.type, ir.VectorType(ir.IntType(1), 64)
    compress = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(kind, [kind, kind, members]), "llvm.x86.avx512.mask.compress.v64i8"
    )
    found = builder.call(compress, [names, ir.Constant(kind, [0] * 64), builder.bitcast(word, members)])
    number, half = builder.ctpop(word), ir.Constant(ir.VectorType(ir.IntType(32), 32), list(range(32)))
    store(builder, builder.shuffle_vector(found, found, half), place)
    with builder.if_then(builder.icmp_unsigned(">", number, ir.Constant(WORD, 32)), likely=False):
        store(builder, found, place)
    return number


def _list_by_loop(word: int, names: Any, first: int, out: Any, at: int) -> int:
    while word:
        out[at] = names[first + count((word & -word) - 1)]
        word &= word - 1
        at += 1
    return at


@intrinsic
def _list_members(_context: Any, _word: Any, names: Any, _first: Any, out: Any, _at: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not has_compress(target):
            return target.compile_internal(builder, _list_by_loop, signature, args)
        word, array, first, room, at = args
        kind = ir.VectorType(ir.IntType(8), 64)
        found = load(builder, place_of(target, builder, signature.args[1], array, first), kind)
        number = store_members(builder, word, found, place_of(target, builder, signature.args[3], room, at))
        return builder.add(at, number)

    return numba.int64(numba.int64, names, numba.int64, out, numba.int64), emit


@inlined
def list_members(word: int, names: Any, first: int, out: Any, at: int) -> int:
    return _list_members(word, names, first, out, at)


@intrinsic
def _prefetch(_context: Any, words: Any, _at: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        """Prefetches for reading, into all levels of the data cache."""
        pointer, flag = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        place = builder.bitcast(place_of(target, builder, signature.args[0], *args), pointer)
        builder.call(fetch, [place, *(ir.Constant(flag, value) for value in (0, 3, 1))])
        return target.get_dummy_value()

    return types.void(words, numba.int64), emit


@inlined
def prefetch(words: Any, at: int) -> None:
    _prefetch(words, at)


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
