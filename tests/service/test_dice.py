"""The dice are what the documentation says, fair, and nobody's choice once the seed is fixed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator
from itertools import count, islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import BadInput, IllegalMove
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.games.backgammon.position import Position, Roll
from ludus.service import dice

BACKGAMMON = GAMES["backgammon"]
OPENING: Position = BACKGAMMON.variants["standard"]
ON_ROLL = OPENING._replace(mover=Player.FIRST)
SEED = bytes(range(32))
SEEDS = st.binary(min_size=32, max_size=32)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """RFC 2104, written out, for keys of up to 64 bytes."""
    key = key.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + message).digest()
    return hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).digest()


def bytes_of(seed: bytes, table: str, number: int) -> Iterator[int]:
    for block in count():
        yield from hmac_sha256(seed, b"ludus dice 1/%b/%d/%d" % (table.encode(), number, block))


def faces_again(seed: bytes, table: str, number: int) -> Iterator[int]:
    return (1 + byte % 6 for byte in bytes_of(seed, table, number) if byte not in (252, 253, 254, 255))


def roll_again(seed: bytes, table: str, number: int, *, is_opening: bool) -> tuple[int, int]:
    """A second implementation, from the documentation."""
    faces = faces_again(seed, table, number)
    one, two = next(faces), next(faces)
    while is_opening and one == two:
        one, two = next(faces), next(faces)
    return (one, two) if is_opening or one > two else (two, one)


def chi_square(seen: Counter[tuple[int, int]], weights: dict[tuple[int, int], int]) -> float:
    rolls, whole = sum(seen.values()), sum(weights.values())
    return sum(
        (seen[roll] - rolls * weight / whole) ** 2 / (rolls * weight / whole) for roll, weight in weights.items()
    )


def test_the_published_vectors_hold() -> None:
    assert dice.commitment(SEED, "table-1") == "accde30f3b6190e62e2bed2c0e1cf32a848711a153aeb1924fe0f67cf020ba11"
    assert [list(islice(dice.faces(SEED, "table-1", number), 4)) for number in range(3)] == [
        [4, 2, 3, 3],
        [4, 5, 2, 3],
        [2, 4, 1, 1],
    ]
    assert dice.roll(BACKGAMMON, OPENING, SEED, "table-1", 0) == (4, 2)
    assert dice.roll(BACKGAMMON, ON_ROLL, SEED, "table-1", 1) == (5, 4)


@given(seed=SEEDS, table=st.text("abcxyz0189-_é", min_size=1, max_size=40), number=st.integers(0, 1000))
def test_a_second_implementation_rolls_the_same(seed: bytes, table: str, number: int) -> None:
    assert dice.roll(BACKGAMMON, OPENING, seed, table, number) == roll_again(seed, table, number, is_opening=True)
    assert dice.roll(BACKGAMMON, ON_ROLL, seed, table, number) == roll_again(seed, table, number, is_opening=False)
    # Three blocks and more, with some bytes that are skipped.
    assert list(islice(dice.faces(seed, table, number), 120)) == list(islice(faces_again(seed, table, number), 120))


def test_bytes_that_would_favour_low_faces_are_skipped() -> None:
    number = next(n for n in range(1000) if next(bytes_of(SEED, "table-1", n)) >= 252)
    second, third = islice(bytes_of(SEED, "table-1", number), 1, 3)
    assert max(second, third) < 252
    assert list(islice(dice.faces(SEED, "table-1", number), 2)) == [second % 6 + 1, third % 6 + 1]


def test_equal_dice_in_the_opening_are_rolled_again() -> None:
    assert list(islice(dice.faces(SEED, "table-0", 0), 4)) == [2, 2, 4, 3]
    assert dice.roll(BACKGAMMON, OPENING, SEED, "table-0", 0) == (4, 3)
    assert dice.roll(BACKGAMMON, ON_ROLL, SEED, "table-0", 0) == (2, 2)
    assert list(islice(dice.faces(SEED, "table-14", 0), 4)) == [5, 5, 1, 1]
    assert (
        dice.roll(BACKGAMMON, OPENING, SEED, "table-14", 0)[0] != dice.roll(BACKGAMMON, OPENING, SEED, "table-14", 0)[1]
    )


@given(seed=SEEDS, number=st.integers(0, 300), is_opening=st.booleans())
def test_what_falls_is_one_of_the_rolls_the_rules_allow(seed: bytes, number: int, is_opening: bool) -> None:
    position = OPENING if is_opening else ON_ROLL
    fallen = dice.roll(BACKGAMMON, position, seed, "t", number)
    assert isinstance(fallen, Roll)
    assert fallen in [roll for roll, _ in BACKGAMMON.chances(position)]


@pytest.mark.parametrize(("position", "limit"), [(ON_ROLL, 52.4), (OPENING, 65.2)], ids=["turn", "opening"])
def test_every_roll_falls_as_often_as_it_should(position: Position, limit: float) -> None:
    """The limits are those that one source of fair dice in ten thousand exceeds, with 20 and 29 degrees of freedom."""
    weights = {tuple(roll): weight for roll, weight in BACKGAMMON.chances(position)}
    fallen = (dice.roll(BACKGAMMON, position, SEED, f"t{n // 50}", n % 50) for n in range(20_000))
    assert chi_square(Counter(map(tuple, fallen)), weights) < limit


def test_a_roll_does_not_tell_the_next() -> None:
    """The first faces of neighbouring rolls are independent: 36 pairs, 35 degrees of freedom."""
    first = [next(dice.faces(SEED, "t", number)) for number in range(20_001)]
    pairs = Counter(pairwise(first))
    assert chi_square(pairs, {(a, b): 1 for a in range(1, 7) for b in range(1, 7)}) < 73.5


def test_the_statistic_would_see_loaded_dice() -> None:
    """Without the skipping, 1 to 4 would fall 43 times in 256 and 5 and 6 only 42 times."""
    loaded = Counter((byte % 6 + 1, 0) for number in range(20_000) for byte in hmac_sha256(SEED, b"%d" % number))
    assert chi_square(loaded, {(face, 0): 1 for face in range(1, 7)}) > 25.7


def test_rolls_depend_on_seed_table_and_number() -> None:
    def rolls(seed: bytes, table: str, start: int) -> list[Roll]:
        return [dice.roll(BACKGAMMON, ON_ROLL, seed, table, number) for number in range(start, start + 12)]

    others = [rolls(bytes(32), "t", 0), rolls(SEED, "u", 0), rolls(SEED, "t", 12)]
    assert rolls(SEED, "t", 0) == rolls(SEED, "t", 0)
    assert rolls(SEED, "t", 0) not in others


def test_a_commitment_is_bound_to_seed_and_table() -> None:
    assert len({dice.commitment(seed, table) for seed in (SEED, bytes(32)) for table in ("t", "u")}) == 4


def test_nothing_is_rolled_where_it_is_not_the_dices_turn() -> None:
    for rules, position in (
        (BACKGAMMON, OPENING._replace(mover=Player.FIRST, dice=(3, 1))),
        (GAMES["checkers"], GAMES["checkers"].variants["standard"]),
    ):
        with pytest.raises(IllegalMove, match="cannot be rolled here"):
            dice.roll(rules, position, SEED, "t", 0)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_seed_of_another_size_is_refused(size: int) -> None:
    with pytest.raises(BadInput, match="32 bytes"):
        dice.commitment(bytes(size), "t")
    with pytest.raises(BadInput, match="32 bytes"):
        dice.roll(BACKGAMMON, OPENING, bytes(size), "t", 0)
