"""The C core of PufferLib's checkers, compiled from its source distribution.

PufferLib has no wheel. Its `setup.py` needs torch, and fetches raylib and Box2D for other games. The core of checkers
needs none of that, and pip only asks for the metadata, so it gets a stub of torch.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

VERSION = "3.0.0"
STEPS, BEST_OF = 300_000, 5
FOLDER = Path(sys.prefix) / "core"
TORCH = """
import builtins
from setuptools import Extension as CppExtension, Extension as CUDAExtension
from setuptools.command.build_ext import build_ext as BuildExtension
CUDA_HOME = None
builtins.c_extension_paths = []  # setup.py reads it, but doesn't set it without its games
"""


def build() -> Path:
    """The program, compiled with PufferLib's own optimisation flags."""
    source, program = Path(__file__).with_name("puffer.c"), FOLDER / "play"
    core = FOLDER / f"pufferlib-{VERSION}" / "pufferlib" / "ocean" / "checkers"
    if not core.exists():
        fetch()
    (FOLDER / "raylib.h").touch()
    flags = ["-O2", "-flto", "-w", f"-I{FOLDER}", f"-I{core}"]
    subprocess.run(["gcc", *flags, "-o", program, source, "-lm"], check=True)
    return program


def fetch() -> None:
    stand_in = FOLDER / "stand-in" / "torch" / "utils"
    stand_in.mkdir(parents=True, exist_ok=True)
    (stand_in / "cpp_extension.py").write_text(TORCH)
    env = os.environ | {"PYTHONPATH": str(FOLDER / "stand-in"), "NO_OCEAN": "1", "NO_TRAIN": "1"}
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"]
    where = ["--no-build-isolation", "--dest", str(FOLDER), f"pufferlib=={VERSION}"]
    subprocess.run([*pip, *where], env=env, check=True, stdout=sys.stderr)
    with tarfile.open(FOLDER / f"pufferlib-{VERSION}.tar.gz") as archive:
        members = [m for m in archive.getmembers() if "/ocean/checkers/" in m.name]
        archive.extractall(FOLDER, members=members, filter="data")


def measure() -> dict[str, float]:
    program = build()
    runs = [subprocess.check_output([program, str(STEPS)], text=True).splitlines() for _ in range(BEST_OF)]
    by_move, by_step = ([line.split() for line in lines] for lines in zip(*runs, strict=True))
    length = STEPS / int(by_move[0][2])
    assert 60 < length < 150, f"its random games have about 100 moves, not {length:.1f}"
    moves, steps = (STEPS / min(float(seconds) for _, seconds, _ in way) for way in (by_move, by_step))
    return {"moves": moves, "steps": steps, "length": length}


if __name__ == "__main__":
    print(json.dumps(measure()))
