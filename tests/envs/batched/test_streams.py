"""Environments on a GPU work on the stream that they are given, and can be captured in a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.envs.strict_cuda import (
    Device,
    ExternalStream,
    NotOnADevice,
    Stream,
    capture,
    check_simulated,
    only_on,
    simulated,
    to_device,
)

from ludus.core.errors import MalformedAction, NotCapturable, UnknownOption
from ludus.envs import batch, sampling, stateless

STREAM = Stream(77)


def test_graphs_and_streams_play_the_same_games_in_the_simulator() -> None:
    assert check_simulated("-m", "tests.envs.batched.graphs", "10", "3").count("the same") == 17


@simulated
def test_work_that_names_no_stream_is_found_out() -> None:
    env: Any = batch("checkers", 4, device="cuda")
    with only_on(STREAM), pytest.raises(NotOnADevice, match="stream 0"):
        env.step()
    with pytest.raises(NotOnADevice, match="stream 77"), env.on_stream(STREAM):
        env.step()


@simulated
def test_the_default_stream_comes_back() -> None:
    from ludus.core.cuda import current_stream

    env: Any = batch("checkers", 4, device="cuda")
    with pytest.raises(MalformedAction), env.on_stream(STREAM):
        assert int(current_stream()) == 77
        with env.on_stream(0):
            env.step()
        env.step([])
    assert current_stream() == 0
    env.step()


@simulated
def test_streams_of_any_library_are_taken() -> None:
    from ludus.core.cuda import handle_of

    class Protocol:
        def __cuda_stream__(self) -> tuple[int, int]:
            return 0, 77

    class Cupy:
        ptr = 77

    class Numba:
        def __int__(self) -> int:
            return 77

    for stream in (STREAM, Protocol(), Cupy(), Numba(), 77, np.int64(77)):
        assert handle_of(stream) == 77
    for bad in ("77", None, 7.7, [77]):
        with pytest.raises(UnknownOption, match="is not a CUDA stream"):
            handle_of(bad)


@simulated
def test_an_array_that_another_stream_fills_is_waited_for_but_not_in_a_graph() -> None:
    class Filled:
        def __init__(self, stream: int | None) -> None:
            self.shape, self.dtype = (4,), np.dtype(np.int64)
            self.__cuda_array_interface__ = actions.__cuda_array_interface__ | {"stream": stream}

    env: Any = batch("checkers", 4, device="cuda")
    actions = to_device(env.sample().copy_to_host())
    env.step(Filled(5), check=False)
    with capture(STREAM) as graph, env.on_stream(STREAM):
        for same in (None, 77):
            env.step(Filled(same), check=False)
        with pytest.raises(NotCapturable):
            env.step(Filled(5), check=False)
    assert len(graph.launches) == 2


@simulated
def test_what_is_copied_to_the_device_on_one_stream_can_be_read_on_another() -> None:
    from ludus.core.cuda import on_stream, to_device, write

    array = to_device(np.arange(4))
    with only_on(STREAM), on_stream(STREAM):
        assert array.copy_to_host(stream=ExternalStream(77)).shape == (4,)
        write(array, np.arange(4) + 5)
    assert array.copy_to_host().tolist() == [5, 6, 7, 8]
    array.copy_to_device(np.zeros(4, np.int64))
    with only_on(STREAM), pytest.raises(NotOnADevice, match="still being copied on stream 0"):
        array.copy_to_host(stream=ExternalStream(77))


@simulated
def test_nothing_is_freed_during_a_capture() -> None:
    from ludus.core.cuda import cuda

    env: Any = batch("checkers", 4, device="cuda")
    seen, defer = list[Any](), cuda.defer_cleanup

    def noticed() -> Any:
        seen.append(Device.graph)
        return defer()

    cuda.defer_cleanup = noticed
    with only_on(STREAM), env.on_stream(STREAM):
        env.step(check=False)
    assert not seen
    with capture(STREAM) as graph, env.on_stream(STREAM):
        env.step(check=False)
    assert seen == [graph]


@simulated
def test_what_the_first_draw_makes_for_all_others_is_made_on_its_stream() -> None:
    with only_on(STREAM):
        from ludus.core.cuda import on_stream

        with on_stream(STREAM):
            env: Any = batch("backgammon", 4, layout="packed", device="cuda")
            env.step(sampling.sample(env.action_mask, game="backgammon", seed=1))


@simulated
def test_pure_functions_run_on_a_stream_but_allocate_so_they_are_not_captured() -> None:
    functions: Any = stateless("backgammon", device="cuda")
    with only_on(STREAM), functions.on_stream(STREAM):
        states, _ = functions.step(functions.init(3))
    with capture(STREAM), functions.on_stream(STREAM), pytest.raises(NotCapturable):
        functions.step(states, check=False)
