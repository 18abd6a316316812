"""`ludus.engines.backgammon.network.sparse` for compiled code, in vectors. Importing this imports Numba.

With a loop over arrays, the compiler neither finds the nonzero values as fast nor keeps the sums in registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from ludus.core.machine import WORD, inlined, intrinsic
from ludus.engines.backgammon.network.sparse import LANES

BIT, SHORT, SET = ir.IntType(1), ir.IntType(32), ir.IntType(LANES)


class _Vectors:
    """An array whose numbers are read and written `LANES` at a time."""

    def __init__(self, target: Any, builder: Any, kind: Any, value: Any) -> None:
        self.array = target.make_array(kind)(target, builder, value)
        self.vector = ir.VectorType(ir.IntType(kind.dtype.bitwidth), LANES)
        self._target, self._builder, self._kind = target, builder, kind

    def place(self, *indices: Any) -> Any:
        return cgutils.get_item_pointer(self._target, self._builder, self._kind, self.array, indices, wraparound=False)

    def load(self, *indices: Any) -> Any:
        loaded = self._builder.load(self._vector_place(indices))
        loaded.align = self.vector.element.width // 8
        return loaded

    def store(self, vector: Any, *indices: Any) -> None:
        self._builder.store(vector, self._vector_place(indices)).align = self.vector.element.width // 8

    def filled(self, number: Any) -> Any:
        """A vector of one number."""
        one = self._builder.insert_element(ir.Constant(self.vector, ir.Undefined), number, ir.Constant(SHORT, 0))
        return self._builder.shuffle_vector(one, one, ir.Constant(ir.VectorType(SHORT, LANES), None))

    def _vector_place(self, indices: Any) -> Any:
        return self._builder.bitcast(self.place(*indices), self.vector.as_pointer())


@contextmanager
def _each_bit(builder: Any, bits: Any) -> Iterator[Any]:
    """A loop over the numbers of the bits that are set; its body is what this context emits."""
    left = cgutils.alloca_once_value(builder, bits)
    test, body, end = (builder.append_basic_block(name) for name in ("bits", "bit", "bits.end"))
    builder.branch(test)
    builder.position_at_end(test)
    now = builder.load(left)
    builder.cbranch(builder.icmp_unsigned("!=", now, ir.Constant(bits.type, 0)), body, end)
    builder.position_at_end(body)
    builder.store(builder.and_(now, builder.sub(now, ir.Constant(bits.type, 1))), left)
    yield builder.cttz(now, ir.Constant(BIT, 1))
    builder.branch(test)
    builder.position_at_end(end)


@intrinsic
def _write_lanes(_context: Any, out: Any, _column: Any, values: Any, matrix: Any, _part: Any) -> Any:
    """`LANES` columns of the product."""

    def emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        into, factors, rows = (_Vectors(target, builder, signature.args[i], args[i]) for i in (0, 2, 3))
        column, part, size = args[1], args[4], cgutils.unpack_tuple(builder, factors.array.shape)[0]
        sums = cgutils.alloca_once_value(builder, ir.Constant(into.vector, None))
        with cgutils.for_range_slice(builder, WORD(0), size, WORD(LANES), WORD) as (first, _):
            is_set = builder.icmp_unsigned("!=", factors.load(first), ir.Constant(factors.vector, None))
            with _each_bit(builder, builder.bitcast(is_set, SET)) as bit:
                unit = builder.add(first, builder.zext(bit, WORD))
                row = builder.sext(rows.load(part, unit, column), into.vector)
                factor = into.filled(builder.sext(builder.load(factors.place(unit)), into.vector.element))
                builder.store(builder.add(builder.load(sums), builder.mul(row, factor)), sums)
        into.store(builder.load(sums), column)
        return target.get_dummy_value()

    return types.void(out, types.int64, values, matrix, types.int64), emit


@inlined
def write_product(out: Any, values: Any, matrix: Any, part: int) -> None:
    for column in range(0, out.shape[0], LANES):
        _write_lanes(out, column, values, matrix, part)
