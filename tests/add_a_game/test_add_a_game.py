"""The game of docs/add-a-game.md, made from the page and installed like a third-party package, opens every layer.

The tests themselves are in `layers`; they run in a process of their own, in which the package is installed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .package import files, install

ROOT = Path(__file__).parents[2]
LAYERS = {
    "rules": ("tests/games/test_conformance.py", "-k", "tictactoe"),
    "local": ("tests/add_a_game/layers/local.py",),
    "served": ("tests/add_a_game/layers/served.py",),
    "page": ("tests/add_a_game/layers/page.py",),
}


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return install(tmp_path_factory.mktemp("site"))


@pytest.mark.parametrize("layer", LAYERS)
def test_the_game_of_the_page_opens(layer: str, env: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *LAYERS[layer]]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]


def test_the_page_needs_a_few_dozen_lines_a_file() -> None:
    assert all(text.count("\n") < 90 for text in files().values())
