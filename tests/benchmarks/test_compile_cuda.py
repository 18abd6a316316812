"""Every CUDA kernel of the environments can be compiled without a GPU, where there is a toolkit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.envs.compile_cuda import Figures, kernels, read_figures

ROOT = Path(__file__).parents[2]


def run(**changes: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.envs.compile_cuda"]
    return subprocess.run(command, cwd=ROOT, env=os.environ | changes, capture_output=True, text=True, check=False)


def test_every_kernel_of_every_version_and_layout_is_listed() -> None:
    names = [kernel.name for kernel in kernels()]
    for version in ("checkers", "checkers_v5", "backgammon", "backgammon_v1"):
        for layout in ("bytes", "packed"):
            for kernel in ("step_all", "step_rows", "play_all"):
                assert f"{version}, {layout}: {kernel}" in names
            assert f"{version}, {layout}, after-states: write_all" in names
        assert f"{version}, draws: sample_all" in names
    assert "backgammon, bytes: expand_rolls" in names
    assert "checkers, bytes: expand_rolls" not in names


def test_without_a_toolkit_it_says_so_in_one_line(tmp_path: Path) -> None:
    done = run(CUDA_HOME=str(tmp_path), PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("the CUDA toolkit is needed")
    assert done.stderr.count("\n") == 1


def test_the_figures_are_those_of_the_largest_function() -> None:
    report = """
    16 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
    ptxas info    : Used 40 registers, used 1 barriers
    """
    assert read_figures(report) == Figures(40, 16, 4)


@pytest.mark.deep
def test_every_kernel_compiles() -> None:
    done = run()
    if done.returncode == 2:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout
