"""What a client needs to get from the boards that it may have seen to the next one."""

from __future__ import annotations

from ludus.server.rooms.changes import board_changes

MAN, KING = {"type": "man"}, {"type": "king"}


def test_of_an_array_only_the_entries_that_differ_are_sent() -> None:
    before, after = {"board": [MAN, None, None]}, {"board": [None, None, KING]}
    assert board_changes([before], after) == {"changes": {"board": {"0": None, "2": KING}}}
    assert board_changes([after], after) == {"changes": {"board": {}}}


def test_an_entry_that_differs_from_any_board_that_was_seen_is_sent() -> None:
    before, rolled = {"board": ["a", "b", "c"]}, {"board": ["a", "B", "c"]}
    after = {"board": ["a", "b", "C"]}
    assert board_changes([before, rolled], after) == {"changes": {"board": {"1": "b", "2": "C"}}}


def test_other_fields_and_arrays_of_another_length_are_sent_whole() -> None:
    before = {"dice": [3, 1], "bar": {"white": 0, "black": 0}, "svg": "<svg/>"}
    after = {"dice": [], "bar": {"white": 1, "black": 0}, "svg": "<svg/>", "new": [1]}
    assert board_changes([before], after) == {**after, "changes": {}}
