"""Prefetching: a cache miss on the transposition table costs as much as generating the moves. Kernel code."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from ludus.core.bits import Words


class PrefetchInstruction:
    """`prefetch_word(words, place)`: a no-op in the interpreter, `llvm.prefetch` in compiled code."""

    def __call__(self, words: Words, place: int) -> None:
        """Does nothing."""

    @cached_property
    def _numba_type_(self) -> Any:
        """How Numba types the name when it compiles code that uses it."""
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic

        instruction = intrinsic(self._declare)
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(instruction)

    @staticmethod
    def _declare(_context: Any, words: Any, _place: Any) -> Any:
        from numba.core import types

        return types.void(words, types.int64), PrefetchInstruction._emit

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


prefetch_word = PrefetchInstruction()


def prefetch(words: Words, place: int) -> None:
    """A wrapper, because only functions are part of the fingerprint of the code that calls them."""
    prefetch_word(words, place)
