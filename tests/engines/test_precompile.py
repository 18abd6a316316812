"""The engines are compiled once, and a marker says so as long as the compiled code is there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ludus.core import kernel_cache
from ludus.engines import adapter, precompile
from ludus.games import GAMES


@pytest.fixture(autouse=True)
def markers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for markers; the kernels stay where they are."""
    monkeypatch.setattr(precompile, "marker_places", lambda: [tmp_path / "markers"])
    (tmp_path / "markers").mkdir()
    return tmp_path / "markers"


def test_markers_exist_once_both_games_were_compiled() -> None:
    assert not precompile.is_precompiled()
    assert list(precompile.precompile()) == ["checkers", "backgammon"]
    assert precompile.is_precompiled()


def test_a_game_can_be_compiled_without_the_other() -> None:
    assert list(precompile.precompile(["backgammon"])) == ["backgammon"]
    assert precompile.is_precompiled(["backgammon"])
    assert not precompile.is_precompiled(["checkers"])
    assert not precompile.is_precompiled()


@pytest.mark.parametrize("game", GAMES)
def test_compiled_code_is_found_in_the_cache(game: str, markers: Path) -> None:
    list(precompile.precompile([game]))
    files = [Path(line) for line in (markers / precompile.marker_name(game)).read_text().splitlines()]
    assert {file.suffix for file in files} == {kernel_cache.SUFFIX}
    assert len({file.name.split("-")[0] for file in files}) == len(adapter(game).kernels)
    assert all(file.exists() for file in files)


def test_a_marker_whose_files_are_gone_does_not_count(tmp_path: Path, markers: Path) -> None:
    (kept := tmp_path / "kernel.nbc").touch()
    for game in GAMES:
        (markers / precompile.marker_name(game)).write_text(str(kept))
    assert precompile.is_precompiled()
    kept.unlink()
    assert not precompile.is_precompiled()
    (markers / precompile.marker_name("checkers")).write_text("")
    assert not precompile.is_precompiled(["checkers"])


def test_engines_are_compiled_even_where_no_marker_can_be_written(markers: Path) -> None:
    markers.rmdir()
    markers.write_text("a file where the folder should be")
    assert list(precompile.precompile(["backgammon"])) == ["backgammon"]
    assert not precompile.is_precompiled(["backgammon"])


def test_other_code_needs_another_marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompile, "folders", lambda _game: [tmp_path])
    name = precompile.marker_name.__wrapped__
    before = name("checkers")
    (tmp_path / "search.py").write_text("pass\n")
    assert name("checkers") != before != name("backgammon")


def test_a_loaded_engine_has_nothing_left_to_load() -> None:
    """In a process of its own: in this one other tests have loaded everything."""
    check = """
from random import Random
from ludus.engines import ENGINES, Limit, adapter, precompile
from ludus.engines.backgammon import lookahead, tables
from ludus.games import GAMES
precompile.load("backgammon")
def late(*_): raise AssertionError("something was left to load")
lookahead.Lookahead.__init__ = tables._make = late
rules = GAMES["backgammon"]
for text in adapter("backgammon").warmup_positions:
    ENGINES["hard"].choose(rules, rules.notation.read_position(text), Limit(seconds=0.1), Random(1))
"""
    subprocess.run([sys.executable, "-c", check], check=True)


def test_a_marker_for_a_named_processor_holds_on_every_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    def names(host: str) -> str:
        monkeypatch.setattr("llvmlite.binding.get_host_cpu_name", lambda: host)
        return precompile.marker_name.__wrapped__("checkers")

    assert names("haswell") != names("znver5")
    monkeypatch.setenv("NUMBA_CPU_NAME", "x86-64-v3")
    assert names("haswell") == names("znver5")
