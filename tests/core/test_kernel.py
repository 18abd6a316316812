"""The kernels do the same on every machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from ludus.core import bits, machine
from ludus.core.kernel import compiled, fingerprint, functions, new_words
from ludus.games.backgammon import kernel as backgammon
from ludus.games.checkers import kernel as checkers

POSITIONS = 2_000


@pytest.mark.slow
def test_the_same_positions_give_the_same_moves_on_three_machines() -> None:
    script = Path(__file__).parent / "machines.py"
    run = subprocess.run(
        [sys.executable, script, str(POSITIONS)],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.count(f"{POSITIONS} positions") == 2


@pytest.mark.parametrize("module", [checkers, backgammon])
def test_every_function_of_a_kernel_is_compiled(module: ModuleType) -> None:
    quick = compiled(module)
    for function in functions(module):
        assert hasattr(getattr(quick, function.__name__), "py_func")


def test_compiling_twice_gives_the_same_functions() -> None:
    assert compiled(checkers) is compiled(checkers)


def test_kernels_have_different_fingerprints() -> None:
    assert fingerprint(checkers) != fingerprint(backgammon)


@pytest.mark.parametrize("word", [0, 1, 0b1011, 2**62, 2**63 - 1])
def test_counting_bits(word: int) -> None:
    quick = compiled(checkers)
    assert bits.count(word) == quick.count(word) == bin(word).count("1")


def test_lists_fit_the_kernel() -> None:
    assert isinstance(new_words(checkers, 4), list)
    assert new_words(compiled(checkers), 4).dtype == "int64"


def test_a_gpu_gets_no_instructions_of_a_processor() -> None:
    targets = [type(name, (), {})() for name in ("CPUContext", "CUDATargetContext")]
    assert [machine.is_cpu(target) for target in targets] == [True, False]
    assert [machine.has_compress(target) for target in targets] == [machine.HAS_COMPRESS, False]
    assert [machine._has_pdep(target) for target in targets] == [machine.HAS_PDEP, False]
