"""The strict simulator's arrays are like those of a device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.envs.strict_cuda import simulated, to_device

from ludus.core.cuda import cuda


def host(array: Any) -> Any:
    return array.copy_to_host()


def test_strict_arrays_have_no_more_than_real_ones() -> None:
    from numba.cuda.cudadrv.devicearray import DeviceNDArray

    array = to_device(np.zeros((2, 3)))
    names = {name for name in dir(array) if name not in dir(object) and not name.startswith(("_", "host_view"))}
    made = {"shape", "strides", "dtype", "size", "ndim", "stream"}
    assert made < names
    assert names - made <= set(dir(DeviceNDArray))
    for name in ("__len__", "__getitem__", "__array__", "__cuda_array_interface__", "__cuda_ndarray__"):
        assert hasattr(DeviceNDArray, name)


def test_strict_arrays_refuse_and_copy_as_real_ones_do() -> None:
    array: Any = to_device(np.arange(12).reshape(3, 4))
    turned = array.T
    turned.copy_to_device(np.zeros((4, 3), np.int64))
    assert host(array).tolist() == np.arange(12).reshape(3, 4).tolist()
    with pytest.raises(TypeError):
        array[1:] - array[:-1]
    with pytest.raises(ValueError, match="array"):
        array[np.array([0, 2])]
    with pytest.raises(NotImplementedError):
        array[:, 1:].reshape(-1)
    with pytest.raises(AttributeError):
        array.sum()
    array.reshape(-1)[4:8].copy_to_device(np.full(4, 9))
    assert host(array)[1].tolist() == [9, 9, 9, 9]
    assert int(array[2, 3]) == 11
    assert host(array[:, 1:3]).tolist() == [[1, 2], [9, 9], [9, 10]]
    assert np.asarray(array[2]).tolist() == [8, 9, 10, 11]


@simulated
def test_host_arrays_and_empty_grids_are_not_launched() -> None:
    @cuda.jit  # type: ignore[untyped-decorator]  # Numba's
    def add(values: Any) -> None:
        values[cuda.grid(1)] += 1

    there = to_device(np.zeros(4, np.int64))
    add[2, 2](there)
    assert host(there).tolist() == [1, 1, 1, 1]
    with pytest.raises(TypeError, match="host array"):
        add[2, 2](np.zeros(4, np.int64))
    with pytest.raises(ValueError, match="refuses"):
        add[0, 2](there)


@simulated
def test_threads_meet_at_barriers_and_a_missing_one_shows() -> None:
    def run(waits: bool) -> list[list[int]]:
        @cuda.jit  # type: ignore[untyped-decorator]
        def turn(values: Any) -> None:
            shared, me = cuda.shared.array(8, np.int64), cuda.threadIdx.x
            shared[me] = values[me]
            if waits:
                cuda.syncthreads()
            values[me] = shared[7 - me]

        found = []
        for _ in range(2):
            there = to_device(np.arange(8))
            turn[1, 8](there)
            found.append(host(there).tolist())
        return found

    assert run(waits=True) == [[7, 6, 5, 4, 3, 2, 1, 0]] * 2
    assert all(found != [7, 6, 5, 4, 3, 2, 1, 0] for found in run(waits=False))


@simulated
def test_an_error_in_one_thread_ends_the_launch() -> None:
    @cuda.jit  # type: ignore[untyped-decorator]
    def fail(values: Any) -> None:
        if cuda.threadIdx.x == 2:
            raise ValueError("the third")
        cuda.syncthreads()
        values[0] = 1

    there = to_device(np.zeros(1, np.int64))
    for _ in range(2):
        with pytest.raises(ValueError, match="the third"):
            fail[1, 4](there)
    assert host(there).tolist() == [0]
