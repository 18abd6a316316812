"""Words that will be read soon are asked for early: one in no cache takes as long as a list of moves. Kernel code."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ludus.core.bits import Words


class Hint:
    """`hint(words, place)`: nothing to the interpreter, in compiled code one instruction that brings a word nearer."""

    def __call__(self, words: Words, place: int) -> None:
        """Reads nothing and changes nothing."""

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba takes the name for where it meets it in code that it compiles."""
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        instruction = intrinsic(self._declare)
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(instruction)

    @staticmethod
    def _declare(_context: Any, words: Any, _place: Any) -> Any:
        from numba.core import types

        return types.void(words, types.int64), Hint._emit

    @staticmethod
    def _emit(target: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite import ir

        kind, pointer, number = signature.args[0], ir.IntType(8).as_pointer(), ir.IntType(32)
        place = builder.gep(target.make_array(kind)(target, builder, args[0]).data, [args[1]])
        instruction = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], instruction)
        for_reading, into_every_cache, data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(fetch, [builder.bitcast(place, pointer), for_reading, into_every_cache, data])
        return target.get_dummy_value()


hint = Hint()


def foresee(words: Words, place: int) -> None:
    """A function of a module is part of the fingerprint of those that call it; a `hint` alone would not be."""
    hint(words, place)
