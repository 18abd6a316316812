"""The packaged tables, checked against the rules and the literature."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from ludus.core.errors import BadInput
from ludus.core.rules import Player, Reason
from ludus.engines.checkers.endgames import layout, tables
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, WIN
from ludus.engines.checkers.endgames.layout import Slice
from ludus.engines.checkers.endgames.tables import (
    KNOWN,
    NO_PIECES,
    EndgameTables,
    TableValue,
    WrongTables,
    count_all,
    count_slice,
)
from ludus.games.checkers.position import Move, Position
from ludus.games.checkers.rules import Checkers

RULES = Checkers()
FIRST_POSITION = """
15-19 28-32 20-16 32-28 16-11 28-32 11-7 32-28 7-3 28-32 3-7 32-28 7-10 28-32 10-15 32-28 15-18 28-32 18-23 32-28
23-27 28-32 19-23 32-28 27-32 28-24 23-18 24-28 18-15 28-24 32-28 24-27 15-18 12-16 28-32 27-24 18-15 24-28 15-11
16-19 32-27 28-32 27-31 32-28 11-15
"""


def by_one_move(found: EndgameTables, position: Position) -> TableValue:
    """A position's value, derived from the tables' values after each move."""
    after = [found.probe(RULES.play(position, move)) for move in RULES.moves(position)]
    values = [value for value in after if value]
    assert len(values) == len(after)
    if losing := [plies for value, plies in values if value == LOSS]:
        return TableValue(WIN, 1 + min(losing))
    if any(value == DRAW for value, _ in values):
        return TableValue(DRAW, 0)
    return TableValue(LOSS, 1 + max(plies for _, plies in values) if values else 0)


@pytest.mark.parametrize("pieces", [2, 3, 4])
def test_counts_equal_the_published_ones(four: EndgameTables, pieces: int) -> None:
    assert count_all(pieces, four.wld) == KNOWN[pieces]


@pytest.mark.parametrize(("pieces", "number"), [(2, 1000), (3, 2000), (4, 3000)])
def test_values_follow_from_those_after_each_move(
    four: EndgameTables, positions: Any, pieces: int, number: int
) -> None:
    for position in positions(number, pieces, seed=pieces):
        assert four.probe(position) == by_one_move(four, position), RULES.notation.write_position(position)


@pytest.mark.parametrize(("fen", "value"), [
    ("W:WK1:BK32", TableValue(DRAW, 0)),
    ("W:W5:B1", TableValue(LOSS, 0)),
    ("W:WK15:BK19", TableValue(WIN, 1)),
    ("W:WK15:BK28", TableValue(DRAW, 0)),
    ("W:WK18,K14:BK1", TableValue(WIN, 15)),
])  # fmt: skip
def test_positions_that_are_easy_to_check(four: EndgameTables, fen: str, value: TableValue) -> None:
    assert four.probe(RULES.notation.read_position(fen)) == value


def test_two_kings_to_move_beat_one_unless_one_is_lost(four: EndgameTables) -> None:
    assert count_slice(Slice(0, 2, 0, 1), four.wld) == (14_846, 0, 34)


def test_three_kings_to_move_always_beat_one(four: EndgameTables) -> None:
    assert count_slice(Slice(0, 3, 0, 1), four.wld) == (143_840, 0, 0)


def test_the_first_position_is_won_as_published(four: EndgameTables) -> None:
    """Payne's of 1756, with the moves that players learn: white never gives the win away."""
    position = RULES.notation.read_position("W:WK15,20:B12,K28")
    assert four.probe(position) == TableValue(WIN, 81)
    assert four.probe(position._replace(mover=position.mover.other)) == TableValue(DRAW, 0)
    for text in FIRST_POSITION.split():
        found = four.probe(position)
        assert found and found.value == (WIN if position.mover is Player.SECOND else LOSS)
        position = RULES.play(position, RULES.notation.read_move(position, text))
    assert four.probe(position) == TableValue(LOSS, 24)


@pytest.mark.parametrize("pieces", [2, 3, 4])
def test_best_play_takes_exactly_the_given_plies(four: EndgameTables, positions: Any, pieces: int) -> None:
    rng = random.Random(pieces)
    for position in positions(150, pieces, seed=10 + pieces):
        found = four.probe(position)
        assert found
        if found.value != DRAW:
            assert played_out(four, position, rng) == (found.plies, found.value == WIN)


def played_out(found: EndgameTables, position: Position, rng: random.Random) -> tuple[int, bool]:
    """How many plies a game with best play lasts, and whether the side that moved first wins it."""
    mover, plies = position.mover, 0
    while not (outcome := RULES.outcome(position)):
        position = RULES.play(position, best(found, position, rng))
        plies += 1
    assert outcome.reason in (Reason.NO_PIECES, Reason.NO_MOVES)
    return plies, outcome.winner is mover


def best(found: EndgameTables, position: Position, rng: random.Random) -> Move:
    """The shortest win, or the longest loss."""
    here = found.probe(position)
    assert here
    wanted = TableValue(4 - here.value, here.plies - 1)
    return rng.choice([move for move in RULES.moves(position) if found.probe(RULES.play(position, move)) == wanted])


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    for path in tables.paths(tmp_path, 5):
        path.write_bytes(b"short")
    found = tables.load(folder=tmp_path)
    assert found.pieces == 5
    with pytest.raises(WrongTables, match="5 bytes instead of"):
        _ = found.wld


def test_tables_of_no_pieces_are_empty(positions: Any) -> None:
    nothing = EndgameTables(NO_PIECES)
    assert [nothing.probe(position) for position in positions(20, 2, seed=1)] == [None] * 20
    assert len(nothing.wld) == len(nothing.lengths) == 0


def test_the_packages_tables_are_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tables.FOLDER, str(tmp_path))
    assert tables.default_folder() == tmp_path
    assert tables.load() == EndgameTables(4)
    assert tables.load() is tables.load()


def test_larger_tables_live_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tables.FOLDER, raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert tables.default_folder() == Path("/data/ludus/endgames")


def test_load_respects_the_maximum_of_pieces(tmp_path: Path) -> None:
    for path in tables.paths(tmp_path, 6):
        path.touch()
    assert tables.load(6, folder=tmp_path).pieces == 6
    assert tables.load(4, folder=tmp_path) == EndgameTables(4)


def test_load_folder_never_falls_back_to_the_package(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no finished tables"):
        tables.load_folder(tmp_path / "nowhere")
    (tmp_path / "checkers-5.wld.part").touch()
    with pytest.raises(BadInput, match="no finished tables"):
        tables.load_folder(tmp_path)
    tables.paths(tmp_path, 2)[0].touch()
    tables.paths(tmp_path, 3)[1].touch()
    assert tables.load_folder(tmp_path) == EndgameTables(3, tmp_path)


def test_mapped_files_equal_the_package(four: EndgameTables, tmp_path: Path, positions: Any) -> None:
    """Tables of three pieces in files, written from the package's."""
    for path, array, size in zip(
        tables.paths(tmp_path, 3), (four.wld, four.lengths), (layout.total(3) // 4, layout.total(3)), strict=True
    ):
        path.write_bytes(array[:size].tobytes())
    three = EndgameTables(3, tmp_path)
    for position in positions(500, 3, seed=20):
        assert three.probe(position) == four.probe(position)
    assert three.probe(next(positions(1, 4, seed=20))) is None


def test_tables_are_pickled_without_their_bytes(four: EndgameTables) -> None:
    assert four.wld.size
    sent = pickle.dumps(four)
    assert len(sent) < 200
    assert pickle.loads(sent) == four
