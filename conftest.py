"""What cannot even be imported without torch, which the test install leaves out, is not looked at for doctests."""

import signal
from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/ludus/training/backgammon/*.py", "tests/training/gpu.py"]


def pytest_configure() -> None:
    """Where tests run in the background Ctrl-C is ignored, and whoever they start would ignore it too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
