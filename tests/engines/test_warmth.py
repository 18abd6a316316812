"""The engines are compiled once, and a mark says so as long as what was compiled is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ludus.engines import warmth
from ludus.games import GAMES


@pytest.fixture(autouse=True)
def own_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ludus"


def test_marks_are_there_once_both_games_were_compiled() -> None:
    assert not warmth.is_warm()
    assert list(warmth.warm()) == ["checkers", "backgammon"]
    assert warmth.is_warm()


def test_a_game_is_warm_without_the_other() -> None:
    assert list(warmth.warm(["backgammon"])) == ["backgammon"]
    assert warmth.is_warm(["backgammon"])
    assert not warmth.is_warm(["checkers"])
    assert not warmth.is_warm()


@pytest.mark.parametrize("game", GAMES)
def test_what_was_compiled_is_found_where_numba_keeps_it(game: str) -> None:
    list(warmth.warm([game]))
    files = [Path(line) for line in warmth.mark(game).read_text().splitlines()]
    assert {file.suffix for file in files} == {".nbi", ".nbc"}
    assert len({file.name.split("-")[0] for file in files}) == len(warmth.KERNELS[game])
    assert all(file.exists() for file in files)


def test_a_mark_whose_files_are_gone_says_nothing(tmp_path: Path) -> None:
    (kept := tmp_path / "kernel.nbi").touch()
    for game in GAMES:
        warmth.mark(game).parent.mkdir(parents=True, exist_ok=True)
        warmth.mark(game).write_text(str(kept))
    assert warmth.is_warm()
    kept.unlink()
    assert not warmth.is_warm()
    warmth.mark("checkers").write_text("")
    assert not warmth.is_warm(["checkers"])


def test_where_no_mark_can_be_kept_the_engines_are_compiled_nevertheless(own_marks: Path) -> None:
    own_marks.parent.mkdir()
    own_marks.write_text("a file where the folder should be")
    assert list(warmth.warm(["backgammon"])) == ["backgammon"]
    assert not warmth.is_warm(["backgammon"])


def test_other_code_needs_another_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for part in warmth.PARTS:
        (tmp_path / part).mkdir()
    monkeypatch.setattr(warmth, "PACKAGE", tmp_path)
    before = warmth.mark("checkers")
    (tmp_path / "engines" / "search.py").write_text("pass\n")
    assert warmth.mark("checkers") != before != warmth.mark("backgammon")


def test_an_engine_that_was_made_ready_has_nothing_left_to_load() -> None:
    """In a process of its own: in this one other tests have loaded everything."""
    check = """
from random import Random
from ludus.engines import ENGINES, Limit, warmth
from ludus.engines.backgammon import lookahead, tables
from ludus.games import GAMES
warmth.ready("backgammon")
def late(*_): raise AssertionError("something was left to load")
lookahead.Lookahead.__init__ = tables._make = late
rules = GAMES["backgammon"]
for text in warmth.POSITIONS["backgammon"]:
    ENGINES["hard"].choose(rules, rules.notation.read_position(text), Limit(seconds=0.1), Random(1))
"""
    subprocess.run([sys.executable, "-c", check], check=True)
