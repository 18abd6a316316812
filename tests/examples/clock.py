"""Runs a program with a clock that is a second later each time the program itself reads it: clock.py PROGRAM [OPTION]…

Then a training that ends after a minute is the same on every machine.
"""

from __future__ import annotations

import itertools
import runpy
import sys
import time

seconds, elapsed = itertools.count(), time.perf_counter


def perf_counter() -> float:
    """The machine's time for the libraries that the program uses."""
    return next(seconds) if sys._getframe(1).f_globals["__name__"] == "__main__" else elapsed()


if __name__ == "__main__":
    time.perf_counter = perf_counter
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
