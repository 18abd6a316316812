from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ludus.cli.train import train
from ludus.core.errors import BadInput


def test_the_command_says_what_it_needs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in sys.modules if name.startswith("ludus.training.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(BadInput, match=r"^this needs torch: pip install 'ludus-games\[torch\]'$"):
        train("backgammon", out=tmp_path)
