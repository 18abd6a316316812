"""Collects quickly, and skips doctests of modules that import torch or JAX, which the test install leaves out."""

import gc
import os
import signal
import sys
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

TORCH = ["src/ludus/training/backgammon/*.py", "tests/training/backgammon/gpu.py"]
JAX = [*(f"src/ludus/envs/jax/{name}.py" for name in ("env", "ffi", "launch")), "tests/envs/jax/gpu.py"]
collect_ignore_glob = [*([] if find_spec("torch") else TORCH), *([] if find_spec("jax") else JAX)]
sys.dont_write_bytecode = False  # else every process of the tests compiles all of Ludus again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure() -> None:
    """Restores Ctrl-C, which background processes ignore and their children would inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Looks for doctests in a test module only if it has one: else each worker searches hundreds without any."""
    found = yield
    if file_path.match("test_*.py") and b">>> " not in file_path.read_bytes():
        return [each for each in found if type(each) is pytest.Module]
    return found


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects no garbage meanwhile, nor later among what was imported and collected, which stays to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
