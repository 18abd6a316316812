"""Games come from folders and entry points; third-party ones run in a process of their own, as when installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import ludus
from ludus import GAMES
from ludus.core.about import About
from ludus.games import ABOUT, layer, package

TOY = """
from ludus.core.about import About
from ludus.games.checkers.rules import Checkers

class Toy(Checkers):
    name = "toy"

RULES, ABOUT = Toy(), About("Toy", "A toy.")
"""
Install = Callable[[str, str, str], None]
Run = Callable[[str], "subprocess.CompletedProcess[str]"]


@pytest.fixture
def install(tmp_path: Path) -> Install:
    def install(name: str, value: str, source: str) -> None:
        """A package with one module and one entry point."""
        folder = tmp_path / value
        folder.mkdir()
        (folder / "__init__.py").write_text(source)
        info = tmp_path / f"{value}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {value}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[ludus.games]\n{name} = {value}\n")

    return install


@pytest.fixture
def run(tmp_path: Path) -> Run:
    source = Path(ludus.__file__).parents[1]

    def run(code: str) -> subprocess.CompletedProcess[str]:
        env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{source}"}
        return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)

    return run


def test_the_built_in_games_are_the_folders() -> None:
    assert list(GAMES) == list(ABOUT) == ["checkers", "backgammon"]
    assert len(GAMES) == 2
    assert "chess" not in GAMES
    assert GAMES["checkers"] is GAMES["checkers"]
    assert all(GAMES[name].name == name for name in GAMES)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_its_facts(game: str) -> None:
    about, rules = ABOUT[game], GAMES[game]
    assert about.title
    assert about.description.endswith(".")
    assert about.minutes > 0
    assert len(about.wins) in (0, rules.most_points)
    assert "/" in about.media_type


def test_wins_have_names_where_there_are_several_kinds() -> None:
    about = About("Toy", "A toy.", wins=("single", "double"))
    assert (about.win(1), about.win(2)) == ("single", "double")
    assert [ABOUT["backgammon"].win(points) for points in (1, 2, 3)] == ["single", "gammon", "backgammon"]
    assert ABOUT["checkers"].win(1) == ""
    assert About("Toy", "A toy.").win(1) == ""


def test_the_adapter_of_a_layer_is_found_by_the_name_of_the_game() -> None:
    module = layer("checkers", "engines")
    assert module is not None
    assert module.__name__ == "ludus.engines.checkers"
    assert layer("checkers", "bus") is None
    assert package("checkers") == "ludus.games.checkers"
    with pytest.raises(KeyError):
        layer("chess", "engines")


def test_importing_ludus_does_not_search_for_third_party_games(run: Run) -> None:
    code = "import sys, ludus; ludus.GAMES['checkers']; print('importlib.metadata' in sys.modules)"
    assert run(code).stdout == "False\n"


def test_a_third_party_game_comes_from_an_entry_point(install: Install, run: Run) -> None:
    install("toy", "toybox", TOY)
    found = run(
        "from ludus.games import ABOUT, GAMES, layer, package\n"
        "print(*GAMES, GAMES['toy'].name, ABOUT['toy'].title, package('toy'), layer('toy', 'engines'))"
    )
    assert found.stdout == "checkers backgammon toy toy Toy toybox None\n"


def test_a_layer_of_a_third_party_game_is_a_module_of_its_package(install: Install, run: Run, tmp_path: Path) -> None:
    install("toy", "toybox", TOY)
    (tmp_path / "toybox" / "engines.py").write_text("")
    (tmp_path / "toybox" / "wire.py").write_text("import no_such_module")
    assert "toybox.engines" in run("from ludus.games import layer; print(layer('toy', 'engines'))").stdout
    assert "no_such_module" in run("from ludus.games import layer; layer('toy', 'wire')").stderr


@pytest.mark.parametrize(("name", "source", "why"), [
    ("toy", "import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
    ("toy", "", "toybox has no RULES"),
    ("toy", TOY.replace("ABOUT", "FACTS"), "toybox has no ABOUT"),
    ("other", TOY, "its rules are named 'toy'"),
    ("checkers", TOY, "another game has this name"),
    ("generic", TOY, "another game has this name"),
    ("../toy", TOY, "a name has lowercase letters, digits, - and _, 32 at most, and starts with a letter"),
    ("Toy", TOY, "a name has lowercase letters, digits, - and _, 32 at most, and starts with a letter"),
])  # fmt: skip
def test_a_broken_package_is_named_with_its_entry_point(
    install: Install, run: Run, name: str, source: str, why: str
) -> None:
    install(name, "toybox", source)
    error = run("import ludus; list(ludus.GAMES)").stderr.splitlines()[-1]
    assert error.endswith(f"BrokenGame: the entry point {name} = toybox of toybox 1.0 gives no game: {why}")


def test_the_command_line_names_a_broken_package_in_one_line(install: Install, run: Run) -> None:
    install("toy", "toybox", "")
    error = run("import sys; from ludus.cli import main; sys.argv = ['ludus', '--help']; main()").stderr
    assert error == "ludus: the entry point toy = toybox of toybox 1.0 gives no game: toybox has no RULES\n"
