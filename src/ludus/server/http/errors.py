"""What the doors answer to an error. Its code decides; whatever is not in the table is our own fault."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

from ludus.core.errors import LudusError

INTERNAL: Final = "internal"
APOLOGY: Final = "Something went wrong on our side."


class Malformed(LudusError):
    """A request or an event that isn't what the endpoint takes."""

    code = "malformed"


class Answer(NamedTuple):
    status: int
    """Of HTTP."""
    code: str
    """For sockets and programs."""
    text: str | None = None
    """What the client is told; None where the error's own text is meant for clients."""


class Problem(NamedTuple):
    code: str
    message: str


OURS: Final = Answer(500, INTERNAL, APOLOGY)


def _told(status: int, *codes: str) -> dict[str, Answer]:
    return {code: Answer(status, code) for code in codes}


ANSWERS: Final[Mapping[str, Answer]] = MappingProxyType({
    **_told(400, "bad_input", "malformed", "malformed_move", "illegal_move", "ambiguous_move"),
    **_told(400, "malformed_position", "malformed_record", "unknown_option", "unknown_variant", "bad_address"),
    "bad_record": Answer(400, "bad_record", "A text in this cannot be kept."),
    "private_address": Answer(400, "private_address", "A webhook goes to a public address only."),
    **_told(401, "unauthorized", "expired"),
    **_told(400, "invalid_input"),
    **_told(403, "forbidden", "not_a_player", "wrong_code"),
    **_told(404, "not_found", "unknown_key", "unknown_tenant", "game_not_found", "match_not_found", "agent_not_found"),
    **_told(405, "method_not_allowed"),
    **_told(409, "name_taken", "model_already_set", "already_claimed", "stale_sequence"),
    **_told(409, "conflict", "game_over", "no_offer", "not_over", "not_your_turn"),
    **_told(409, "room_full", "stale_version", "too_many_offers"),
    **_told(429, "too_fast"),
    "engine_failed": Answer(503, "engine_failed", "The bot cannot answer just now."),
    "stopping": Answer(503, "stopping", "The server is stopping. Come back in a moment."),
    INTERNAL: OURS,
    # What only learning code, the command line, the start and the couriers meet: at a door it is our own fault.
    **dict.fromkeys(("error", "illegal_action", "malformed_action", "malformed_observation", "malformed_policy"), OURS),
    **dict.fromkeys(("bad_database", "broken_game", "cannot_listen", "no_answer", "no_device"), OURS),
    **dict.fromkeys(("malformed_network", "malformed_weights", "wrong_tables"), OURS),
})  # fmt: skip
"""By the code of the error."""


def answer_to(error: Exception) -> Answer:
    return ANSWERS.get(error.code, OURS) if isinstance(error, LudusError) else OURS


def status_of(error: Exception) -> int:
    return answer_to(error).status


def public(error: Exception) -> Problem:
    """What a client may know of it."""
    answer = answer_to(error)
    return Problem(answer.code, str(error) if answer.text is None else answer.text)
