"""Runs the command line as on Windows, for the parts of Python that only Unix has: they are missing."""

from __future__ import annotations

import os
import signal
import sys


def remove_unix() -> None:
    for module in ("fcntl", "uvloop"):
        sys.modules[module] = None  # type: ignore[assignment]  # then importing it fails
    for name in ("pthread_sigmask", "setitimer"):
        delattr(signal, name)
    del os.sched_getaffinity


if __name__ in ("__main__", "__mp_main__"):  # the latter in worker processes
    remove_unix()

if __name__ == "__main__":
    from ludus.cli import main

    main()
