"""The commands as a person in a terminal uses them."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from tests.forked_command import run_command

from ludus.cli.app import app
from ludus.core.notation import MOST_TEXT

ROOT = Path(__file__).parents[2]


def ludus(*words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return run_command(*words, typed=typed, folder=ROOT)


def interrupted(file: Path, request: Callable[[subprocess.Popen[str]], None]) -> tuple[int, str, str]:
    """What is left of a game to be saved in `file` in which, after one move, something happens at the prompt."""
    command = [sys.executable, "-m", "ludus", "play", "checkers", "--save", str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) as run:
        assert run.stdin and run.stdout
        run.stdin.write("11-15\n")
        run.stdin.flush()
        said = ""
        while not said.endswith("white> "):
            said += run.stdout.read(1)
        request(run)
        output, problem = run.communicate(timeout=60)
    return run.returncode, output, problem


def refused(*words: str, typed: str = "") -> str:
    """What a refused command says: one line, exit code 2, no traceback."""
    run = ludus(*words, typed=typed)
    assert run.returncode == 2, run
    assert run.stderr.count("\n") == 1
    return run.stderr


@pytest.mark.parametrize(("words", "lines"), [
    (["checkers", "6"], "36,768"),
    (["checkers", "4", "--plain"], "1,469"),
    (["checkers", "6", "--fen", "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29"], "40,745"),
    (["backgammon", "1"], "447"),
    (["backgammon", "2"], "202,782"),
    (["backgammon", "2", "--weighted"], "419,783"),
    (["backgammon", "1", "--fen", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"], "16"),
    (["backgammon", "1", "--fen", "4HPwATDgc/ABMA"], "447"),
    (["checkers", "0"], "1"),
])  # fmt: skip
def test_perft_counts_lines(words: list[str], lines: str) -> None:
    run = ludus("perft", *words)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(f"{lines} line{'s' * (lines != '1')} of {words[1]} move{'s' * (words[1] != '1')} in ")


@pytest.mark.parametrize(("words", "said"), [
    (["perft", "checkers", "4", "--fen", "nonsense"], "'nonsense' is not a FEN"),
    (["perft", "chess", "4"], ": 'chess' is not checkers or backgammon."),
    (["replay", "x.pdn", "--game", "chess"], ": 'chess' is not checkers or backgammon."),
    (["perft", "checkers", "four"], "'depth'"),
    (["perft", "checkers", "-1"], "-1"),
    (["play", "checkers", "--bot", "deep blue"], "there is no player 'deep blue'"),
    (["play", "checkers", "--side", "third"], "--side is first or second"),
    (["play", "backgammon", "--variant", "tric trac"], "no variant 'tric trac'"),
    (["play", "checkers", "--variant", "standard", "--position", "B:WK32:BK1"], "--variant and --position both"),
    (["play", "checkers", "--save", "nowhere/game.pdn"], "nowhere/game.pdn: No such file"),
    (["play", "checkers", "--save", "tests"], "tests: Is a directory"),
    (["replay", "nowhere.pdn"], "nowhere.pdn: No such file"),
    (["replay", "README.md"], "--game"),
    (["frobnicate"], "frobnicate"),
])  # fmt: skip
def test_bad_input_gets_one_line_that_says_what_is_wrong(words: list[str], said: str) -> None:
    assert said in refused(*words)


def test_a_file_that_cannot_be_written_is_refused_before_the_game() -> None:
    assert ludus("play", "checkers", "--save", "nowhere/game.pdn", typed="11-15\n").stdout == ""


def test_two_people_play_and_the_game_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "game.pdn"
    typed = "11-15\nhelp\nmoves\n23-24\n23-19\nundo\n22-18\n15x22\nflip\nresign\ny\n"
    run = ludus("play", "checkers", "--save", str(file), typed=typed)
    assert run.returncode == 0, run.stderr
    assert "not legal here" in run.stdout
    assert "Black wins: resignation." in run.stdout
    assert "1. 11-15 22-18 2. 15x22" in file.read_text()


def test_a_whole_game_of_each_kind_against_the_random_bot(tmp_path: Path) -> None:
    for game, end in (("checkers", "undo\ndraw\nresign\ny\n"), ("backgammon", "moves\nundo\ndraw\nresign\ny\n")):
        run = ludus("play", game, "--bot", "random", "--seed", "7", "--side", "second", typed=end)
        assert run.returncode == 0, run.stderr
        assert "wins: resignation." in run.stdout


def test_the_same_seed_gives_the_same_game() -> None:
    one, two = (ludus("play", "backgammon", "--bot", "random", "--seed", "3", typed="quit\n") for _ in range(2))
    assert one.stdout == two.stdout
    assert "The game is not finished." in one.stdout


def test_end_of_input_leaves_the_game() -> None:
    run = ludus("play", "checkers", typed="11-15\n")
    assert run.returncode == 0
    assert "The game is not finished." in run.stdout


@pytest.mark.parametrize("typed", ["11-15\n", "11-15\nresign\n", "11-15\ndraw\n"])
def test_the_end_of_the_input_leaves_any_question_and_the_game_is_saved(tmp_path: Path, typed: str) -> None:
    file = tmp_path / "game.pdn"
    run = ludus("play", "checkers", "--save", str(file), typed=typed)
    assert (run.returncode, run.stderr) == (0, "")
    assert "1. 11-15 *" in file.read_text()


def test_an_interrupted_game_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "game.pdn"
    code, output, problem = interrupted(file, lambda run: run.send_signal(signal.SIGINT))
    assert (code, problem) == (0, "")
    assert "The game is not finished." in output
    assert "1. 11-15 *" in file.read_text()


def test_a_game_that_cannot_be_saved_after_all_is_printed(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "game.pdn"
    file.parent.mkdir()
    code, output, problem = interrupted(file, lambda run: shutil.rmtree(file.parent))
    assert code == 2
    assert "1. 11-15 *" in output
    assert problem.endswith("game.pdn: No such file or directory\n")


def test_in_backgammon_the_board_faces_the_player_to_move() -> None:
    position = "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10"
    run = ludus("play", "backgammon", "--position", position, "--seed", "1", typed="8/5 6/5\nflip\nquit\n")
    nearest = [line for line in run.stdout.splitlines() if line.startswith("└")]
    assert [line[3:10] for line in nearest] == ["● black", "○ white", "● black"]


def test_the_board_is_drawn_again_when_it_has_changed_or_is_asked_for() -> None:
    run = ludus("play", "checkers", typed="moves\nhelp\n11-20\n\n11-15\nboard\nquit\n")
    assert run.stdout.count("┌") == 3


def test_a_game_of_backgammon_can_be_resigned_for_more() -> None:
    run = ludus("play", "backgammon", typed="resign 4\nresign two\nresign 2\ny\n")
    assert run.stdout.count("a game of backgammon is resigned for 1 to 3") == 2
    assert "resigns a gammon. " in run.stdout
    assert "wins, 2 points: resignation." in run.stdout
    assert "a game of checkers is resigned for 1\n" in ludus("play", "checkers", typed="resign 2\n").stdout


def test_in_checkers_the_board_keeps_its_side_up() -> None:
    run = ludus("play", "checkers", typed="11-15\n22-18\nquit\n")
    farthest = [line for line in run.stdout.splitlines() if line.startswith("┌")]
    assert len(farthest) == 3
    assert all("black" in line for line in farthest)


@pytest.mark.parametrize("opponent", [[], ["--bot", "random"]])
def test_backgammon_has_no_draws_to_offer(opponent: list[str]) -> None:
    assert "There are no draws in backgammon." in ludus("play", "backgammon", *opponent, typed="draw\nquit\n").stdout


def test_after_the_end_no_one_is_to_move() -> None:
    run = ludus("play", "checkers", typed="resign\ny\n")
    assert run.stdout.count("to move") == 1
    assert "└─ ○ white ──────────── has won ─┘" in run.stdout


def test_a_game_starts_from_a_position() -> None:
    run = ludus("play", "checkers", "--position", "W:WK7:B10,11,18,19", typed="7x7\n7x14x23x16x7\n")
    assert "7x7 can be" in run.stdout
    assert "White wins: no pieces." in run.stdout


def test_a_recorded_game_is_replayed(tmp_path: Path) -> None:
    file = tmp_path / "game.pdn"
    file.write_text('[White "Ada"]\n\n1. 11-15 {sharp} 23-19 *\n')
    run = ludus("replay", str(file))
    assert run.returncode == 0, run.stderr
    assert "White: Ada" in run.stdout
    assert "1/2  black: 11-15" in run.stdout
    assert "(sharp)" in run.stdout
    assert "The game is not finished." in run.stdout


def test_a_bad_record_names_its_line(tmp_path: Path) -> None:
    file = tmp_path / "bad.pdn"
    file.write_text('[White "Ada"]\n\n1. 11-15 23-19\n2. 1-2 *\n')
    assert "bad.pdn: line 4: 1-2 is not legal here" in refused("replay", str(file))
    file.write_text("1. 11-15 *")
    assert "has 1 game; there is no number 2" in refused("replay", str(file), "--number", "2")


def test_bad_games_are_skipped_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("1. 1-2 *\n" * 12 + '[White "Ada"]\n\n1. 11-15 *\n')
    run = ludus("replay", str(file), "--skip-bad")
    assert (run.returncode, "White: Ada" in run.stdout) == (0, True)
    lines = run.stderr.splitlines()
    assert lines[:2] == [f"{file}: skipped 12 games", "  line 1: 1-2 is not legal here: square 2 is occupied"]
    assert lines[-1] == "  and 2 more"


def test_a_bad_game_does_not_hinder_those_before_it(tmp_path: Path) -> None:
    file = tmp_path / "bad.pdn"
    file.write_text('[White "Ada"]\n\n1. 11-15 *\n\n[White "Grace"]\n\n1. 1-2 *\n')
    assert "White: Ada" in ludus("replay", str(file), "-n", "1").stdout
    assert "line 7: 1-2 is not legal" in refused("replay", str(file), "-n", "2")


def test_a_file_longer_than_is_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "long.pdn"
    file.write_text("x" * (MOST_TEXT + 9))
    assert f"more than {MOST_TEXT:,} characters" in refused("replay", str(file))


def test_help_and_version() -> None:
    assert "perft" in ludus("--help").stdout
    assert re.fullmatch(r"ludus \d+\.\d+\.\d+( \([0-9a-f]{10}(-dirty)?\))?\n", ludus("--version").stdout)


def commands() -> list[tuple[str, Any]]:
    group: Any = typer.main.get_command(app)
    return sorted((name, command) for name, command in group.commands.items() if not command.hidden)


@pytest.mark.parametrize(("name", "command"), commands())
def test_every_command_and_option_is_documented(name: str, command: Any) -> None:
    text = (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert f"## `ludus {name}" in text
    section = text.split(f"## `ludus {name}")[1].split("\n## ")[0]
    for parameter in command.params:
        for option in (*parameter.opts, *parameter.secondary_opts):
            if option.startswith("--") and option != "--help":
                assert f"`{option}" in section, option
