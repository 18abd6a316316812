"""`ludus match` as a person in a terminal uses it."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.screens import drained
from tests.forked_command import run_command

from ludus.envs.policy import Policy, widths
from ludus.games import GAMES

COMMAND = [sys.executable, "-m", "ludus", "match"]


def match(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return run_command("match", *words, folder=cwd or Path.cwd())


def played(*words: str, cwd: Path | None = None) -> str:
    run = match(*words, cwd=cwd)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


def test_a_series_of_checkers() -> None:
    lines = played("checkers", "medium", "random", "--games", "10", "--seed", "3").splitlines()
    assert lines[0] == "medium - random: 10 games of checkers, seed 3"
    assert [line.split()[0] for line in lines[1:]] == ["result", "score", "Elo", "as", "as"]
    assert re.fullmatch(r"  result +\+\d+ =\d+ -\d+", lines[1])
    assert re.fullmatch(r"  score +[\d.]+ % \(95 %: [\d.]+ to [\d.]+\)", lines[2])
    assert re.fullmatch(r"  Elo +\+(\d+|∞) \(95 %: \+\d+ to \+(\d+|∞)\)", lines[3])


def test_a_series_of_backgammon_counts_points_and_gammons() -> None:
    text = played("backgammon", "easy", "random", "--games", "6", "--seed", "3")
    assert re.search(r"points +\+\d\.\d+ ± \d\.\d+ a game \(standard error\)", text)
    assert re.search(r"gammons +\+\d -\d", text)
    assert re.search(r"backgammons +\+\d -\d", text)
    assert "as white" in text


def test_a_series_of_backgammon_shows_the_result_with_and_without_luck() -> None:
    """Between players who err little, and don't turn the cube at random."""
    text = played("backgammon", "medium", "steady", "--games", "8", "--seed", "3", "--cube", "--jacoby")
    assert text.startswith("medium - steady: 8 games of backgammon (standard+cube+jacoby), seed 3\n")
    errors = re.findall(r"(?:points|without luck) +[+-]\d+\.\d+ ± (\d+\.\d+) a game", text)
    assert len(errors) == 2 and float(errors[1]) < float(errors[0])


def test_matches_are_won_or_lost() -> None:
    text = played("backgammon", "steady", "random", "--games", "4", "--seed", "3", "--match-length", "2")
    assert text.startswith("steady - random: 4 matches of backgammon (standard+match2), seed 3\n")
    assert re.search(r"  won +[\d.]+ % ± [\d.]+ \(standard error\)\n  without luck [\d.]+ % ± ", text)
    assert "points" not in text and "gammons" not in text


def test_options_that_a_game_does_not_have_are_refused() -> None:
    run = match("checkers", "easy", "random", "--match-length", "3")
    assert run.returncode == 2 and "match_length" in run.stderr


def test_the_same_seed_gives_the_same_games_on_any_number_of_processes(tmp_path: Path) -> None:
    words = ("backgammon", "easy", "random", "--variant", "hypergammon", "--games", "4", "--seed", "5")
    texts = []
    for jobs in ("1", "2", "0"):
        file = tmp_path / f"{jobs}.mat"
        said = played(*words, "--jobs", jobs, "--out", str(file))
        texts.append((said.replace(str(file), "FILE"), file.read_text()))
    assert texts[0] == texts[1] == texts[2]
    assert "4 games written to FILE" in texts[0][0]
    other = played(*words[:-1], "6")
    assert other.splitlines()[1:] != texts[0][0].splitlines()[1:]


def test_the_file_can_be_read(tmp_path: Path) -> None:
    played("checkers", "easy", "random", "--games", "4", "--out", str(tmp_path / "games.pdn"))
    games = GAMES["checkers"].notation.read_games((tmp_path / "games.pdn").read_text())
    assert [game.tags["Black"] for game in games] == ["easy", "random", "easy", "random"]


def test_ones_own_function_meets_a_policy_from_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    layer = (rng.normal(size=widths("checkers")), np.zeros(widths("checkers")[1]))
    Policy.from_layers("checkers", [layer]).save(tmp_path / "policy.npz")
    (tmp_path / "mine.py").write_text("def play(rules, position, rng): return rng.choice(rules.moves(position))")
    text = played("checkers", "mine:play", "policy.npz", "--games", "4", "--jobs", "2", cwd=tmp_path)
    assert text.startswith("mine:play - policy: 4 games of checkers, seed 0")


def test_repeated_games_are_reported_and_openings_help(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def play(rules, position, rng): return rules.moves(position)[0]")
    words = ("checkers", "mine:play", "mine:play", "--games", "8")
    assert "Only 1 different game among them; --opening N" in played(*words, cwd=tmp_path)
    assert "Only 4 different games among them" in played(*words, "--opening", "8", cwd=tmp_path)


def test_a_variant_is_played() -> None:
    assert played("backgammon", "random", "random", "--games", "2", "--variant", "hypergammon")


@pytest.mark.parametrize(("words", "said"), [
    (["chess", "easy", "easy"], "'chess' is not checkers or backgammon."),
    (["checkers", "easy", "nobody"], "there is no player 'nobody'"),
    (["checkers", "https://", "easy"], "https:// is not the address of an agent"),
    (["checkers", "http://127.0.0.1:1", "easy", "--games", "2"], "127.0.0.1:1 failed 2 times in B:W21"),
    (["checkers", "easy", "hard", "--move-seconds", "0"], "a move may take up to 86400 seconds, not 0"),
    (["checkers", "easy", "nowhere.npz"], "nowhere.npz: not a policy file: No such file or directory"),
    (["checkers", "easy", "nowhere:play"], "nowhere:play: No module named 'nowhere'"),
    (["checkers", "easy", "hard", "--games", "3"], "an even number of games"),
    (["checkers", "easy", "hard", "--jobs", "-1"], "'--jobs'"),
    (["checkers", "easy", "hard", "--variant", "printed"], "no variant 'printed'"),
    (["checkers", "easy", "hard", "--out", "nowhere/games.pdn"], "nowhere/games.pdn: No such file"),
])  # fmt: skip
def test_bad_input_gets_one_line(words: list[str], said: str) -> None:
    run = match(*words)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.count("\n") == 1
    assert said in run.stderr


def test_a_player_that_fails_does_not_take_the_games_before_with_it(tmp_path: Path) -> None:
    source = """
turns = 0
def mortal(rules, position, rng):
    global turns
    turns += 1
    return rules.moves(position)[0] if turns < 150 else 1 / 0
"""
    (tmp_path / "own.py").write_text(source)
    run = match("checkers", "own:mortal", "random", "--games", "40", "--out", "games.pdn", cwd=tmp_path)
    assert run.returncode == 2
    games = GAMES["checkers"].notation.read_games((tmp_path / "games.pdn").read_text())
    assert f"own:mortal - random: {len(games)} games of checkers" in run.stdout
    (line,) = run.stderr.splitlines()
    assert re.fullmatch(r"ludus: own:mortal failed in .*: ZeroDivisionError: .* \(own\.py, line 6\)", line)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_series_reports_the_games_so_far(tmp_path: Path, jobs: str) -> None:
    """Interrupted while a line shows how it stands; a terminal sends Ctrl-C to all processes."""
    file = tmp_path / "games.pdn"
    words = ["checkers", "easy", "random", "--games", "100000", "--jobs", jobs, "--out", str(file)]
    screen, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen([*COMMAND, *words], stdout=subprocess.PIPE, stderr=terminal, text=True,
                          start_new_session=True, env=environment) as run:  # fmt: skip
        os.close(terminal)
        shown = ""
        while not re.search(r"easy - random +\+\d", shown):
            shown += os.read(screen, 10_000).decode()
        os.killpg(run.pid, signal.SIGINT)
        said = drained(screen)
        output, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    assert "stopped; here are the games so far" in said
    assert "Traceback" not in said
    number = int(re.findall(r"^easy - random: (\d+) games", output.replace(",", ""))[0])
    assert len(GAMES["checkers"].notation.read_games(file.read_text())) == number
