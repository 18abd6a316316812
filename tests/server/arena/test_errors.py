"""What agents are told of an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ludus.core.errors import BadInput, GameIsOver, IllegalMove, LudusError
from ludus.server.arena.errors import INTERNAL, TOLD, InvalidInput, answer_to
from ludus.server.http.errors import ANSWERS, OURS
from ludus.service.decisions import NotYourTurn
from ludus.service.matches import StaleSequence

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "arena.md"
ELSEWHERE = {
    "malformed", "malformed_position", "malformed_record", "unknown_option", "unknown_variant", "bad_address",
    "private_address", "unknown_key", "unknown_tenant", "no_offer", "not_over", "room_full", "stale_version",
    "too_many_offers",
}  # fmt: skip
"""Of things that cannot be done in the arena, or cannot fail there."""


CONTRACT = {
    "invalid_input": 400, "invalid_action": 400, "unauthorized": 401, "not_a_player": 403, "match_not_found": 404,
    "game_not_found": 404, "name_taken": 409, "stale_sequence": 409, "not_your_turn": 409, "game_already_over": 409,
    "rate_limited": 429,
}  # fmt: skip


def test_the_codes_of_the_contract_have_their_statuses() -> None:
    told = {told.error: told.status for told in TOLD.values()}
    assert {error: told.get(error) for error in CONTRACT} == CONTRACT


@pytest.mark.parametrize(("error", "status", "body"), [
    (InvalidInput("a: is wrong", "b: too"), 400, {"error": "invalid_input", "details": ["a: is wrong", "b: too"]}),
    (BadInput("too long"), 400, {"error": "invalid_input", "details": ["too long"]}),
    (IllegalMove("men move forward"), 400, {"error": "invalid_action", "details": "men move forward"}),
    (StaleSequence(7), 409, {"error": "stale_sequence", "currentSequence": 7}),
    (NotYourTurn("wait"), 409, {"error": "not_your_turn"}),
    (GameIsOver("over"), 409, {"error": "game_already_over"}),
    (RuntimeError("hunter2"), 500, {"error": "internal"}),
    (LudusError("hunter2"), 500, {"error": "internal"}),
])  # fmt: skip
def test_an_error_becomes_a_status_and_a_body(error: Exception, status: int, body: object) -> None:
    assert answer_to(error) == (status, body)


def kinds(of: type[LudusError] = LudusError) -> Iterator[type[LudusError]]:
    """The errors of what the arena is built on."""
    for kind in of.__subclasses__():
        if kind.__module__.startswith(("ludus.core.", "ludus.service.", "ludus.server.arena.")):
            yield kind
        yield from kinds(kind)


def test_every_error_of_the_house_that_can_come_up_here_has_an_answer() -> None:
    codes = {kind.code for kind in kinds()}
    assert {"illegal_move", "name_taken", "match_not_found", "stopping"} <= codes
    ours = {code for code, answer in ANSWERS.items() if answer is OURS}
    assert not codes - set(TOLD) - ELSEWHERE - ours


def test_every_error_is_documented_with_its_status() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = {code: int(status) for code, status in re.findall(r"^\| `(\w+)` \| (\d+) \|", page, re.MULTILINE)}
    told = {told.error: told.status for told in TOLD.values()} | {INTERNAL.error: INTERNAL.status, "too_large": 413}
    assert shown == told
