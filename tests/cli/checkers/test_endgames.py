"""`ludus endgames` as a person uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from ludus.cli.app import app
from ludus.cli.checkers.endgames import app as group_app
from ludus.core.errors import BadInput
from ludus.engines.checkers.endgames.tables import WrongTables

THREE = """\
2 pieces: 3,488 positions, 716 won, 402 lost, 2,370 drawn, as known
3 pieces: 196,032 positions, 100,250 won, 87,305 lost, 8,477 drawn, as known
"""
FOUR = "4 pieces: 6,209,316 positions, 2,574,304 won, 1,917,090 lost, 1,717,922 drawn, as known\n"


def endgames(*words: str) -> str:
    run = CliRunner().invoke(app, ["endgames", *words], catch_exceptions=False)
    assert run.exit_code == 0, run.output
    return run.stdout


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No tables but the package's, whatever this machine has."""
    monkeypatch.setenv("LUDUS_ENDGAMES", str(tmp_path / "none"))


def test_build_makes_the_files_and_prints_the_counts(tmp_path: Path) -> None:
    assert endgames("build", "--pieces", "3", "--out", str(tmp_path)) == f"up to 3 pieces, {tmp_path}\n{THREE}"
    assert (tmp_path / "checkers-3.wld").stat().st_size == 50_016


def test_build_in_a_folder_that_cannot_be_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="cannot build in"):
        endgames("build", "--pieces", "2", "--out", str(tmp_path / "file" / "folder"))


def test_check_counts_the_packages_tables() -> None:
    assert endgames("check") == f"up to 4 pieces, in the package\n{THREE}{FOUR}"


def test_check_reads_the_folder_it_was_given(tmp_path: Path) -> None:
    endgames("build", "--pieces", "3", "--out", str(tmp_path))
    assert endgames("check", "--out", str(tmp_path)) == f"up to 3 pieces, {tmp_path}\n{THREE}"


@pytest.mark.parametrize("command", [["check"], ["probe", "W:WK1:BK32"]])
def test_a_folder_without_tables_is_refused(tmp_path: Path, command: list[str]) -> None:
    with pytest.raises(BadInput, match="no finished tables in"):
        endgames(*command, "--out", str(tmp_path))


@pytest.mark.parametrize("file", ["checkers-2.wld", "checkers-2.len"])
def test_check_refuses_tables_that_were_cut_short(tmp_path: Path, file: str) -> None:
    endgames("build", "--pieces", "2", "--out", str(tmp_path))
    (tmp_path / file).write_bytes(b"short")
    with pytest.raises(WrongTables, match=f"{file} has 5 bytes"):
        endgames("check", "--out", str(tmp_path))


def test_check_refuses_tables_with_other_counts(tmp_path: Path) -> None:
    endgames("build", "--pieces", "2", "--out", str(tmp_path))
    path = tmp_path / "checkers-2.wld"
    path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(WrongTables, match="remove the files and rebuild them"):
        endgames("check", "--out", str(tmp_path))


def test_probe_asks_the_folder_it_was_given(tmp_path: Path) -> None:
    endgames("build", "--pieces", "3", "--out", str(tmp_path))
    assert endgames("probe", "W:W5:B1", "--out", str(tmp_path)) == "white to move: lost in 0\n"
    with pytest.raises(BadInput, match="up to 3 pieces"):
        endgames("probe", "W:WK15,20:B12,K28", "--out", str(tmp_path))


def test_probe_says_who_wins_and_what_each_move_does_the_best_first() -> None:
    assert endgames("probe", "W:WK15,20:B12,K28").splitlines() == [
        "white to move: won in 81",
        "  15-19: won in 81",
        "  15-10: won in 85",
        "  15-18: won in 85",
        "  15-11: drawn",
        "  20-16: lost in 4",
    ]


def test_probe_of_a_blocked_side_shows_no_moves() -> None:
    assert endgames("probe", "W:W5:B1") == "white to move: lost in 0\n"


def test_probe_of_too_many_pieces_is_refused() -> None:
    with pytest.raises(BadInput, match="up to 4 pieces"):
        endgames("probe", "W:WK15,20,21:B12,K28")


def test_every_command_and_option_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "reference" / "cli.md").read_text()
    section = text.split("## `ludus endgames`")[1].split("\n## ")[0]
    group: Any = typer.main.get_command(group_app)
    for command, each in group.commands.items():
        assert f"`ludus endgames {command}" in section
        for option in (option for parameter in each.params for option in parameter.opts if option.startswith("--")):
            assert option == "--help" or f"`{option}" in section, option
