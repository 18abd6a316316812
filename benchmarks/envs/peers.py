"""Other implementations of these games: how each peer is installed, and measured in its own process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
CACHE = ROOT / ".venv-peers"
ONE_CORE = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "JAX_PLATFORMS": "cpu",
}


class Peer(NamedTuple):
    """What to `pip install`, and the module here that measures it."""

    requirements: tuple[str, ...]
    module: str


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "openspiel": Peer(("open_spiel==2.0.2",), "openspiel_peer"),
        "shimmy": Peer(("shimmy==2.0.1", "open_spiel==2.0.2", "pettingzoo==1.27.0"), "shimmy_peer"),
        # 1.20.1 declares Python < 3.11, but its checkers only need NumPy and gym and run here.
        "original": Peer(
            ("--ignore-requires-python", "pettingzoo==1.20.1", "gym==0.25.2", "numpy==1.23.5"), "original_peer"
        ),
        "envpool": Peer(("envpool==1.2.5",), "envpool_peer"),
        "pgx": Peer(("pgx==2.6.0", "jax==0.10.2", "jaxlib==0.10.2"), "pgx_peer"),
        "jax": Peer(("pgx==2.6.0", "jax==0.10.2", "jaxlib==0.10.2", "mctx==0.0.71", "numba", "numpy"), "jax_peer"),
        "puffer": Peer(("numpy", "setuptools==65.5.0", "wheel", "Cython"), "puffer_peer"),
    }
)


def set_up(name: str) -> None:
    """Installs a peer once, which takes minutes."""
    folder, requirements = CACHE / name, " ".join(PEERS[name].requirements)
    stamp = folder / "installed.txt"
    if stamp.exists() and stamp.read_text() == requirements:
        return
    print(f"installing {name}: {requirements}", flush=True)
    venv.create(folder, clear=True, with_pip=True)
    subprocess.run([python_of(name), "-m", "pip", "install", "--quiet", *PEERS[name].requirements], check=True)
    stamp.write_text(requirements)


def python_of(name: str) -> Path:
    return CACHE / name / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def measure(name: str, *arguments: str) -> dict[str, Any]:
    """The figures the peer's module prints as its last line."""
    print(f"measuring {' '.join([name, *arguments])}", flush=True)
    command = [str(python_of(name)), "-m", f"benchmarks.envs.{PEERS[name].module}", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | ONE_CORE, stdout=subprocess.PIPE, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"    {figures}", flush=True)
    return figures
