from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ludus.core.kernel import compiled
from ludus.engines.backgammon.network import Network, sparse
from ludus.engines.backgammon.network.network import load_arrays, quantized

Positions = Callable[[int, int], tuple[tuple[int, int, int, int], ...]]


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("kernel", [sparse, compiled(sparse)], ids=["plain", "compiled"])
def test_the_product_is_that_of_numpy(kernel: Any, share: float) -> None:
    rng = np.random.default_rng(1)
    values = (rng.integers(1, 4097, 96) * (rng.random(96) < share)).astype(np.int16)
    matrix = rng.integers(-(1 << 15), 1 << 15, (2, 96, 64)).astype(np.int16)
    out = np.full(64, 7, np.int32)
    kernel.write_product(out, values, matrix, 1)
    assert out.tolist() == (values.astype(np.int32) @ matrix[1].astype(np.int32)).tolist()


def test_layers_need_not_fill_whole_vectors(positions: Positions) -> None:
    """A few units of the network alone, and the same with units that are always zero."""
    arrays = load_arrays()
    few = {name: array[..., :40] if name.endswith("_0") else array[..., :20] for name, array in arrays.items()}
    few |= {"weight_1": few["weight_1"][:, :40], "weight_2": few["weight_2"][:, :20]}
    few |= {"weight_3": arrays["weight_3"][:, :20], "bias_3": arrays["bias_3"]}
    wide = {name: np.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, 24)]) for name, array in few.items()}
    wide |= {"weight_1": np.pad(few["weight_1"], [(0, 0), (0, 24), (0, 0)])}
    wide |= {name: few[name] for name in ("bias_1", "weight_2", "bias_2", "weight_3", "bias_3")}
    small, large = Network(quantized(few)), Network(quantized(wide))
    for planes in positions(20, 4):
        assert small.outcomes(*planes).tolist() == large.outcomes(*planes).tolist()
        assert small.outcomes(*planes) == pytest.approx(Network(quantized(few), plain=True).outcomes(*planes), abs=1e-5)
