"""The benchmarks of the environments play legal actions."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from benchmarks.envs.batched import choose


class Zeros:
    """A generator at its least likely: every number is 0."""

    def random(self, shape: Any, kind: Any) -> Any:
        return np.zeros(shape, kind)


def test_numpy_chooses_a_legal_action_even_if_all_random_numbers_are_zero() -> None:
    mask = np.array([[0, 0, 1, 1], [0, 1, 0, 0]], np.int8)
    chosen = choose(mask, cast("np.random.Generator", Zeros()))
    assert mask[np.arange(2), chosen].all()
