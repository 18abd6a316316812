"""The game without a server: on the command line and for learning code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from ludus import GAMES
from ludus.cli.app import app
from ludus.core.errors import LudusError
from ludus.engines import ENGINES, OWN_LIMIT
from ludus.envs import aec, batch

GAME = "tictactoe"


def ludus(*words: str, typed: str = "") -> str:
    """What a command prints, with the error it ends with."""
    done = CliRunner().invoke(app, list(words), input=typed)
    assert done.exception is None or isinstance(done.exception, SystemExit | LudusError), done.exception
    return f"{done.output}{done.exception or ''}"


def test_it_is_listed() -> None:
    assert list(GAMES) == ["checkers", "backgammon", GAME]
    assert "checkers|backgammon|tictactoe" in ludus("play", "--help")


def test_it_is_played_against_a_bot_saved_and_replayed(tmp_path: Path) -> None:
    file = tmp_path / "game.ttt"
    screen = ludus("play", GAME, "--bot", "hard", "--seed", "1", "--save", str(file), typed="5\nmoves\nresign\ny\n")
    assert screen.startswith("Tic-tac-toe. Type `help`")
    assert "O wins: resignation." in screen
    replayed = ludus("replay", str(file))
    assert "1/2  x: 5" in replayed
    assert "O wins: resignation." in replayed
    assert "All moves are legal" in ludus("verify", str(file))


def test_levels_differ_in_a_match(tmp_path: Path) -> None:
    file = tmp_path / "games.ttt"
    report = ludus("match", GAME, "hard", "easy", "--games", "10", "--out", str(file))
    assert "10 games of tictactoe" in report
    assert len(GAMES[GAME].notation.read_games(file.read_text())) == 10
    won = int(report.split("result       +")[1].split()[0])
    assert won >= 7


def test_every_bot_takes_a_win() -> None:
    rules = GAMES[GAME]
    position = rules.notation.read_position("xx.oo....")
    for level in ("medium", "hard"):
        move = ENGINES[level].choose(rules, position, OWN_LIMIT, Random(1))
        assert rules.notation.write_move(position, move) == "3"


@pytest.mark.parametrize(("words", "answer"), [
    (("perft", GAME, "4"), "3,024 lines of 4 moves"),
    (("analyse", "x........"), "no engine analyses 'tictactoe'"),
    (("bench", GAME), "tictactoe has no positions to bench"),
    (("precompile",), "The engines are compiled."),
    (("train", GAME), "tictactoe"),
])  # fmt: skip
def test_commands_work_or_say_what_is_missing(words: tuple[str, ...], answer: str) -> None:
    assert answer in ludus(*words)


def test_an_aec_environment_is_played_to_its_end() -> None:
    env = aec.env(GAME)
    env.reset(seed=1)
    for _ in env.agent_iter():
        seen, _, terminated, truncated, info = env.last()
        env.step(None if terminated or truncated else int(np.flatnonzero(seen["action_mask"])[0]))
    assert (info["winner"], info["reason"]) == ("player_0", "three_in_a_row")


def test_a_batch_plays_by_the_rules_of_the_game() -> None:
    rules, games = GAMES[GAME], batch(GAME, 32, seed=3)
    positions = [rules.variants["standard"]] * 32
    for _ in range(100):
        legal = [[move.square - 1 for move in rules.moves(position)] for position in positions]
        assert [np.flatnonzero(mask).tolist() for mask in games.action_mask] == legal
        actions = np.array([each[step % len(each)] for step, each in enumerate(legal)])
        played = zip(positions, actions, strict=True)
        positions = [rules.play(position, rules.notation.read_move(position, str(at + 1))) for position, at in played]
        outcomes = [rules.outcome(position) for position in positions]
        games.step(actions)
        assert games.terminated.tolist() == [outcome is not None for outcome in outcomes]
        assert games.reward.tolist() == [int(bool(o and o.winner is not None)) for o in outcomes]
        positions = [rules.variants["standard"] if o else p for p, o in zip(positions, outcomes, strict=True)]


def test_a_gpu_plays_the_same_games() -> None:
    """In Numba's simulator."""
    check = f"""
from ludus.envs import batch
for layout in ("bytes", "packed"):
    gpu, cpu = (batch("{GAME}", 16, device=device, seed=3, layout=layout) for device in ("cuda", "cpu"))
    for _ in range(40):
        for one, two in zip(gpu.step(), cpu.step(), strict=True):
            assert (gpu._host(one) == two).all(), layout
"""
    subprocess.run([sys.executable, "-c", check], check=True, env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"})


def test_a_gymnasium_environment_has_an_opponent() -> None:
    import gymnasium

    env: Any = gymnasium.make("ludus/Tictactoe-v0")
    _, info = env.reset(seed=1)
    is_over = False
    while not is_over:
        _, _, terminated, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        is_over = terminated or truncated
