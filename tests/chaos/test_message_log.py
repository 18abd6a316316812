"""The kill test's own conscience: what it must not overlook."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from .message_log import MessageLog


def diary_of(*messages: tuple[int, int], first: int = 1) -> MessageLog:
    log = MessageLog("room", "player", first)
    for version, part in messages:
        log.add("game:move:made", {"version": version, "part": part})
    return log


@pytest.mark.parametrize(
    "messages",
    [
        [(2, 0), (3, 0), (3, 1), (4, 0)],
        [(1, 0), (1, 1), (2, 0)],
    ],
)
def test_messages_in_order_are_well(messages: Sequence[tuple[int, int]]) -> None:
    assert diary_of(*messages).problems == []


@pytest.mark.parametrize(
    "messages",
    [
        [(2, 0), (2, 0)],
        [(2, 0), (4, 0)],
        [(2, 1)],
        [(3, 0)],
        [(2, 0), (3, 1)],
        [(2, 0), (2, 2)],
        [(2, 0), (3, 0), (2, 0)],
    ],
)
def test_a_message_that_is_repeated_missing_or_out_of_order_is_noticed(messages: Sequence[tuple[int, int]]) -> None:
    assert len(diary_of(*messages).problems) == 1


def test_a_state_that_is_not_where_the_messages_led_is_noticed() -> None:
    log = diary_of((2, 0), (3, 0))
    log.check_state("game:reconnected", 3)
    assert log.problems == []
    log.check_state("game:reconnected", 2)
    log.check_state("game:reconnected", 4)
    assert len(log.problems) == 2


def test_an_end_that_is_told_again_to_whoever_comes_late_is_not_counted() -> None:
    log = MessageLog("room", "player", 9)
    log.add("game:over", {"version": 9, "part": 0})
    assert (log.problems, log.entries) == ([], [])
