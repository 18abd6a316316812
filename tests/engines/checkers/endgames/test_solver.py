"""Solving slices again."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ludus.core.rules import Player
from ludus.engines.checkers.endgames import kernel, layout, solver
from ludus.engines.checkers.endgames.counts import count_slice
from ludus.engines.checkers.endgames.kernel import DRAW, LOSS, WIN
from ludus.engines.checkers.endgames.layout import Pair, Slice
from ludus.engines.checkers.endgames.retrograde import DRAWN
from ludus.engines.checkers.endgames.tables import EndgameTables, TableValue, WrongTables
from ludus.games.checkers.position import Position
from ludus.games.checkers.rules import Checkers


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
    stages = list(solver.solve(pair, wld, lengths))
    assert stages[-1].initialized == pair.size
    assert (wld == four.wld).all() and (lengths == four.lengths).all()


def test_values_of_a_five_piece_slice_follow_from_its_moves(four: EndgameTables) -> None:
    """One king against four: no crownings, and captures lead to all slices of kings with fewer pieces."""
    pair = pair_of(Slice(0, 1, 0, 4))
    wld, lengths = begun(four, pair.end)
    for _ in solver.solve(pair, wld, lengths):
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
    monkeypatch.setattr(solver, "MAX_DISTANCE", 20)
    pair = pair_of(Slice(0, 1, 0, 2))
    with pytest.raises(WrongTables, match="lasts 34 moves"):
        list(solver.solve(pair, *begun(four, 0)))


def test_drawn_is_not_a_distance() -> None:
    assert DRAWN > solver.MAX_DISTANCE
