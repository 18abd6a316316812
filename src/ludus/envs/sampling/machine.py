"""`ludus.envs.sampling.lanes` for compiled code, in vectors. Importing this imports Numba."""

from __future__ import annotations

import math
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types

from ludus.core.machine import (
    WORD,
    count,
    has_compress,
    has_feature,
    inlined,
    intrinsic,
    is_cpu,
    load,
    place_of,
    store,
    store_members,
)
from ludus.envs.sampling.lanes import LANES
from ludus.envs.sampling.weights import C1, C2, C3, C4, C5, FRACTION, ONE, RANGE

HAS_PRODUCTS = has_feature("avx512ifma")
BYTE, SHORT, FLOAT = ir.IntType(8), ir.IntType(32), ir.FloatType()
FLOATS, WORDS = ir.VectorType(FLOAT, LANES), ir.VectorType(WORD, LANES)


def _each(kind: Any, value: Any) -> Any:
    """A constant vector."""
    return ir.Constant(kind, [value] * kind.count)


def _spread(builder: Any, value: Any) -> Any:
    """A vector with the value in each lane."""
    kind = ir.VectorType(value.type, LANES)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(SHORT, 0))
    return builder.shuffle_vector(one, one, _each(ir.VectorType(SHORT, LANES), 0))


def _lane(builder: Any, vector: Any, number: int) -> Any:
    return builder.extract_element(vector, ir.Constant(SHORT, number))


def _moved(builder: Any, vector: Any, other: Any, lanes: list[int]) -> Any:
    """A vector with these lanes of a vector and, from `LANES` on, of another one."""
    return builder.shuffle_vector(vector, other, ir.Constant(ir.VectorType(SHORT, LANES), lanes))


def _list_by_loop(word: int, first: int, ids: Any, at: int) -> int:
    while word:
        ids[at] = first + count((word & -word) - 1)
        word &= word - 1
        at += 1
    return at


@intrinsic
def _list_set(_context: Any, _word: Any, _first: Any, ids: Any, _at: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        if not has_compress(target):
            return target.compile_internal(builder, _list_by_loop, signature, args)
        word, first, array, at = args
        kind = ir.VectorType(BYTE, 64)
        start = builder.insert_element(
            ir.Constant(kind, ir.Undefined), builder.trunc(first, BYTE), ir.Constant(SHORT, 0)
        )
        start = builder.shuffle_vector(start, start, _each(ir.VectorType(SHORT, 64), 0))
        members = builder.add(ir.Constant(kind, list(range(64))), start)
        place = place_of(target, builder, signature.args[2], array, at)
        return builder.add(at, store_members(builder, word, members, place))

    return numba.int64(numba.int64, numba.int64, ids, numba.int64), emit


@intrinsic
def _gather(_context: Any, logits: Any, _row: Any, ids: Any, _at: Any, _end: Any, values: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        first = place_of(target, builder, signature.args[0], args[0], args[1])
        listed = place_of(target, builder, signature.args[2], args[2], args[3])
        found = ir.Constant(FLOATS, ir.Undefined)
        for lane in range(LANES):
            action = builder.zext(builder.load(builder.gep(listed, [ir.Constant(WORD, lane)])), WORD)
            found = builder.insert_element(found, builder.load(builder.gep(first, [action])), ir.Constant(SHORT, lane))
        left = _spread(builder, builder.sub(args[4], args[3]))
        is_here = builder.icmp_signed("<", ir.Constant(WORDS, list(range(LANES))), left)
        found = builder.select(is_here, found, _each(FLOATS, -math.inf))
        store(builder, found, place_of(target, builder, signature.args[5], args[5], args[3]))
        flags = builder.bitcast(builder.fcmp_unordered("uno", found, found), BYTE)
        return builder.select(
            builder.icmp_unsigned("!=", flags, ir.Constant(BYTE, 0)),
            ir.Constant(FLOAT, math.nan),
            _highest(builder, found),
        )

    return numba.float32(logits, numba.int64, ids, numba.int64, numba.int64, values), emit


def _highest(builder: Any, vector: Any) -> Any:
    """The greatest of eight numbers."""
    for distance in (4, 2, 1):
        other = _moved(builder, vector, vector, [(lane + distance) % LANES for lane in range(LANES)])
        vector = builder.select(builder.fcmp_ordered(">", vector, other), vector, other)
    return _lane(builder, vector, 0)


@intrinsic
def _lower(_context: Any, values: Any, _at: Any, _highest: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = place_of(target, builder, signature.args[0], args[0], args[1])
        store(builder, builder.fsub(load(builder, place, FLOATS), _spread(builder, args[2])), place)
        return target.get_dummy_value()

    return types.void(values, numba.int64, numba.float32), emit


@intrinsic
def _weigh(_context: Any, values: Any, _at: Any, _scale: Any, _total: Any, sums: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = load(builder, place_of(target, builder, signature.args[0], args[0], args[1]), FLOATS)
        weights = _weights(target, builder, builder.fmul(found, _spread(builder, args[2])))
        for distance in (1, 2, 4):
            lanes = [LANES if lane < distance else lane - distance for lane in range(LANES)]
            weights = builder.add(weights, _moved(builder, weights, _each(WORDS, 0), lanes))
        place = place_of(target, builder, signature.args[4], args[4], args[1])
        store(builder, builder.add(weights, _spread(builder, args[3])), place)
        return builder.add(args[3], _lane(builder, weights, LANES - 1))

    return numba.int64(values, numba.int64, numba.float32, numba.int64, sums), emit


def _weights(target: Any, builder: Any, exponents: Any) -> Any:
    """`ludus.envs.sampling.weights.weight_of`, after its product. A rise has less than 32 bits."""
    shift = _each(WORDS, FRACTION)
    scaled = builder.fmul(exponents, _each(FLOATS, float(1 << FRACTION)))
    drop = builder.sext(builder.fptosi(scaled, ir.VectorType(SHORT, LANES)), WORDS)
    rise = builder.add(_each(WORDS, RANGE << FRACTION), drop)
    part, power = builder.and_(rise, _each(WORDS, (1 << FRACTION) - 1)), _each(WORDS, C5)
    for coefficient in (C4, C3, C2, C1, ONE):
        power = _next_power(target, builder, coefficient, power, part)
    is_near = builder.fcmp_ordered(">", exponents, _each(FLOATS, -float(RANGE)))
    weights = builder.lshr(power, builder.sub(_each(WORDS, RANGE), builder.lshr(rise, shift)))
    return builder.select(is_near, weights, _each(WORDS, 0))


def _next_power(target: Any, builder: Any, coefficient: int, power: Any, part: Any) -> Any:
    """One instruction on some processors: it adds the high half of a product of 52 bits."""
    if not (HAS_PRODUCTS and is_cpu(target)):
        product = builder.lshr(builder.mul(power, part), _each(WORDS, FRACTION))
        return builder.add(_each(WORDS, coefficient), product)
    kind = ir.FunctionType(WORDS, [WORDS, WORDS, WORDS])
    multiply = cgutils.get_or_insert_function(builder.module, kind, "llvm.x86.avx512.vpmadd52h.uq.512")
    return builder.call(multiply, [_each(WORDS, coefficient), power, builder.shl(part, _each(WORDS, 52 - FRACTION))])


@intrinsic
def _count_up_to(_context: Any, sums: Any, _at: Any, _mark: Any) -> Any:
    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = load(builder, place_of(target, builder, signature.args[0], args[0], args[1]), WORDS)
        flags = builder.icmp_signed("<=", found, _spread(builder, args[2]))
        return builder.zext(builder.ctpop(builder.bitcast(flags, BYTE)), WORD)

    return numba.int64(sums, numba.int64, numba.int64), emit


@inlined
def list_set(word: int, first: int, ids: Any, at: int) -> int:
    return _list_set(word, first, ids, at)


@inlined
def gather(logits: Any, row: int, ids: Any, at: int, end: int, values: Any) -> Any:
    return _gather(logits, row, ids, at, end, values)


@inlined
def lower(values: Any, at: int, highest: Any) -> None:
    _lower(values, at, highest)


@inlined
def weigh(values: Any, at: int, scale: Any, total: int, sums: Any) -> int:
    return _weigh(values, at, scale, total, sums)


@inlined
def count_up_to(sums: Any, at: int, mark: int) -> int:
    return _count_up_to(sums, at, mark)
