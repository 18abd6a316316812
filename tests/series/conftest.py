from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _among_contestants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contenders are looked up in the current folder, in worker processes too."""
    monkeypatch.chdir(Path(__file__).parent)
    monkeypatch.setattr(sys, "path", [*sys.path])
