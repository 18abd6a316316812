"""Engines are compiled before they are needed, and only if they aren't compiled yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ludus.cli.app import app
from ludus.cli.precompile import prepare
from ludus.engines import precompile


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Which games have been compiled on a machine where none is."""
    games: list[str] = []

    def compile_games(wanted: Iterable[str] = ("checkers", "backgammon")) -> Iterator[str]:
        for game in wanted:
            yield game
            games.append(game)

    monkeypatch.setattr(precompile, "marker_places", lambda: [tmp_path])
    monkeypatch.setattr(precompile, "precompile", compile_games)
    return games


@pytest.mark.parametrize("player", ["easy", "hard", "house:medium"])
def test_a_level_gets_the_engine_of_its_game(compiled: list[str], player: str) -> None:
    prepare("backgammon", ["random", player])
    assert compiled == ["backgammon"]


def test_custom_weights_need_the_engine_too(compiled: list[str]) -> None:
    prepare("checkers", [str(files("ludus.engines.checkers").joinpath("weights.npz"))])
    assert compiled == ["checkers"]


def test_players_without_an_engine_compile_nothing(compiled: list[str]) -> None:
    prepare("backgammon", ["random", "mine:cautious", "http://127.0.0.1:9", "nowhere.npz"])
    assert compiled == []


def test_what_is_compiled_is_left_alone(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precompile, "is_precompiled", lambda _games: True)
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


@pytest.mark.parametrize("command", ["precompile", "warm"])
def test_the_command_compiles_what_was_lost(compiled: list[str], tmp_path: Path, command: str) -> None:
    """A marker may be there while the files it names are not."""
    for game in ("checkers", "backgammon"):
        (tmp_path / precompile.marker_name(game)).write_text("/nowhere/at/all.nbc")
    assert "The engines are compiled." in CliRunner().invoke(app, [command], catch_exceptions=False).output
    assert compiled == ["checkers", "backgammon"]


def test_the_old_name_of_the_command_is_hidden() -> None:
    assert "warm" not in CliRunner().invoke(app, ["--help"]).output
