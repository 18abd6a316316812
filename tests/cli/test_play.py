"""`ludus play` with bots that are slow, that speak, and that cheat."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.cli.screens import drained

from ludus.cli.play import Pace, TerminalGame, new_game
from ludus.core.errors import BadInput, UnknownOption
from ludus.core.rules import Player
from ludus.engines import ENGINES
from ludus.games import GAMES
from ludus.players import find_player
from ludus.service.pauses import PAUSES

SOURCE = """
class Talkative:
    def choose(self, rules, position, limit, rng, past=()):
        return rules.notation.write_move(position, rules.moves(position)[0])
class Liar:
    def choose(self, rules, position, limit, rng, past=()): return "1-32" if len(past) > 1 else "11-15"
talkative, liar = Talkative(), Liar()
"""


@pytest.fixture(autouse=True)
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots_that_speak.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)


def table(bot: Any, typed: list[str], monkeypatch: pytest.MonkeyPatch, **more: Any) -> TerminalGame:
    """The bot plays black; a person types so much and then nothing more."""
    words = iter(typed)
    monkeypatch.setattr("builtins.input", lambda _question: next(words))
    seats = {Player.FIRST: bot, Player.SECOND: None}
    return TerminalGame(new_game(GAMES["checkers"], None, None), seats, Random(1), **more)


def test_a_bot_that_answers_in_words_is_understood(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table(find_player("bots_that_speak:talkative", "checkers"), ["quit"], monkeypatch).run()
    first = GAMES["checkers"].moves(GAMES["checkers"].variants["standard"])[0]
    assert f"black: {first.origin}-{first.landing}" in capsys.readouterr().out


@pytest.mark.parametrize(("game", "position", "hint"), [
    ("checkers", "W:WK18,K14:BK1", "14-9 (+1.00 points)"),
    ("backgammon", "XGID=-C--------------------b---:0:0:1:21:0:0:0:0:10", "1/off(2) (+"),
])  # fmt: skip
def test_a_hint_is_what_the_strongest_engine_would_play(
    game: str, position: str, hint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = iter(["hint", "quit"])
    monkeypatch.setattr("builtins.input", lambda _question: next(words))
    TerminalGame(new_game(GAMES[game], None, position), dict.fromkeys(Player), Random(1)).run()
    assert any(line.startswith(hint) for line in capsys.readouterr().out.splitlines())


def test_a_bot_that_cheats_is_reported_and_its_game_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "game.pdn"
    bot = find_player("bots_that_speak:liar", "checkers")
    with pytest.raises(BadInput, match=r"the bot made no legal move in B:W.*: 1-32 is not legal here"):
        table(bot, ["22-18"], monkeypatch, save=file).run()
    assert "1. 11-15 22-18 *" in file.read_text()


def test_a_bot_keeps_its_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    pace = Pace("easy", Random(1), lambda: 0.0, slept.append)
    table(ENGINES["random"], ["22-18", "quit"], monkeypatch, pace=pace).run()
    assert len(slept) == 2 and all(0.5 <= seconds <= 1.5 for seconds in slept)


@pytest.mark.parametrize(("more", "is_shown"), [([], True), (["--no-pause"], False)])
def test_on_a_terminal_bots_pause_unless_the_pause_is_off(more: list[str], is_shown: bool) -> None:
    screen, terminal = pty.openpty()
    command = [sys.executable, "-m", "ludus", "play", "checkers", "--bot", "random", "--side", "second", *more]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment):
        os.close(terminal)
        os.write(screen, b"quit\n")
        said = drained(screen)
    assert "white> " in said
    assert ("random is thinking" in said) is is_shown


def test_bots_do_not_pause_without_a_terminal() -> None:
    command = [sys.executable, "-m", "ludus", "play", "checkers", "--bot", "random", "--side", "second"]
    run = subprocess.run(command, input="quit\n", capture_output=True, text=True, check=True)
    assert "white> " in run.stdout
    assert run.stderr == ""


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.now += seconds


def taken(bot: str, thinking: float, seed: int) -> float:
    """Seconds from the question to the answer of a bot that thinks so long."""
    clock = Clock()
    with Pace(bot, Random(seed), clock.read, clock.sleep).wait():
        clock.now += thinking
    return clock.now - 100


@pytest.mark.parametrize("bot", ["easy", "medium", "hard", "house:easy", "mine:cautious", "policy.npz"])
def test_a_quick_answer_takes_as_long_as_on_the_server(bot: str) -> None:
    least, most = PAUSES.get(bot.removeprefix("house:"), PAUSES["medium"])
    for seed in range(20):
        assert least <= taken(bot, 0.001, seed) <= most


def test_thinking_is_part_of_the_pause_and_a_long_thought_gets_none() -> None:
    assert taken("hard", 1.0, 3) == pytest.approx(taken("hard", 0.0, 3))
    assert taken("easy", 30.0, 3) == pytest.approx(30.0)


def match_of(typed: list[str], monkeypatch: pytest.MonkeyPatch, bot: Any = None, **choices: Any) -> TerminalGame:
    """Backgammon between two people, or against a bot as black; the dice and what is typed are fixed."""
    words = iter(typed)

    def answer(question: str) -> str:
        sys.stdout.write(f"{question}\n")
        return next(words)

    monkeypatch.setattr("builtins.input", answer)
    monkeypatch.setattr("ludus.cli.play.prepare", lambda *_: None)
    record = new_game(GAMES["backgammon"], None, choices.pop("position", None), **choices)
    return TerminalGame(record, {Player.FIRST: None, Player.SECOND: bot}, Random(2))


def test_a_match_with_the_cube_is_played_by_typing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = ["double", "13/7 6/2", "drop", "double", "double", "beaver", "take", "quit"]
    match_of(typed, monkeypatch, match_length=3).run()
    said = capsys.readouterr().out
    assert "double is not legal here: the dice are already rolled" in said
    assert "drop is not legal here: no double is offered" in said
    assert "double is not legal here: take or drop" in said
    assert "beaver is not legal here: take or drop" in said
    assert "white to answer" in said
    assert "(cube 2) (0/3)" in said
    assert "The match is not finished." in said


def test_a_double_is_passed_or_accepted_in_other_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    game = match_of(["13/7 6/2", "accept", "double", "Pass", "quit"], monkeypatch, match_length=3)
    game.run()
    said = capsys.readouterr().out
    assert "Black wins 1 point: dropped." in said and said.count("not legal") + said.count("is not a") == 1
    game = match_of(["13/7 6/2", "double", "accept", "quit"], monkeypatch, match_length=3)
    game.run()
    assert game.game.position.cube.value == 2


def test_each_game_of_a_match_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = ["13/7 6/2", "double", "drop", "resign 2", "n", "resign 2", "y"]
    match_of(typed, monkeypatch, match_length=3).run()
    said = capsys.readouterr().out
    assert "Black wins 1 point: dropped. The score: white 0, black 1." in said
    assert said.count("white resigns a gammon. black, do you accept?") == 2
    assert "Black wins 2 points: resignation. The score: white 0, black 3." in said
    assert said.endswith("Black wins the match, 3-0: resignation.\n")


@pytest.mark.parametrize("typed", ["black resigns 3", "white resigns 1"])
def test_a_resignation_is_no_move_that_can_be_typed(
    typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other side's was a way to win, and one's own could not be refused."""
    game = match_of(["13/7 6/2", typed, "quit"], monkeypatch, match_length=3)
    game.run()
    assert "type `resign`, `resign 2` or `resign 3`" in capsys.readouterr().out
    assert game.game.position.match.score(Player.FIRST) == game.game.position.match.score(Player.SECOND) == 0


LOST = "XGID=------------------O-----b-:1:-1:1:61:0:0:0:5:10"
"""White can't avoid losing a gammon."""


@pytest.mark.parametrize(("win", "answer"), [("1", "The bot declines"), ("2", "Black wins 4 points: resignation.")])
def test_a_bot_declines_a_resignation_that_is_worth_less_than_playing_on(
    win: str, answer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    match_of([f"resign {win}", "y", "quit"], monkeypatch, bot=ENGINES["random"], position=LOST).run()
    assert answer in capsys.readouterr().out


@pytest.mark.parametrize(
    ("game", "choices"),
    [("checkers", {"cube": True}), ("backgammon", {"match_length": 26}), ("backgammon", {"jacoby": True})],
)
def test_options_the_game_does_not_have_are_refused(game: str, choices: dict[str, Any]) -> None:
    with pytest.raises(UnknownOption):
        new_game(GAMES[game], None, None, **choices)


def test_a_position_brings_its_own_cube() -> None:
    with pytest.raises(BadInput, match="leave out the options"):
        new_game(GAMES["backgammon"], None, LOST, cube=True)
