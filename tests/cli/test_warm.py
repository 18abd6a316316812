"""Engines that nobody has compiled yet are compiled before they are needed, and only then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ludus.cli import app
from ludus.cli.warm import prepare
from ludus.engines import warmth


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which games have been compiled on a machine where none is."""
    games: list[str] = []

    def warm(wanted: Iterable[str] = ("checkers", "backgammon")) -> Iterator[str]:
        for game in wanted:
            yield game
            games.append(game)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(warmth, "warm", warm)
    return games


@pytest.mark.parametrize("player", ["easy", "hard", "house:medium"])
def test_a_level_gets_the_engine_of_its_game(compiled: list[str], player: str) -> None:
    prepare("backgammon", ["random", player])
    assert compiled == ["backgammon"]


def test_weights_of_ones_own_need_the_engine_too(compiled: list[str]) -> None:
    prepare("checkers", [str(files("ludus.engines.checkers").joinpath("weights.npz"))])
    assert compiled == ["checkers"]


def test_who_does_without_an_engine_waits_for_none(compiled: list[str]) -> None:
    prepare("backgammon", ["random", "mine:cautious", "http://127.0.0.1:9", "nowhere.npz"])
    assert compiled == []


def test_what_is_compiled_is_left_alone(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmth, "is_warm", lambda _games: True)
    prepare("backgammon", ["hard"])
    assert compiled == []


@pytest.mark.parametrize("words", [
    ("play", "checkers", "--bot", "easy"),
    ("match", "checkers", "easy", "random", "--games", "2"),
])  # fmt: skip
def test_a_bot_and_a_contender_are_prepared(compiled: list[str], words: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, list(words), input="quit\n", catch_exceptions=False)
    assert done.exit_code == 0
    assert compiled == ["checkers"]


def test_the_command_compiles_what_was_lost(compiled: list[str]) -> None:
    """A mark may be there while the files it names are not."""
    for game in ("checkers", "backgammon"):
        warmth.mark(game).parent.mkdir(exist_ok=True)
        warmth.mark(game).write_text("/nowhere/at/all.nbi")
    assert "The engines are compiled." in CliRunner().invoke(app, ["warm"], catch_exceptions=False).output
    assert compiled == ["checkers", "backgammon"]
