from __future__ import annotations

import pytest
from tests.engines.checkers.boards import mirrored, some

from ludus.engines.checkers.memory import AGE, TABLE, key_of
from ludus.engines.checkers.transposition import (
    EXACT,
    LOWER,
    bound_in,
    depth_in,
    find,
    move_in,
    remember,
    value_in,
)

ENTRIES = 8


def new() -> list[int]:
    return [0] * (TABLE + 2 * ENTRIES)


@pytest.mark.parametrize("value", [0, -250, 9_000, 29_990, -29_990, -19_950])
def test_what_is_remembered_is_found(value: int) -> None:
    memory = new()
    remember(memory, 1234567, 6, value, 17, LOWER, 515)
    word = find(memory, 1234567)
    assert (value_in(word, 6), depth_in(word), bound_in(word), move_in(word)) == (value, 17, LOWER, 515)


def test_a_win_is_nearer_where_it_is_found_earlier() -> None:
    memory = new()
    remember(memory, 99, 10, 30_000 - 14, 5, EXACT, 0)
    assert value_in(find(memory, 99), 2) == 30_000 - 6


def test_nothing_is_found_where_nothing_was_remembered() -> None:
    memory = new()
    remember(memory, 8, 0, 1, 1, EXACT, 1)
    assert find(memory, 16) == 0


def test_the_deeper_of_three_in_a_bucket_stay() -> None:
    memory = new()
    for key, depth in ((8, 9), (16, 3), (24, 5)):
        remember(memory, key, 0, 7, depth, EXACT, 1)
    assert [bool(find(memory, key)) for key in (8, 16, 24)] == [True, False, True]


def test_an_older_search_gives_way() -> None:
    memory = new()
    for key in (8, 16):
        remember(memory, key, 0, 7, 9, EXACT, 1)
    memory[AGE] += 3
    remember(memory, 24, 0, 7, 2, EXACT, 1)
    assert find(memory, 24)
    assert bool(find(memory, 8)) + bool(find(memory, 16)) == 1


def test_keys_of_positions_differ() -> None:
    positions = set(some(400, 11))
    positions |= {mirrored(position) for position in positions}
    assert len({key_of(*position) for position in positions}) == len(positions)
    assert all(0 <= key_of(*position) < 1 << 63 for position in positions)
