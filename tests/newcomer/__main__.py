"""Does each persona's first ten minutes in a virtual environment of its own and prints a table for the results."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from .machine import Machine, build_wheel
from .personas import CANNOT_BE_ANOTHER_USER, PERSONAS


def main(names: list[str]) -> None:
    if unknown := set(names) - set(PERSONAS):
        sys.exit(f"no persona is called {', '.join(sorted(unknown))}; choose from {', '.join(PERSONAS)}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        wheel = build_wheel(Path(folder))
        print(f"wheel: {wheel.stat().st_size / 1e6:.1f} MB\n")
        print("| persona | install, s | installed, MB | first ten minutes, s |\n|---|---|---|---|")
        for name in names or PERSONAS:
            if name == "hardened" and CANNOT_BE_ANOTHER_USER:
                sys.exit(f"hardened {CANNOT_BE_ANOTHER_USER}")
            print(report(name, Path(folder) / name, wheel), flush=True)


def report(name: str, folder: Path, wheel: Path) -> str:
    do, extras = PERSONAS[name]
    start = time.monotonic()
    machine = Machine(folder, wheel, extras)
    installed, megabytes = time.monotonic(), machine.megabytes
    do(machine)
    done = time.monotonic()
    machine.remove()
    return f"| {name} | {installed - start:.0f} | {megabytes:.0f} | {done - installed:.0f} |"


if __name__ == "__main__":
    main(sys.argv[1:])
