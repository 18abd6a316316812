"""What agents are told of an error: `{"error": code, "details"?: …}`. Whatever is not in the table is our own fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import structlog

from ludus.core.errors import InvalidInput as InvalidInput
from ludus.core.errors import LudusError
from ludus.server.http.rate_limit import Verdict
from ludus.service.matches import StaleSequence

log = structlog.get_logger("ludus.arena")

Body = dict[str, Any]


class MatchNotFound(LudusError):
    code = "match_not_found"


class AgentNotFound(LudusError):
    code = "agent_not_found"


class NoSuchPage(LudusError):
    code = "not_found"


class WrongMethod(LudusError):
    code = "method_not_allowed"

    def __init__(self, allowed: Sequence[str]) -> None:
        super().__init__(f"this address takes {', '.join(allowed)}")
        self.allowed = allowed


class RateLimited(LudusError):
    code = "too_fast"

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"too many requests; try again in {verdict.retry_after} s")
        self.verdict = verdict


class Told(NamedTuple):
    """What an error's code becomes; `has_details` where its text is meant for agents."""

    status: int
    error: str
    has_details: bool = False


INTERNAL: Final = Told(500, "internal")
TOLD: Final[Mapping[str, Told]] = MappingProxyType({
    "invalid_input": Told(400, "invalid_input", True),
    "bad_input": Told(400, "invalid_input", True),
    "bad_record": Told(400, "invalid_input", True),
    "malformed_move": Told(400, "invalid_action", True),
    "illegal_move": Told(400, "invalid_action", True),
    "ambiguous_move": Told(400, "invalid_action", True),
    "unauthorized": Told(401, "unauthorized"),
    "expired": Told(401, "unauthorized"),
    "not_a_player": Told(403, "not_a_player"),
    "wrong_code": Told(403, "wrong_code"),
    "forbidden": Told(403, "forbidden"),
    "not_found": Told(404, "not_found"),
    "match_not_found": Told(404, "match_not_found"),
    "agent_not_found": Told(404, "agent_not_found"),
    "game_not_found": Told(404, "game_not_found"),
    "method_not_allowed": Told(405, "method_not_allowed"),
    "name_taken": Told(409, "name_taken"),
    "model_already_set": Told(409, "model_already_set"),
    "already_claimed": Told(409, "already_claimed"),
    "stale_sequence": Told(409, "stale_sequence"),
    "not_your_turn": Told(409, "not_your_turn"),
    "game_over": Told(409, "game_already_over"),
    "conflict": Told(409, "conflict"),
    "too_fast": Told(429, "rate_limited"),
    "engine_failed": Told(503, "engine_failed"),
    "stopping": Told(503, "stopping"),
})  # fmt: skip
"""By the code of the error."""


class Answer(NamedTuple):
    status: int
    body: Body


def answer_to(error: Exception) -> Answer:
    """The status of HTTP and the body, which is also what a socket's `error` frame holds."""
    told = TOLD.get(error.code, INTERNAL) if isinstance(error, LudusError) else INTERNAL
    if told is INTERNAL:
        log.error("a request of an agent failed", exc_info=error)
    body: Body = {"error": told.error}
    if isinstance(error, StaleSequence):
        body["currentSequence"] = error.current
    elif isinstance(error, InvalidInput):
        body["details"] = list(error.details)
    elif told.has_details:
        body["details"] = [str(error)] if told.error == "invalid_input" else str(error)
    return Answer(told.status, body)
