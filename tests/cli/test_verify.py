"""`ludus verify` as somebody uses it who wants to know whether the dice were fair."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from ludus.cli.verify import verify
from ludus.core.errors import BadInput, LudusError
from ludus.service import proof
from ludus.service.ports.writes import Append
from ludus.storage import store_for

from ..service.games import SEED, TABLE, finished_game, played

COMMITMENT = "accde30f3b6190e62e2bed2c0e1cf32a848711a153aeb1924fe0f67cf020ba11"
OTHER = "00" * 32


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def said(*words: str, code: int = 0) -> list[str]:
    """The lines of a proof's result."""
    app = typer.Typer()
    app.command()(verify)
    run = CliRunner().invoke(app, words)
    if isinstance(run.exception, LudusError):
        raise run.exception
    assert run.exit_code == code, run.output
    return run.output.splitlines()


def proof_file(name: str, **changes: Any) -> str:
    Path("proof.json").write_text(json.dumps(proof.document(*finished_game(name)[1:]) | changes))
    return "proof.json"


def record_file(name: str, *, seed: bytes | None = SEED) -> str:
    game = played(name)
    game.tags |= proof.tags(TABLE, seed)
    file = Path("game").with_suffix(game.rules.notation.suffix)
    file.write_text(game.rules.notation.write_games([game]))
    return str(file)


def database(name: str, *, plies: int | None = None) -> Path:
    """The data folder of a server on which one game was played, or is being played after so many events."""
    _, row, events = finished_game(name)
    data = Path("data")
    data.mkdir()

    async def fill() -> None:
        store = store_for("", data)
        await store.open()
        for event in events[:plies]:
            is_last = plies is None and event == events[-1]
            now = row if is_last else row._replace(status="live", result=None, ended_at=None)
            await store.commit(Append(now._replace(version=event.version), event))
        await store.close()

    asyncio.run(fill())
    return data


def test_a_proof_file_of_a_game_with_dice() -> None:
    lines = said(proof_file("backgammon"))
    assert [line[0] for line in lines[:-1]] == ["✓"] * 4
    assert lines[0] == f"✓ The seed matches the commitment {COMMITMENT}."
    assert lines[-1].endswith("borne off.")


def test_a_proof_file_of_a_game_without_dice() -> None:
    lines = said(proof_file("checkers"))
    assert [line[:5] for line in lines[:-1]] == ["✓ All", "✓ The"]


@pytest.mark.parametrize("name", ["backgammon", "checkers"])
def test_a_game_file_with_tags(name: str) -> None:
    lines = said(record_file(name, seed=SEED if name == "backgammon" else None))
    assert [line[0] for line in lines[:-1]] == ["✓"] * (4 if name == "backgammon" else 2)


def test_a_game_file_of_another_name_is_recognized() -> None:
    Path(record_file("backgammon")).rename("game.txt")
    assert said("game.txt") == said("game.txt", "--game", "backgammon")
    Path("game.txt").write_text("Dear diary")
    with pytest.raises(BadInput, match="the text doesn't tell either; name the game with --game"):
        said("game.txt")


def test_a_game_that_cannot_be_read_is_skipped_when_asked() -> None:
    file = Path(record_file("checkers"))
    file.write_text(f'[Event "odd"]\n\n1. 1-2 *\n\n{file.read_text()}')
    assert said(str(file), "--skip-bad")[-1].startswith(("Black wins", "White wins", "A draw"))


def test_a_failed_check_says_what_is_wrong_and_exits_with_1() -> None:
    lines = said(proof_file("backgammon", commitment=OTHER), code=1)
    assert lines[0] == f"✗ The commitment was {OTHER}, but the seed's is {COMMITMENT}."
    assert [line[0] for line in lines] == ["✗", "✓", "✓", "✓"]


def test_the_commitment_that_a_player_wrote_down_is_what_counts() -> None:
    for file in (proof_file("backgammon", commitment=OTHER), record_file("backgammon")):
        assert said(file, "--commitment", COMMITMENT)[0].startswith("✓")
        assert said(file, "--commitment", OTHER, code=1)[0].startswith("✗")


def test_loaded_dice_in_a_game_file_are_found() -> None:
    file = Path(record_file("backgammon", seed=random.Random(1).randbytes(32)))
    lines = said(str(file), code=1)
    assert [line[0] for line in lines] == ["✓", "✗", "✓", "✓"]
    assert lines[1].startswith("✗ Roll 0 (move 1) is 42, but the seed gives ")


def test_an_illegal_move_in_a_game_file_is_a_failed_check_with_its_line() -> None:
    Path("game.pdn").write_text('[Table "t"]\n\n1. 11-15 23-19\n2. 1-2 *\n')
    assert said("game.pdn", code=1) == ["✗ game.pdn: line 4: 1-2 is not legal here: square 2 is occupied."]


def test_an_unfinished_game_file_is_not_proved() -> None:
    Path("game.pdn").write_text("1. 11-15 *\n")
    assert said("game.pdn", code=1)[-1] == "✗ The game is not finished."


@pytest.mark.parametrize("name", ["backgammon", "checkers"])
def test_a_game_in_the_database(name: str) -> None:
    lines = said(TABLE, "--data", str(database(name)))
    assert [line[0] for line in lines[:-1]] == ["✓"] * (4 if name == "backgammon" else 2)


def test_the_data_folder_can_be_named_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUDUS_DATA", str(database("checkers")))
    assert said(TABLE)[0].startswith("✓")


def test_a_game_that_goes_on_keeps_its_secret() -> None:
    with pytest.raises(BadInput, match="this game is still going on"):
        said(TABLE, "--data", str(database("backgammon", plies=20)))


def test_an_unknown_game() -> None:
    with pytest.raises(BadInput, match="no game 'table-9' in the database"):
        said("table-9", "--data", str(database("checkers")))


@pytest.mark.parametrize("words", [["--data", "nowhere"], ["--data", "."], ["--database", "sqlite:nowhere/a.sqlite3"]])
def test_no_database_is_made_where_there_is_none(words: list[str]) -> None:
    with pytest.raises(BadInput, match="'table-1' is not a file, and there is no database "):
        said(TABLE, *words)
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(("text", "problem"), [
    ("{", "proof.json is not JSON"),
    ("[" * 100_000, "proof.json is not JSON"),
    ("[]", "this is not a proof"),
    ('{"ludus": "proof 9"}', "this is not a proof"),
])  # fmt: skip
def test_a_file_that_is_no_proof(text: str, problem: str) -> None:
    Path("proof.json").write_text(text)
    with pytest.raises(BadInput, match=problem):
        said("proof.json", "--commitment", COMMITMENT)


@pytest.mark.parametrize("name", ["nowhere.json", "nowhere.mat", "nowhere.pdn"])
def test_a_file_that_is_not_there(name: str) -> None:
    with pytest.raises(BadInput, match=f"{name}: No such file"):
        said(name)


def test_a_game_that_the_file_does_not_have() -> None:
    with pytest.raises(BadInput, match=r"game\.mat has 1 game; there is no number 2"):
        said(record_file("backgammon"), "--number", "2")


def test_a_game_file_that_cannot_be_read_names_its_line() -> None:
    Path("game.mat").write_text("nonsense\n")
    with pytest.raises(BadInput, match=r"game\.mat: line 1: "):
        said("game.mat")
