"""Prompts that edit lines, boards that fit, tables that are not cut, and words that the shell completes."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from rich.table import Table
from tests.cli.screens import drained

from ludus.cli import terminal
from ludus.cli.app import app
from ludus.core.game import Game
from ludus.games import GAMES

UP = b"\x1b[A"
LEFT = b"\x1b[D"


def open_screen(columns: int) -> tuple[int, int]:
    screen, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    return screen, end


def typed(state: Path, keys: bytes, columns: int = 80, game: str = "checkers") -> str:
    """What a person sees who types this at the prompt of `ludus play`."""
    screen, end = open_screen(columns)
    given = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    given |= {"TERM": "dumb", "XDG_STATE_HOME": str(state), "INPUTRC": os.devnull}
    command = [sys.executable, "-m", "ludus", "play", game, "--seed", "1"]
    with subprocess.Popen(command, stdin=end, stdout=end, stderr=end, env=given):
        os.close(end)
        os.write(screen, keys)
        return drained(screen)


@pytest.mark.slow
def test_arrow_keys_edit_a_line_and_recall_one_of_an_earlier_game(tmp_path: Path) -> None:
    said = typed(tmp_path, b"1115" + LEFT * 2 + b"-\n" + b"quit\n")
    assert "white> " in said
    assert (tmp_path / "ludus" / "history").read_text().splitlines()[-2:] == ["11-15", "quit"]
    said = typed(tmp_path, UP * 2 + b"\n" + b"quit\n")
    assert "white> " in said
    assert (tmp_path / "ludus" / "history").read_text().splitlines()[-4:] == ["11-15", "quit", "11-15", "quit"]


@pytest.mark.slow
def test_a_state_folder_that_cannot_be_written_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "ludus").write_text("not a folder")
    said = typed(tmp_path, b"11-15\nquit\n")
    assert "white> " in said
    assert "Traceback" not in said


@pytest.mark.slow
@pytest.mark.parametrize(("game", "columns", "widest"), [("checkers", 30, 20), ("backgammon", 50, 39)])
def test_the_board_fits_a_narrow_terminal(tmp_path: Path, game: str, columns: int, widest: int) -> None:
    said = typed(tmp_path, b"quit\n", columns, game)
    rows = [line for line in said.splitlines() if "│" in line]
    assert {len(row) for row in rows} == {widest}
    assert "┌" not in said


def test_questions_are_not_part_of_the_history(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept: list[str] = []
    monkeypatch.setattr("builtins.input", lambda _question: "  ")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    readline = pytest.importorskip("readline")
    monkeypatch.setattr(readline, "add_history", kept.append)
    with terminal.line_editing() as ask:
        ask("> ")
        monkeypatch.setattr("builtins.input", lambda _question: "11-15")
        ask("> ")
    assert kept == ["11-15"]


def test_without_readline_or_a_terminal_lines_are_read_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal.line_editing() as ask:
        assert ask is input
    monkeypatch.setitem(sys.modules, "readline", None)
    assert terminal.find_readline() is None


def test_a_user_without_a_home_has_no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert terminal.history_file() is None


def test_tables_are_neither_cut_nor_folded_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(box=None)
    table.add_row("word " * 100, "the end")
    terminal.output().print(table)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert line.count("word") == 100
    assert line.rstrip().endswith("the end")


def positions(game: str) -> Iterator[Any]:
    """Boards of random games from the first position to the last."""
    for seed in range(3):
        record: Game[Any, Any] = Game(GAMES[game])
        rng = Random(seed)
        while not record.outcome and len(record.moves) < 400:
            yield record.board()
            record.play(rng.choice(record.legal_moves()))
        yield record.board()


@pytest.mark.parametrize(("game", "widest"), [("checkers", 20), ("backgammon", 39)])
def test_narrow_boards_are_as_wide_as_they_should_be(game: str, widest: int) -> None:
    for board in positions(game):
        for flipped in (False, True):
            text = board.text(width=widest, flipped=flipped)
            assert {len(line) for line in text.splitlines()} == {widest}
        assert board.text(width=500) == board.text()


def completed(*words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setenv("_LUDUS_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", " ".join(("ludus", *words)))
    monkeypatch.setenv("COMP_CWORD", str(len(words)))
    with pytest.raises(SystemExit):
        app(prog_name="ludus")
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(("words", "choices"), [
    (("play", ""), ["checkers", "backgammon"]),
    (("play", "back"), ["backgammon"]),
    (("play", "backgammon", "--variant", ""), ["standard", "printed", "nackgammon", "hypergammon"]),
    (("play", "checkers", "--variant", ""), ["standard"]),
    (("play", "checkers", "--bot", "m"), ["medium"]),
    (("play", "checkers", "--side", ""), ["first", "second"]),
    (("match", "checkers", "easy", "h"), ["hard"]),
    (("bench", "ch"), ["checkers"]),
    (("mcp", "--transport", ""), ["stdio", "http"]),
    (("dem",), ["demo"]),
])  # fmt: skip
def test_the_shell_completes(
    words: tuple[str, ...], choices: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert completed(*words, monkeypatch=monkeypatch, capsys=capsys) == choices
