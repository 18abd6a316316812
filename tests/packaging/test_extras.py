"""Without the extras, everything else works, and what does not says what it needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
WITHOUT = """
import sys
for module in ("gymnasium", "numba_cuda", "pettingzoo", "PIL", "torch"):
    sys.modules[module] = None
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITHOUT + code], capture_output=True, text=True)


def test_batches_policies_and_the_server_need_no_extra() -> None:
    modules = (
        "ludus.envs, ludus.players.policy, ludus.server.process, ludus.mcp.server, ludus.client, ludus.series.remote"
    )
    done = python(f"import {modules}\nfrom ludus.envs import batch\nprint(batch)")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("<function batch")


@pytest.mark.parametrize(
    "module", ["checkers_v3", "checkers_v4", "checkers_v5", "backgammon_v0", "backgammon_v1", "gym", "aec"]
)
def test_an_environment_names_its_extra_in_one_line(module: str) -> None:
    last = python(f"from ludus.envs import {module}").stderr.splitlines()[-1]
    assert re.fullmatch(r"ludus\.core\.extras\.MissingExtra: this needs \w+: pip install 'ludus-games\[envs\]'", last)


def test_every_extra_that_an_error_names_exists() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    sources = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py"))
    named = set(re.findall(r"\bextra\(\"(\w+)\"\)", sources))
    assert {"envs", "torch", "train"} <= named <= set(extras)
