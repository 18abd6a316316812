"""Writes the docs page of each PettingZoo environment, which is its module's docstring.

python tests/envs/pages.py    # after changing a docstring
"""

from __future__ import annotations

import importlib
from pathlib import Path

NAMES = ("checkers_v3", "checkers_v4", "checkers_v5", "backgammon_v0", "backgammon_v1")


def page(name: str) -> str:
    text = importlib.import_module(f"ludus.envs.{name}").__doc__
    assert text
    return text.strip() + "\n"


def path(name: str) -> Path:
    return Path(__file__).parents[2] / "docs" / "envs" / f"{name}.md"


if __name__ == "__main__":
    for each in NAMES:
        path(each).write_text(page(each), encoding="utf-8")
