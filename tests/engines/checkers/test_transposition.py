from __future__ import annotations

import pytest
from tests.engines.checkers.boards import mirrored, some

from ludus.engines.checkers.state import AGE, TABLE, key_of
from ludus.engines.checkers.transposition import (
    EXACT,
    LOWER,
    bound_in,
    depth_in,
    move_in,
    probe,
    store,
    value_in,
)

ENTRIES = 8


def new() -> list[int]:
    return [0] * (TABLE + 2 * ENTRIES)


@pytest.mark.parametrize("value", [0, -250, 9_000, 29_990, -29_990, -19_950])
def test_what_is_stored_is_found(value: int) -> None:
    state = new()
    store(state, 1234567, 6, value, 17, LOWER, 515)
    word = probe(state, 1234567)
    assert (value_in(word, 6), depth_in(word), bound_in(word), move_in(word)) == (value, 17, LOWER, 515)


def test_a_win_counts_plies_from_the_position() -> None:
    state = new()
    store(state, 99, 10, 30_000 - 14, 5, EXACT, 0)
    assert value_in(probe(state, 99), 2) == 30_000 - 6


def test_an_unknown_key_is_not_found() -> None:
    state = new()
    store(state, 8, 0, 1, 1, EXACT, 1)
    assert probe(state, 16) == 0


def test_the_deeper_entries_of_a_bucket_stay() -> None:
    state = new()
    for key, depth in ((8, 9), (16, 3), (24, 5)):
        store(state, key, 0, 7, depth, EXACT, 1)
    assert [bool(probe(state, key)) for key in (8, 16, 24)] == [True, False, True]


def test_entries_of_older_searches_are_replaced() -> None:
    state = new()
    for key in (8, 16):
        store(state, key, 0, 7, 9, EXACT, 1)
    state[AGE] += 3
    store(state, 24, 0, 7, 2, EXACT, 1)
    assert probe(state, 24)
    assert bool(probe(state, 8)) + bool(probe(state, 16)) == 1


def test_keys_of_positions_differ() -> None:
    positions = set(some(400, 11))
    positions |= {mirrored(position) for position in positions}
    assert len({key_of(*position) for position in positions}) == len(positions)
    assert all(0 <= key_of(*position) < 1 << 63 for position in positions)
