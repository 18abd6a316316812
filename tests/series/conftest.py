from __future__ import annotations

import sys
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _among_contestants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Contenders are looked for in the present folder, and worker processes do that for themselves."""
    monkeypatch.chdir(Path(__file__).parent)
    monkeypatch.setattr(sys, "path", [*sys.path])
