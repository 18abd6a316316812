"""Counts of distinct plays against published numbers, GNU Backgammon and brute force."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ludus import Player, Turn
from ludus.games.backgammon.position import Position, Roll, men
from ludus.games.backgammon.rules import ROLLS, Backgammon

from .brute import Board, results, side

ON_ROLL = Backgammon.variants["standard"]._replace(mover=Player.FIRST)


def layout(text: str) -> dict[int, int]:
    return {int(point): int(number) for point, number in (item.split(":") for item in text.split())}


def table() -> list[tuple[str, str, Roll, int]]:
    text = (Path(__file__).parent / "perft.txt").read_text()
    rows = [row.split(" | ") for row in text.splitlines() if row and not row.startswith("#")]
    return [
        (white, black, roll, int(n))
        for _, white, black, counts in rows
        for (roll, _), n in zip(ROLLS, counts.split(), strict=True)
    ]


@pytest.fixture(scope="module")
def quick() -> Backgammon:
    return Backgammon().compiled()


@pytest.mark.parametrize("rules", [Backgammon(), Backgammon().compiled()], ids=["interpreted", "compiled"])
def test_every_roll_has_as_many_results_as_counted_elsewhere(rules: Backgammon) -> None:
    for white, black, roll, plays in table():
        position = Position(men(layout(white)), men(layout(black)), Player.FIRST, (roll.one, roll.two))
        assert len(rules.moves(position)) == plays, (white, black, roll)


@pytest.mark.parametrize(("depth", "weighted", "lines"), [
    (1, False, 447),
    (2, False, 202_782),
    (1, True, 637),
    (2, True, 419_783),
])  # fmt: skip
def test_counts_from_the_opening_are_the_published_ones(
    quick: Backgammon, depth: int, weighted: bool, lines: int
) -> None:
    assert quick.perft(ON_ROLL, depth, weighted=weighted) == lines


def test_interpreted_counts_are_the_published_ones() -> None:
    assert Backgammon().perft(ON_ROLL, 1) == 447


def board(position: Position) -> Board:
    return side(dict(enumerate(position.own.counts))), side(dict(enumerate(position.other.counts)))


@pytest.mark.parametrize("variant", Backgammon.variants)
def test_random_games_agree_with_brute_force_at_every_turn(quick: Backgammon, variant: str) -> None:
    rng = random.Random(variant)
    turns = 0
    while turns < 400:
        position = quick.variants[variant]
        while quick.turn(position) is not Turn.OVER:
            moves = quick.moves(position)
            if quick.turn(position).player is not None:
                turns += 1
                afters = {board(quick.play(position, move))[::-1] for move in moves}
                assert afters == results(board(position), position.dice)  # type: ignore[arg-type]  # the dice are rolled
                assert len(afters) == len(moves)
            position = quick.play(position, rng.choice(moves))
