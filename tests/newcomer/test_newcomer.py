"""Every persona's first ten minutes with the wheel; here they share one virtual environment and compiled kernels.

`python -m tests.newcomer` gives each one its own and prints how long it took.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .machine import Machine, build_wheel
from .personas import CANNOT_BE_ANOTHER_USER, PERSONAS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed() -> Iterator[Machine]:
    """Not below pytest's own folder, which other users cannot enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        machine = Machine(Path(folder) / "machine", build_wheel(Path(folder)), "[envs]")
        machine.copy_kernels()
        yield machine


@pytest.fixture
def machine(installed: Machine, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return installed.with_empty_home(tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("persona", PERSONAS)
def test_first_ten_minutes(persona: str, machine: Machine) -> None:
    if persona == "hardened" and CANNOT_BE_ANOTHER_USER:
        pytest.skip(CANNOT_BE_ANOTHER_USER)
    do, _ = PERSONAS[persona]
    do(machine)
