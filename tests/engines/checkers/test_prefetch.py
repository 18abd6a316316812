from __future__ import annotations

from typing import Any

import numba

from ludus.core.kernel import compiled, new_words
from ludus.engines.checkers import prefetch
from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables
from ludus.engines.checkers.prefetch import prefetch_word
from ludus.engines.checkers.state import CACHE_LINE, TABLE, new_state

njit: Any = numba.njit


def test_prefetching_changes_nothing() -> None:
    words = new_words(compiled(prefetch), 4)
    words[:] = (5, 6, 7, 8)
    prefetch.prefetch(words, 2)
    compiled(prefetch).prefetch(words, 2)
    assert words.tolist() == [5, 6, 7, 8]


def test_compiled_code_contains_a_prefetch_instruction() -> None:
    asking = njit(lambda words, place: prefetch_word(words, place))
    asking(new_words(compiled(prefetch), 4), 2)
    (code,) = asking.inspect_llvm().values()
    assert "call void @llvm.prefetch" in code


def test_no_bucket_straddles_two_cache_lines() -> None:
    for bits in range(4, 12):
        state = new_state(bits, EndgameTables(PACKAGED).layout)
        assert (state.ctypes.data // state.itemsize + TABLE) % CACHE_LINE == 0
