from __future__ import annotations

from typing import Any

import numba

from ludus.core.kernel import compiled, new_words
from ludus.engines.checkers import foresight
from ludus.engines.checkers.endgames.tables import PACKAGED, Tables
from ludus.engines.checkers.foresight import hint
from ludus.engines.checkers.memory import LINE, TABLE, new_memory

njit: Any = numba.njit


def test_what_is_asked_for_early_stays_as_it_is() -> None:
    words = new_words(compiled(foresight), 4)
    words[:] = (5, 6, 7, 8)
    foresight.foresee(words, 2)
    compiled(foresight).foresee(words, 2)
    assert words.tolist() == [5, 6, 7, 8]


def test_compiled_code_has_an_instruction_for_it() -> None:
    asking = njit(lambda words, place: hint(words, place))
    asking(new_words(compiled(foresight), 4), 2)
    (code,) = asking.inspect_llvm().values()
    assert "call void @llvm.prefetch" in code


def test_no_bucket_of_the_table_lies_on_two_lines_of_the_cache() -> None:
    for bits in range(4, 12):
        memory = new_memory(bits, Tables(PACKAGED).layout)
        assert (memory.ctypes.data // memory.itemsize + TABLE) % LINE == 0
