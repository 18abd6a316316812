from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ludus.engines.backgammon.bearoff import FIRST_ROLLS, PAIR_RANKS, RANKS, ROLLS
from ludus.engines.backgammon.tables import bearoff_tables


def test_tables_are_built_once_for_all_threads() -> None:
    with ThreadPoolExecutor(4) as pool:
        assert len({id(found) for found in pool.map(lambda _: bearoff_tables(), range(8))}) == 1


def test_shapes_and_types() -> None:
    made = bearoff_tables()
    assert [table.shape for table in made] == [(RANKS, ROLLS), (RANKS, FIRST_ROLLS), (PAIR_RANKS, PAIR_RANKS)]
    assert [table.dtype for table in made] == [np.float32, np.float32, np.float64]
