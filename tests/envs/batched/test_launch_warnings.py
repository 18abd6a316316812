"""Small batches on a GPU are not warned about; Numba's other advice is shown."""

from __future__ import annotations

import warnings

from numba.core.errors import NumbaPerformanceWarning
from tests.envs.strict_cuda import simulated

from ludus.envs import batch


@simulated
def test_a_small_grid_is_no_reason_to_warn() -> None:
    batch("checkers", 4, device="cuda")
    with warnings.catch_warnings(record=True) as found:
        warnings.warn(NumbaPerformanceWarning("Grid size 8 will likely result in GPU under-utilization"), stacklevel=1)
        warnings.warn(NumbaPerformanceWarning("Host array used in CUDA kernel will incur copies"), stacklevel=1)
    assert ["Host array" in str(each.message) for each in found] == [True]
