"""`ludus demo`: agents fill a server with games."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.client.conftest import UNLIMITED
from tests.server_process import PATIENCE, ServerProcess

from ludus.cli.demo import MOST_GAMES, NAMES, Player, Report, demo, lineup, new_server
from ludus.client import GameOver, Unreachable
from ludus.games import GAMES


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("demo") / "data", **UNLIMITED)
    yield server
    server.close()


def ended(you: str, outcomes: dict[str, str]) -> GameOver:
    return GameOver("match", "checkers", you, outcomes, "no_moves", None, {}, {})


def test_games_take_turns_and_every_agent_has_a_name_of_its_own() -> None:
    assert lineup(2) == [
        Player(NAMES[0], "easy", "checkers"),
        Player(NAMES[1], "medium", "checkers"),
        Player(NAMES[2], "medium", "backgammon"),
        Player(NAMES[3], "easy", "backgammon"),
    ]
    most = lineup(MOST_GAMES)
    assert len({player.name for player in most}) == 2 * MOST_GAMES
    assert set(Counter(player.game for player in most).values()) == {MOST_GAMES}


def test_a_game_is_reported_once(capsys: pytest.CaptureFixture[str]) -> None:
    with Report(1) as report:
        report.enter("a", "Ada")
        report.enter("b", "Bruno")
        for you in ("a", "b"):
            report.add(ended(you, {"a": "loss", "b": "win"}))
            report.add(ended(you, {"a": "draw", "b": "draw"}))
            report.add(ended(you, {"stranger": "loss", "b": "win"}))
    assert report.finished == 3
    assert capsys.readouterr().out.splitlines() == [
        "checkers: Ada drew with Bruno (no moves)",
        "checkers: Bruno beat Ada (no moves)",
        "checkers: Bruno beat someone else (no moves)",
    ]


@pytest.mark.slow
def test_agents_register_meet_and_play_in_both_games(
    server: ServerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    server.post("/api/agents", None, {"name": NAMES[0]})  # taken, so the demo's has a number
    demo(server.url, games=2, matches=4, pace=0.0)
    first, *games, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"4 agents play at {server.url}; ")
    assert (len(games), last) == (4, "4 games finished.")
    ended = [match for game in GAMES for match in server.get("/api/matches", gameId=game, status="finished")["matches"]]
    names = {player["name"] for match in ended for player in match["players"]}
    assert len(ended) == 4
    assert names <= {f"{NAMES[0]} 2", *NAMES[1:4]}
    demo(server.url, games=1, matches=1, pace=0.0)  # the same agents again


@pytest.mark.slow
def test_ctrl_c_stops_it_with_a_summary(server: ServerProcess, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ludus", "demo", "--url", server.url, "--games", "1"]
    given = os.environ | {"XDG_CONFIG_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=given) as run:
        assert run.stdout
        assert run.stdout.readline().startswith("2 agents play at")
        run.send_signal(signal.SIGINT)
        said, problem = run.communicate(timeout=PATIENCE)
    assert (run.returncode, said, problem) == (0, "0 games finished.\n", "")


def test_a_server_that_is_named_but_does_not_answer_is_an_error() -> None:
    with pytest.raises(Unreachable, match="does not answer"):
        demo("http://127.0.0.1:9", games=1, matches=1, pace=0.0)


@pytest.mark.slow
def test_a_new_server_has_a_database_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_DATABASE", "postgresql://nowhere/nothing")
    with new_server(tmp_path, port=0) as address:
        assert address.startswith("http://127.0.0.1:")
    assert (tmp_path / "data").is_dir()
