"""How `ludus` ends when somebody stops it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from ludus.cli import main


def stop(*_: Any) -> Any:
    raise KeyboardInterrupt


def test_ctrl_c_is_one_line_and_a_training_keeps_what_it_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("PIL")
    monkeypatch.setattr("ludus.training.checkers.learner.Learner.learn", stop)
    monkeypatch.setattr(sys, "argv", ["ludus", "train", "checkers", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    said = capsys.readouterr()
    assert end.value.code == 130
    assert said.out == "stopped after generation 0 of 8; --resume continues\n"
    begun = "checkers: generations 1 to 8; Ctrl-C stops and keeps what was learned"
    assert said.err.splitlines() == [begun, "ludus: stopped"]
    assert {path.name for path in tmp_path.iterdir()} == {"checkpoint.npz", "weights.npz"}


def test_a_training_without_enough_time_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("PIL")
    monkeypatch.setattr(sys, "argv", ["ludus", "train", "checkers", "--minutes", "0", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        main()
    assert not end.value.code
    assert "no generation was finished in that time" in capsys.readouterr().err
