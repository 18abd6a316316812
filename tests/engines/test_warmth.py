"""The engines are compiled once, and a mark says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.engines import warmth


def test_the_mark_is_there_once_both_games_were_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert not warmth.is_warm()
    assert list(warmth.warm()) == ["checkers", "backgammon"]
    assert warmth.is_warm()


def test_other_code_needs_another_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in warmth.PARTS:
        (tmp_path / part).mkdir()
    monkeypatch.setattr(warmth, "PACKAGE", tmp_path)
    before = warmth.mark()
    (tmp_path / "engines" / "search.py").write_text("pass\n")
    assert warmth.mark() != before
