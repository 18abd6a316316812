"""The checks of players' messages in the kill test."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from .message_log import MessageLog


def log_of(*messages: tuple[int, int], first: int = 1) -> MessageLog:
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
def test_messages_in_order_are_fine(messages: Sequence[tuple[int, int]]) -> None:
    assert log_of(*messages).problems == []


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
def test_a_repeated_missing_or_misplaced_message_is_a_problem(messages: Sequence[tuple[int, int]]) -> None:
    assert len(log_of(*messages).problems) == 1


def test_a_state_that_does_not_match_the_messages_is_a_problem() -> None:
    log = log_of((2, 0), (3, 0))
    log.check_state("game:reconnected", 3)
    assert log.problems == []
    log.check_state("game:reconnected", 2)
    log.check_state("game:reconnected", 4)
    assert len(log.problems) == 2


@pytest.mark.parametrize(("event", "version"), [("game:over", 9), ("player:disconnected", 8)])
def test_what_is_repeated_for_a_late_player_is_not_counted(event: str, version: int) -> None:
    log = MessageLog("room", "player", 9)
    log.add(event, {"version": version, "part": 0})
    assert (log.problems, log.entries) == ([], [])
    log.add("game:move:made", {"version": 10, "part": 0})
    log.add(event, {"version": version, "part": 0})
    assert len(log.problems) == 1
