"""Skips doctests of modules that import torch, which the test install leaves out."""

import os
import signal
import sys
from importlib.util import find_spec

TORCH = ["src/ludus/training/backgammon/*.py", "tests/training/backgammon/gpu.py"]
collect_ignore_glob = [] if find_spec("torch") else TORCH
sys.dont_write_bytecode = False  # else every process of the tests compiles all of Ludus again
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_configure() -> None:
    """Restores Ctrl-C, which background processes ignore and their children would inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
