"""The handler that XLA calls for a CUDA device, with a frame, a stream and a launch made here."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import nullcontext
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from tests.envs.jax.test_driver import Rows

from ludus.core.errors import IllegalAction, MalformedState, NoDevice
from ludus.envs import batch
from ludus.envs.encoding import find_encoding
from ludus.envs.jax import driver

jax = pytest.importorskip("jax", reason="make libraries installs JAX")
ffi: Any = import_module("ludus.envs.jax.ffi")
launch: Any = import_module("ludus.envs.jax.launch")

GAMES, BLOCK, SHARED, KERNEL, STREAM, CONTEXT = 300, 128, 9216, 5555, 4242, 777
NAMES = ("words", "observation", "mask", "rewards", "terminated", "truncated", "to_play")
FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
SIZES = [ctypes.c_uint32] * 7
LAUNCH = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_void_p, *SIZES, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p
)
PARAMETERS = 20


class Fake:
    """XLA and CUDA's driver, for one handler: what they are asked is kept."""

    def __init__(self, tag: int = 1) -> None:
        self.kept: list[Any] = []
        self.launches: list[tuple[Any, ...]] = []
        self.messages: list[str] = []
        self.code = 0
        self.stream_error: int | None = None
        self.problems = np.zeros(1, np.int64)
        self.on_launch: Callable[[list[int]], None] = lambda _: None
        functions = FUNCTION(self.get_stream), FUNCTION(self.create_error), LAUNCH(self.launch_kernel)
        self.kept.append(functions)
        self.get, self.create, started = (ctypes.cast(each, ctypes.c_void_p).value for each in functions)
        self.launched = launch.Launch(started or 0, KERNEL, BLOCK, SHARED, self.problems.ctypes.data)
        handler = launch.compile_handler(launch.make_handler(self.launched, tag))
        self.call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(handler.address)

    def get_stream(self, address: int) -> Any:
        fields = (ctypes.c_int64 * 4).from_address(address)
        assert list(fields) == [32, 0, CONTEXT, 0]
        fields[3] = STREAM
        return self.stream_error

    def create_error(self, address: int) -> int:
        fields = (ctypes.c_int64 * 4).from_address(address)
        self.messages.append(ctypes.string_at(fields[2]).decode())
        return 99

    def launch_kernel(self, kernel: int, *rest: Any) -> int:
        *sizes, stream, parameters, extra = rest
        values = [ctypes.c_int64.from_address(parameters[number]).value for number in range(PARAMETERS)]
        self.launches.append((kernel, *sizes, stream, extra, values))
        self.on_launch(values)
        return self.code

    def words(self, *values: Any) -> int:
        """The address of these words."""
        self.kept.append(np.array([int(value or 0) for value in values], np.int64))
        return int(self.kept[-1].ctypes.data)

    def buffer(self, address: int, dimensions: tuple[int, ...]) -> int:
        return self.words(48, 0, 0, address, len(dimensions), self.words(*dimensions))

    def frame(
        self, operands: Any, results: Any, dimensions: tuple[int, ...] = (2, 150), options: Any = (2, 1, 50, 1, 0, 1)
    ) -> int:
        table = self.words(240, 0, 24, 0, 3 << 32, 0, self.create, 0, 0, 0, self.get)
        given = self.words(*(self.buffer(address, dimensions) for address in operands))
        written = self.words(*(self.buffer(address, dimensions) for address in results))
        attributes = self.words(self.words(0, len(options), self.words(*options)))
        frame = 168, 0, table, CONTEXT, ffi.EXECUTE
        arguments, returns = (0, 0, 3, 0, given), (0, 0, 7, 0, written)
        return self.words(*frame, *arguments, *returns, 0, 0, 1, 0, 0, attributes)


OPERANDS, RESULTS = (1000, 1001, 1002), range(2000, 2007)


def test_the_kernel_is_launched_on_the_stream_with_all_addresses() -> None:
    fake = Fake(tag=77)
    assert fake.call(fake.frame(OPERANDS, RESULTS)) == 0
    *where, values = fake.launches[0]
    assert where == [KERNEL, 3, 1, 1, BLOCK, 1, 1, SHARED, STREAM, None]
    buffers = [1000, 2000, 1001, 1002, *range(2001, 2007), fake.problems.ctypes.data]
    assert values == [*buffers, GAMES, 1, 77, 2, 1, 50, 1, 0, 1]
    assert fake.call(fake.frame((2000, 1001, 1002), RESULTS)) == 0
    assert fake.launches[1][-1][:2] == [2000, 2000]
    assert fake.launches[1][-1][12] == 0, "rows in their place are not copied"


def test_no_games_are_not_launched() -> None:
    fake = Fake()
    assert fake.call(fake.frame(OPERANDS, RESULTS, (4, 0))) == 0
    assert fake.call(fake.frame(OPERANDS, RESULTS, ())) == 0
    assert [values[11] for *_, values in fake.launches] == [1], "a single game has no dimensions"


def test_errors_are_xlas() -> None:
    fake = Fake()
    fake.code = 719
    assert fake.call(fake.frame(OPERANDS, RESULTS)) == 99
    fake.code, fake.stream_error = 0, 4711
    assert fake.call(fake.frame(OPERANDS, RESULTS)) == 4711
    assert fake.messages == ["CUDA error 719 when a step was launched"]
    assert len(fake.launches) == 1


def test_the_call_after_a_problem_fails_once() -> None:
    fake = Fake()
    fake.problems[0] = driver.ILLEGAL
    assert [fake.call(fake.frame(OPERANDS, RESULTS)) for _ in range(3)] == [99, 0, 0]
    assert fake.messages == [ffi.MESSAGES[driver.ILLEGAL]]
    launch.raise_problem(fake.launched)
    for problem, error in ((driver.ILLEGAL, IllegalAction), (driver.FOREIGN, MalformedState)):
        fake.problems[0] = problem
        with pytest.raises(error):
            launch.raise_problem(fake.launched)
    assert not fake.problems[0]


def test_the_handler_tells_its_version_and_that_it_can_be_captured() -> None:
    fake = Fake()
    answer = np.full(6, -1)
    extension = fake.words(32, ffi.METADATA, 0, answer.ctypes.data)
    table = fake.words(240, 0, 24, 0, 7 << 32)
    assert fake.call(fake.words(168, extension, table, CONTEXT, ffi.EXECUTE, *[0] * 16)) == 0
    assert answer.tolist() == [-1, -1, -1, 7 << 32, launch.COMMAND_BUFFER, -1]
    assert fake.call(fake.words(168, 0, table, CONTEXT, ffi.EXECUTE - 1, *[0] * 16)) == 0
    assert not fake.launches


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_arguments_are_those_of_the_kernel(game: str) -> None:
    """The launch does what the kernel does, by the addresses it is given."""
    env = batch(game, GAMES, seed=4)
    expected, given = Rows(game, env.save(), has_keys=1), env.save()
    actions = env.action_mask.argmax(axis=1).astype(np.int32)
    expected.keys[:] = keys = np.arange(GAMES) + 5
    assert expected.run(driver.STEP, actions) == 0
    written = [np.full_like(given, 3), *(np.full_like(getattr(expected, name), 3) for name in NAMES[1:])]
    fake = Fake(expected.tag)

    def run(values: list[int]) -> None:
        like = {"given": given, "words": given, "actions": actions, "keys": keys}
        found = {}
        for kind, address in zip(("given", "words", "actions", "keys", *NAMES[1:]), values, strict=False):
            array = like[kind] if kind in like else getattr(expected, kind)
            memory = (ctypes.c_uint8 * array.nbytes).from_address(address)
            found[kind] = np.frombuffer(memory, array.dtype).reshape(array.shape)
        found["words"][:] = found["given"]
        played = Rows(game, found["words"], has_keys=values[15])
        assert played.tag == values[13]
        played.keys = found["keys"]
        for name in NAMES[1:]:
            setattr(played, name, found[name])
        assert played.run(values[14], found["actions"]) == 0

    fake.on_launch = run
    operands = [array.ctypes.data for array in (given, actions, keys)]
    results = [array.ctypes.data for array in written]
    assert fake.call(fake.frame(operands, results, (GAMES,), (driver.STEP, 1, 0, 0, 0, 0))) == 0
    assert np.array_equal(written[0], expected.rows)
    for name, array in zip(NAMES[1:], written[1:], strict=True):
        assert np.array_equal(array, getattr(expected, name)), name


class Library:
    """CUDA's driver: each call gives the next number to the pointer it is passed first."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.failing = self.missing = ""
        self.memory = ctypes.c_int64(-1)

    def __getattr__(self, name: str) -> Callable[..., int]:
        if name == self.missing:
            raise AttributeError(f"undefined symbol: {name}")  # as ctypes does

        def call(first: Any, *rest: Any) -> int:
            self.calls.append((name, *(each.value if hasattr(each, "value") else each for each in rest)))
            if name == "cuMemHostAlloc":
                first._obj.value = ctypes.addressof(self.memory)
            elif hasattr(first, "_obj"):
                first._obj.value = len(self.calls)
            return 13 * (name == self.failing)

        return call


def test_a_kernel_is_loaded_for_every_device() -> None:
    library = Library()
    driver_of = launch.Driver(library)
    assert driver_of.load(b"\x7fELF", "run_all", (0, 3)) == 2
    nothing = (None, None, 0)
    assert library.calls[:2] == [
        ("cuLibraryLoadData", b"\x7fELF", *nothing, *nothing), ("cuLibraryGetKernel", 1, b"run_all")
    ]  # fmt: skip
    names = ["cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxPushCurrent_v2", "cuKernelGetFunction"]
    assert [name for name, *_ in library.calls[2:]] == [*names, "cuCtxPopCurrent_v2"] * 2
    assert [call[1:] for call in library.calls if call[0] in ("cuDeviceGet", "cuKernelGetFunction")] == [
        (0,), (2,), (3,), (2,)
    ]  # fmt: skip
    assert driver_of.host_word(0) == ctypes.addressof(library.memory)
    assert library.memory.value == 0, "it is cleared"
    library.failing = "cuLibraryGetKernel"
    with pytest.raises(NoDevice, match="CUDA error 13 in cuLibraryGetKernel"):
        driver_of.load(b"", "run_all", ())
    library.missing = "cuLibraryLoadData"
    with pytest.raises(NoDevice, match="has no cuLibraryLoadData; this needs one for CUDA 12"):
        driver_of.load(b"", "run_all", ())
    library.missing = "cuLaunchKernel"
    with pytest.raises(NoDevice, match="has no cuLaunchKernel"):
        driver_of.address_of("cuLaunchKernel")


def test_what_the_libraries_raise_means_that_there_is_no_device(monkeypatch: pytest.MonkeyPatch) -> None:
    core: Any = import_module("ludus.core.cuda")
    kernels: Any = import_module("ludus.envs.jax.cuda")
    fake = SimpleNamespace(is_available=lambda: True, gpus=[nullcontext()])
    monkeypatch.setattr(core, "cuda", fake)
    monkeypatch.setattr(core, "driver_library", Library)
    numbas = import_module("numba.cuda.cudadrv.driver"), import_module("numba.cuda.cudadrv.error")
    failed, unlinked, unsupported = numbas[0].CudaAPIError, numbas[0].LinkerError, numbas[1].CudaSupportError
    for error in (failed(222, "broken\nat length"), unlinked("broken"), unsupported("broken"), OSError("missing")):
        monkeypatch.setattr(kernels, "make_kernel", Mock(side_effect=error))
        with pytest.raises(NoDevice, match=r"^the kernel can't be compiled for this GPU \(\w+: .+\)$"):
            launch.prepare(find_encoding("checkers"), (0,))
    monkeypatch.setattr(kernels, "make_kernel", Mock(side_effect=KeyError))
    with pytest.raises(KeyError):
        launch.prepare(find_encoding("checkers"), (0,))


def test_without_cuda_the_handler_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    registered: dict[str, Any] = {}
    monkeypatch.setattr(jax.ffi, "pycapsule", lambda function: ctypes.cast(function, ctypes.c_void_p).value)
    monkeypatch.setattr(jax.ffi, "register_ffi_target", lambda *a, **options: registered.update(options, a=a))

    def refuse(*_: Any) -> Any:
        raise NoDevice("CUDA cannot be loaded; pip install 'ludus-games[cuda]'")

    monkeypatch.setattr(launch, "prepare", refuse)
    launch._register.cache_clear()
    assert launch.register(find_encoding("checkers"), 1, (0,)) is None
    launch._register.cache_clear()
    name, address = registered["a"]
    assert name == ffi.target_of(find_encoding("checkers"))
    assert registered["platform"] == "CUDA"
    fake = Fake()
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)
    assert call(fake.frame(OPERANDS, RESULTS)) == 99
    assert fake.messages == ["CUDA cannot be loaded; pip install 'ludus-games[cuda]'"]
