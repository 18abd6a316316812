"""`ludus puzzles` as a person in a terminal uses it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from tests.forked_command import run_command
from tests.puzzles.test_puzzle import SHOT, TWO_FOR_ONE
from tests.service.games import finished_game

from ludus.puzzles import read, write
from ludus.service.ports.writes import Append
from ludus.storage import store_for

RECORD = f'[SetUp "1"]\n[FEN "{TWO_FOR_ONE}"]\n\n1. ... 22-17 14-18 *\n'


def test_puzzles_are_mined_from_self_played_games_and_pass_the_check(tmp_path: Path) -> None:
    words = ("mine", "backgammon", "--number", "2", "--seed", "1", "--out", "found.jsonl", "--jobs", "1")
    run = run_command("puzzles", *words, folder=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.startswith("found.jsonl: 2 puzzles from ")
    mined = read((tmp_path / "found.jsonl").read_text())
    assert [puzzle.source.partition(", game ")[0][-6:] for puzzle in mined] == ["seed 1"] * 2
    run = run_command("puzzles", "check", "found.jsonl", "--depth-factor", "1", "--jobs", "1", folder=tmp_path)
    assert (run.returncode, run.stdout) == (0, "found.jsonl: 2 of 2 puzzles passed at 1 times the depth\n")


def test_puzzles_are_mined_from_records_and_bad_games_skipped(tmp_path: Path) -> None:
    (tmp_path / "club.pdn").write_text(f"{RECORD}\n1. 1-2 *\n")
    words = ("mine", "checkers", "--from", "club.pdn", "--out", "found.jsonl", "--jobs", "1")
    run = run_command("puzzles", *words, folder=tmp_path)
    assert run.returncode == 2 and "club.pdn: line 6" in run.stderr
    run = run_command("puzzles", *words, "--skip-bad", folder=tmp_path)
    assert (run.returncode, run.stdout) == (0, "found.jsonl: 1 puzzle from 1 game, 3 positions\n")
    assert "club.pdn: skipped 1 game" in run.stderr
    (puzzle,) = read((tmp_path / "found.jsonl").read_text())
    assert (puzzle.moves, puzzle.source) == (SHOT.moves, "club.pdn, game 1, move 1")


async def store_games(data: Path, **keys: str) -> None:
    """A finished game of two players for each table, with keys that begin like this."""
    store = store_for("", data)
    await store.open()
    for table, key in keys.items():
        _, row, events = finished_game("checkers", table)
        players: Any = [{**player, "key": f"{key}/{player['id']}"} for player in row.players]
        for event in events:
            over: Any = {} if event == events[-1] else {"status": "live", "result": None, "ended_at": None}
            await store.commit(Append(row._replace(players=players, version=event.version, **over), event))
    await store.close()


def test_puzzles_are_mined_from_stored_games_that_everyone_may_see(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    asyncio.run(store_games(data, g5="person", g2="acme"))
    words = ("mine", "checkers", "--stored", "--data", "data", "--out", "found.jsonl", "--jobs", "1")
    run = run_command("puzzles", *words, folder=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert f" from 1 game, {finished_game('checkers', 'g5').game.length + 1} positions" in run.stdout
    sources = [puzzle.source for puzzle in read((tmp_path / "found.jsonl").read_text())]
    assert sources and all(source.startswith("stored game g5, move ") for source in sources)


def test_the_check_names_what_fails_and_writes_what_passes(tmp_path: Path) -> None:
    (tmp_path / "mixed.jsonl").write_text(write([SHOT._replace(moves=("22-17",))]))
    words = ("check", "mixed.jsonl", "--depth-factor", "1", "--out", "good.jsonl", "--jobs", "1")
    run = run_command("puzzles", *words, folder=tmp_path)
    assert run.returncode == 1 and run.stdout.startswith(f"{SHOT.id}: 22-17 beats the second best by -")
    assert (tmp_path / "good.jsonl").read_text() == ""


def test_a_file_that_holds_no_puzzles_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{}\n")
    run = run_command("puzzles", "check", "bad.jsonl", folder=tmp_path)
    assert run.returncode == 2 and "bad.jsonl: line 1: a puzzle is an object" in run.stderr
