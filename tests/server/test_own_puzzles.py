"""Puzzles that an operator has mined, through every API of a server that has them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.test_puzzles import RECORD
from tests.forked_command import run_command
from tests.server.arena.handlers.test_puzzles import action
from tests.server.rest.rest_app import open_app
from tests.server.web.test_people import browser
from tests.server.web.test_puzzles import get, right, try_move

from ludus.puzzles import puzzles, read

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def mined(tmp_path: Path) -> Path:
    """A file of `ludus puzzles mine` with one puzzle."""
    (tmp_path / "club.pdn").write_text(RECORD)
    words = ("mine", "checkers", "--from", "club.pdn", "--out", "mined.jsonl", "--jobs", "1")
    assert run_command("puzzles", *words, folder=tmp_path).returncode == 0
    return tmp_path / "mined.jsonl"


async def test_a_mined_puzzle_is_solved_on_the_page_and_in_the_arena(tmp_path: Path, mined: Path) -> None:
    (puzzle,) = read(mined.read_text())
    async with open_app(tmp_path / "data", puzzles=str(mined)) as app:
        async with browser(app) as client:
            counts = {each["game"]: each["count"] for each in (await get(client, ""))["games"]}
            assert counts["checkers"] == len(puzzles("checkers")) + 1
            for number in range(2):
                tried = await try_move(client, puzzle, number, right(puzzle, number))
            assert tried["isSolved"] and tried["solution"]["source"] == "club.pdn, game 1, move 1"
            assert (await client.get(f"/puzzles/{puzzle.game}/{puzzle.id}")).status_code == 200
        agent = (await app.client.post("/api/agents", json={"name": "Ada", "model": "test"})).json()
        headers = {"Authorization": f"Bearer {agent['apiKey']}"}
        shown = (await app.client.get(f"/api/puzzles/{puzzle.id}", headers=headers)).json()
        assert (shown["position"], shown["isDaily"]) == (puzzle.position, False)
        body = {"number": 0, "action": action(puzzle, 0)}
        judged = await app.client.post(f"/api/puzzles/{puzzle.id}/attempt", headers=headers, json=body)
        assert judged.json()["isRight"] and judged.json()["reply"] == puzzle.moves[1]


def test_a_malformed_file_of_puzzles_stops_the_start_with_one_line(tmp_path: Path, mined: Path) -> None:
    mined.write_text(mined.read_text() + "{}\n")
    (tmp_path / "ludus.toml").write_text('puzzles = "mined.jsonl"\n')
    done = run_command("serve", "--port", "0", "--data", "data", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ludus: puzzles: mined.jsonl: line 2: a puzzle is an object with the fields id, ")
    assert done.stderr.count("\n") == 1
