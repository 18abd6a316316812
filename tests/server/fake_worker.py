"""Stands in for a server process in the tests of the supervisor: it follows the orders in a folder.

`python fake_worker.py FOLDER NUMBER [hang]`. With `hang` it never becomes ready.
It notes each start and stop in FOLDER/NUMBER.log.
"""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path


def main(folder: Path, number: str, *options: str) -> None:
    def note(text: str) -> None:
        with (folder / f"{number}.log").open("a") as log:
            log.write(f"{text}\n")

    def stop(*_: object) -> None:
        note("stopped")
        sys.exit(0)

    if (folder / f"{number}.deaf").exists():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    else:
        signal.signal(signal.SIGTERM, stop)
    note("started")
    sys.stdout.write(f"a line of {number}\n")
    if (refusal := folder / f"{number}.refuse").exists():
        sys.exit(int(refusal.read_text()))
    if "hang" not in options:
        sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    note("abandoned")
    time.sleep(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
