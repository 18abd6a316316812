"""The kernel of the XLA call in Numba's simulator does what the loop on the CPU does.

`tests/envs/libraries/test_jax_launch.py` has the handler that launches it; `tests/envs/jax/gpu.py` runs all on a GPU.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest
from tests.envs.jax.test_driver import OPTION_NAMES, Rows
from tests.envs.strict_cuda import simulated, to_device

from ludus.core.cuda import library_errors
from ludus.envs import batch
from ludus.envs.batched.driver import OUTCOME, TAG
from ludus.envs.encoding import find_encoding
from ludus.envs.jax import driver

GAMES = 40
"""More than a block of the simulator has threads."""
OUTPUTS = ("observation", "mask", "rewards", "terminated", "truncated", "to_play")


class OnDevice:
    """The same call, on a copy of the rows."""

    def __init__(self, name: str, rows: Rows) -> None:
        from ludus.envs.batched.cuda import BLOCK
        from ludus.envs.jax.cuda import make_kernel, shared_bytes

        game = find_encoding(name).kernel
        grid = (len(rows.rows) + BLOCK - 1) // BLOCK, BLOCK, 0, shared_bytes(game)
        self._launch, self._tag, self.options = make_kernel(game)[grid], rows.tag, rows.options
        self.problems = to_device(np.zeros(1, np.int64))
        self.rows = rows.rows.copy()

    def run(self, task: int, rows: Rows, actions: Any, is_copied: bool) -> dict[str, Any]:
        """What it writes, by the names in `Rows`."""
        garbage = {name: np.full_like(getattr(rows, name), 3) for name in OUTPUTS}
        out = {name: to_device(array.view(flat_type(array)).reshape(-1)) for name, array in garbage.items()}
        given = to_device(self.rows.reshape(-1))
        new = to_device(np.full(self.rows.size, 77)) if is_copied else given
        rest = len(self.rows), int(is_copied), self._tag, task, *self.options[1:]
        self._launch(
            given, new, to_device(actions.astype(np.int32)), to_device(rows.keys), *out.values(), self.problems, *rest
        )
        if is_copied:
            assert np.array_equal(given.host_view(), self.rows.reshape(-1))
        self.rows = new.copy_to_host().reshape(self.rows.shape)
        return {
            name: out[name].copy_to_host().view(array.dtype).reshape(array.shape) for name, array in garbage.items()
        }


def flat_type(array: Any) -> Any:
    return np.int8 if array.dtype == np.bool_ else array.dtype


def start(name: str, variant: str, **options: int) -> tuple[Any, Rows, OnDevice]:
    env = batch(name, GAMES, seed=4, variant=variant, scoring="points")
    rows = Rows(name, env.save(), **options)
    return env, rows, OnDevice(name, rows)


def check(rows: Rows, device: OnDevice, task: int, actions: Any, is_copied: bool = False) -> None:
    seen = device.run(task, rows, actions, is_copied)
    assert rows.run(task, actions) == 0
    assert np.array_equal(device.rows, rows.rows)
    for name, array in seen.items():
        assert np.array_equal(array, getattr(rows, name)), name
    assert not device.problems.copy_to_host()[0]


@simulated
def test_the_simulated_kernel_plays_the_games_of_the_cpu() -> None:
    versions = ("checkers", "standard"), ("checkers_v5", "standard"), ("backgammon", "hypergammon")
    for name, variant in (*versions, ("backgammon_v1", "standard+cube")):
        for autoresets in (0, 1):
            _, rows, device = start(name, variant, limit=12, is_scored=1, autoresets=autoresets)
            ended = 0
            for step in range(32):
                rows.options[OPTION_NAMES.index("has_keys")] = int(step % 5 == 4)
                rows.keys[:] = np.arange(GAMES) - step
                actions = first_legal(rows, name)
                task = (driver.RESET, driver.STEP_AT_RANDOM, driver.STEP, driver.OBSERVE)[min(step, 1 + step % 9 % 3)]
                check(rows, device, task, actions, is_copied=step % 2 == 0)
                ended += int((rows.terminated | rows.truncated).sum())
            assert ended


@simulated
def test_a_simulated_problem_leaves_its_game_as_it_was() -> None:
    env, rows, device = start("checkers", "standard")
    actions = env.action_mask.argmax(axis=1)
    actions[33] = -1
    before = device.rows.copy()
    seen = device.run(driver.STEP, rows, actions, True)
    assert device.problems.copy_to_host()[0] == driver.ILLEGAL
    assert np.flatnonzero((device.rows == before).all(axis=1)).tolist() == [33]
    assert not seen["terminated"].any()
    assert not seen["rewards"].any()
    mask = seen["mask"].view(np.int8)[:, : env.num_actions]
    assert np.array_equal(mask[33], env.action_mask[33])
    rows.options[OPTION_NAMES.index("forfeits")] = 1
    lost = device.run(driver.STEP, rows, actions * 0 - 1, False)
    assert lost["terminated"].all()
    assert (lost["mask"].view(np.int8) == 1).all()


@simulated
def test_nothing_is_shown_of_a_row_of_another_game() -> None:
    """Whatever is where the outcome is in a row of ours."""
    for name in ("checkers", "backgammon"):
        _, rows, device = start(name, "standard")
        device.rows[35, TAG] += 1
        device.rows[35, OUTCOME] = 5
        before = device.rows.copy()
        seen = device.run(driver.STEP_AT_RANDOM, rows, np.zeros(GAMES), True)
        assert device.problems.copy_to_host()[0] == driver.FOREIGN
        assert np.flatnonzero((device.rows == before).all(axis=1)).tolist() == [35]
        assert [part for part in OUTPUTS if seen[part][35].any()] == []


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        ("numba.cuda.cudadrv.driver", "CudaAPIError"),
        ("numba.cuda.cudadrv.driver", "LinkerError"),
        ("numba.cuda.cudadrv.error", "CCSupportError"),
        ("numba.cuda.cudadrv.error", "CudaSupportError"),
        ("numba.cuda.cudadrv.error", "NvvmSupportError"),
        ("cuda.bindings.nvjitlink", "nvJitLinkError"),
        ("cuda.bindings.nvvm", "nvvmError"),
        ("cuda.core._utils.cuda_utils", "CUDAError"),
        ("cuda.pathfinder", "DynamicLibNotFoundError"),
    ],
)
def test_errors_of_nvidias_libraries_are_known(module: str, kind: str) -> None:
    """What is raised without a part of the toolkit, without a GPU, and for one that the toolkit doesn't know."""
    assert issubclass(getattr(import_module(module), kind), library_errors())
    assert not issubclass(KeyError, library_errors())


def first_legal(rows: Rows, name: str) -> Any:
    """In the last view; nothing before the first."""
    mask = rows.mask.view(np.int8)[:, : find_encoding(name).num_actions]
    return mask.argmax(axis=1)
