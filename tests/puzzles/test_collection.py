"""The puzzles of the package together with an operator's."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.puzzles.test_puzzle import OPENING, PLAY, SHOT, TWO_FOR_ONE

from ludus.core.errors import BadInput
from ludus.games import GAMES
from ludus.puzzles import Puzzle, puzzles, write
from ludus.puzzles import collection as module
from ludus.puzzles.adapter import adapter
from ludus.puzzles.collection import collection
from ludus.puzzles.puzzle import id_of


def mirrored(game: str, position: str) -> Puzzle:
    """The puzzle with the sides exchanged; its solution is left as it is."""
    notation = GAMES[game].notation
    turned = notation.write_position(adapter(game).mirrored(notation.read_position(position)))
    return {"checkers": SHOT, "backgammon": PLAY}[game]._replace(position=turned, id=id_of(game, turned))


def test_without_files_there_are_the_puzzles_of_the_package() -> None:
    assert all(collection(" ")(game) is puzzles(game) for game in GAMES)


def test_files_and_folders_add_to_the_puzzles_of_their_games(tmp_path: Path) -> None:
    one, folder = tmp_path / "one.jsonl", tmp_path / "more"
    folder.mkdir()
    one.write_text(write([SHOT]))
    (folder / "two.jsonl").write_text(write([PLAY]))
    (folder / "notes.txt").write_text("no puzzle")
    found = collection(f"{one}, {folder}")
    assert found("checkers") == (*puzzles("checkers"), SHOT)
    assert found("backgammon") == (*puzzles("backgammon"), PLAY)


@pytest.mark.parametrize(("game", "position"), [("checkers", TWO_FOR_ONE), ("backgammon", OPENING)])
def test_a_position_that_repeats_or_is_mirrored_is_one_puzzle(game: str, position: str) -> None:
    own = {"checkers": SHOT, "backgammon": PLAY}[game]
    assert module.merged([own, mirrored(game, position), own._replace(rating=2000)]) == (own,)


def test_a_shipped_puzzle_in_a_file_stays_as_it_is_shipped(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(write([puzzles("checkers")[3]._replace(rating=3000), SHOT]))
    assert collection(str(file))("checkers") == (*puzzles("checkers"), SHOT)


def test_what_is_not_a_file_of_puzzles_is_one_line_that_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "bad.jsonl").write_text(f"{write([SHOT])}{{}}\n")
    (tmp_path / "latin.jsonl").write_bytes(b"\xe9")
    for name, problem in {
        "none.jsonl": "none.jsonl: No such file or directory$",
        "empty": r"there is no \*.jsonl in the folder .*empty$",
        "bad.jsonl": "bad.jsonl: line 2: a puzzle is an object with the fields",
        "latin.jsonl": "latin.jsonl is not UTF-8$",
    }.items():
        with pytest.raises(BadInput, match=f"^puzzles: .*{problem}") as refused:
            collection(str(tmp_path / name))
        assert "\n" not in str(refused.value)
    monkeypatch.setattr(module, "MOST", 1)
    (tmp_path / "two.jsonl").write_text(write([SHOT, PLAY]))
    with pytest.raises(BadInput, match=r"^puzzles: at most 1, not 2$"):
        collection(str(tmp_path / "two.jsonl"))
