"""Runs the command line as on Windows, for the parts of Python that only Unix has: they are missing."""

from __future__ import annotations

import os
import signal
import sys

for _module in ("fcntl", "uvloop"):
    sys.modules[_module] = None  # type: ignore[assignment]
for _name in ("pthread_sigmask", "setitimer"):
    delattr(signal, _name)
del os.sched_getaffinity

if __name__ == "__main__":  # workers import this module too
    from ludus.cli import main

    main()
