"""The benchmark on a GPU runs in the simulator, from the first check to the last row."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest
from benchmarks.envs import gpu
from tests.envs.strict_cuda import simulated


@pytest.mark.deep
@simulated
def test_one_command_has_all_figures() -> None:
    with redirect_stdout(io.StringIO()) as printed:
        gpu.main(gpu.TRIAL, "", ".*")
    text = printed.getvalue()
    assert text.count("same on CPU and GPU") == len(gpu.WORDS) + len(gpu.VERSIONS)
    table = [line for line in text.splitlines() if line.startswith("| ")]
    for game in gpu.VERSIONS:
        for what in (
            "pure steps/s",
            "`save`",
            "`restore`",
            "`clone`",
            "`afterstates`",
            "log_probs=True",
            "`log_softmax`",
        ):
            assert [line for line in table if f"| {game}, " in line and what in line], (game, what)
    assert [line for line in table if "| backgammon, " in line and "`chance`" in line]
    assert [line for line in table if "| checkers, bytes" in line and "`step(sample(logits))`" in line]
