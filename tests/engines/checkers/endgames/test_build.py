"""Building tables in a folder, with and without interruptions."""

from __future__ import annotations

import random
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.core.errors import BadInput
from ludus.core.rules import Player
from ludus.engines.checkers.endgames import build as building
from ludus.engines.checkers.endgames import kernel, layout, tables
from ludus.engines.checkers.endgames.build import build
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, WIN
from ludus.engines.checkers.endgames.layout import Pair, Slice
from ludus.engines.checkers.endgames.retrograde import DRAWN
from ludus.engines.checkers.endgames.tables import KNOWN, Counts, EndgameTables, TableValue, WrongTables, count_slice
from ludus.games.checkers.position import Position
from ludus.games.checkers.rules import Checkers

PAIRS = len(layout.pairs(3))


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each pair is solved."""
    often: Counter[str] = Counter()
    solve = building.solve

    def counting(pair: Any, *arrays: Any) -> Iterator[Any]:
        yield from solve(pair, *arrays)
        often[str(pair)] += 1

    monkeypatch.setattr(building, "solve", counting)
    return often


def as_in_the_package(folder: Path, pieces: int, four: EndgameTables) -> bool:
    found, size = EndgameTables(pieces, folder), layout.total(pieces)
    return bool((found.wld == four.wld[: size // 4]).all() and (found.lengths == four.lengths[:size]).all())


def test_tables_of_three_pieces_are_a_prefix_of_the_packages(tmp_path: Path, four: EndgameTables) -> None:
    assert {step.pair for step in build(3, tmp_path)} == set(layout.pairs(3))
    assert as_in_the_package(tmp_path, 3, four)
    assert {path.name for path in tmp_path.iterdir()} == {"checkers-3.wld", "checkers-3.len"}


@pytest.mark.parametrize("done", range(PAIRS))
def test_an_interrupted_build_resumes(tmp_path: Path, four: EndgameTables, solved: Counter[str], done: int) -> None:
    steps = build(3, tmp_path)
    next(step for step in steps if step.pair == layout.pairs(3)[done])
    steps.close()
    assert not any(path.exists() for path in tables.paths(tmp_path, 3))
    assert solved.total() == done
    for _ in build(3, tmp_path):
        pass
    assert solved == dict.fromkeys(map(str, layout.pairs(3)), 1)
    assert as_in_the_package(tmp_path, 3, four)


def test_half_written_slices_are_written_again(tmp_path: Path, four: EndgameTables) -> None:
    steps = build(3, tmp_path)
    pair = next(step.pair for step in steps if step.pair == layout.pairs(3)[-1])
    steps.close()
    with (tmp_path / "checkers-3.wld.part").open("r+b") as file:
        file.seek(pair.start // 4)
        file.write(b"\xff" * 100)
    for _ in build(3, tmp_path):
        pass
    assert as_in_the_package(tmp_path, 3, four)


def test_larger_tables_start_from_the_packages(tmp_path: Path, four: EndgameTables) -> None:
    steps = build(5, tmp_path)
    assert next(steps).pair == layout.pairs(5)[len(layout.pairs(4))]
    steps.close()
    journal = (tmp_path / "checkers-5.done").read_text().splitlines()
    assert journal == [str(pair) for pair in layout.pairs(4)]
    with (tmp_path / "checkers-5.wld.part").open("rb") as file:
        assert file.read(four.wld.size) == four.wld.tobytes()


def test_finished_tables_are_not_built_again(tmp_path: Path, solved: Counter[str]) -> None:
    assert list(build(2, tmp_path))
    before, often = [path.stat().st_mtime_ns for path in tables.paths(tmp_path, 2)], solved.total()
    assert not list(build(2, tmp_path))
    assert [path.stat().st_mtime_ns for path in tables.paths(tmp_path, 2)] == before
    assert solved.total() == often


@pytest.mark.parametrize("number", [0, 1])
def test_truncated_tables_are_rebuilt(tmp_path: Path, four: EndgameTables, number: int) -> None:
    assert list(build(2, tmp_path))
    tables.paths(tmp_path, 2)[number].write_bytes(b"short")
    assert list(build(2, tmp_path))
    assert as_in_the_package(tmp_path, 2, four)


def test_two_builds_of_the_same_tables_exclude_each_other(tmp_path: Path) -> None:
    steps = build(3, tmp_path)
    next(steps)
    with pytest.raises(BadInput, match="another process"):
        next(build(3, tmp_path))
    steps.close()
    assert list(build(3, tmp_path))


def test_partial_files_of_another_size_are_replaced(tmp_path: Path, four: EndgameTables, solved: Counter[str]) -> None:
    steps = build(3, tmp_path)
    next(step for step in steps if step.pair == layout.pairs(3)[4])
    steps.close()
    (tmp_path / "checkers-3.len.part").write_bytes(b"")
    assert list(build(3, tmp_path))
    assert solved[str(layout.pairs(3)[0])] == 2
    assert as_in_the_package(tmp_path, 3, four)


def test_a_foreign_journal_is_refused(tmp_path: Path) -> None:
    steps = build(2, tmp_path)
    next(steps)
    steps.close()
    (tmp_path / "checkers-2.done").write_text("2K v 9\n")
    with pytest.raises(WrongTables, match="not written by this program"):
        next(build(2, tmp_path))


def test_wrong_counts_are_refused_and_leave_no_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN, 2, Counts(715, 403, 2_370))
    with pytest.raises(WrongTables, match="won=716"):
        list(build(2, tmp_path))
    assert not tables.paths(tmp_path, 2)[0].exists()


@pytest.mark.parametrize("pieces", [1, 7])
def test_other_numbers_of_pieces_are_refused(tmp_path: Path, pieces: int) -> None:
    with pytest.raises(BadInput, match="2 to 6 pieces"):
        next(build(pieces, tmp_path))


def test_the_packages_files_can_be_regenerated(four: EndgameTables) -> None:
    wld, lengths = four.wld[:10_000], four.lengths[:40_000]
    packed = tables.pack(wld, lengths)
    unpacked = [zlib.decompress(packed[name]) for name in tables.PACKAGED_FILES]
    assert unpacked == [wld.tobytes(), lengths.tobytes()]


def pair_of(part: Slice) -> Pair:
    return next(pair for pair in layout.pairs(6) if part in pair.slices)


def begun(four: EndgameTables, end: int) -> tuple[np.ndarray, np.ndarray]:
    """Tables up to an index, with all that the package has."""
    wld, lengths = np.zeros(max(end // 4, four.wld.size), np.uint8), np.zeros(max(end, four.lengths.size), np.uint8)
    wld[: four.wld.size], lengths[: four.lengths.size] = four.wld, four.lengths
    return wld, lengths


@pytest.mark.parametrize("part", [Slice(2, 0, 2, 0), Slice(1, 1, 0, 2)], ids=str)
def test_solving_a_slice_again_gives_the_packaged_one(four: EndgameTables, part: Slice) -> None:
    pair = pair_of(part)
    wld, lengths = begun(four, 0)
    lengths[pair.start : pair.end] = 0
    wld[pair.start // 4 : pair.end // 4] = 0xFF
    stages = list(building.solve(pair, wld, lengths))
    assert stages[-1].initialized == pair.size
    assert (wld == four.wld).all() and (lengths == four.lengths).all()


def test_values_of_a_five_piece_slice_follow_from_its_moves(four: EndgameTables) -> None:
    """One king against four: no crownings, and captures lead to all slices of kings with fewer pieces."""
    pair = pair_of(Slice(0, 1, 0, 4))
    wld, lengths = begun(four, pair.end)
    for _ in building.solve(pair, wld, lengths):
        pass
    assert count_slice(Slice(0, 1, 0, 4), wld) == (688, 1_003_090, 3_102)
    assert count_slice(Slice(0, 4, 0, 1), wld) == (1_006_880, 0, 0)
    rules, rng = Checkers(), random.Random(1)
    for part in pair.slices:
        for _ in range(500):
            own, other, kings = kernel.position_at(layout.kernel_layout(5), *part, rng.randrange(part.size))
            position = Position(own, other, kings, Player.FIRST)
            after = [rules.play(position, move) for move in rules.moves(position)]
            values = [value_at(wld, lengths, later) for later in after]
            assert value_at(wld, lengths, position) == combined(values)


def value_at(wld: np.ndarray, lengths: np.ndarray, position: Position) -> TableValue:
    found = EndgameTables(5)
    vars(found).update(wld=wld, lengths=lengths)
    value = found.probe(position)
    assert value
    return value


def combined(values: list[TableValue]) -> TableValue:
    """The value of a position whose moves lead to these."""
    if losing := [plies for value, plies in values if value == LOSS]:
        return TableValue(WIN, 1 + min(losing))
    if any(value == DRAW for value, _ in values):
        return TableValue(DRAW, 0)
    return TableValue(LOSS, 1 + max(plies for _, plies in values) if values else 0)


def test_games_too_long_for_a_byte_are_refused(four: EndgameTables, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "MAX_DISTANCE", 20)
    pair = pair_of(Slice(0, 1, 0, 2))
    with pytest.raises(WrongTables, match="lasts 34 moves"):
        list(building.solve(pair, *begun(four, 0)))


def test_drawn_is_not_a_distance() -> None:
    assert DRAWN > building.MAX_DISTANCE
