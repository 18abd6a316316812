"""The one table of errors: the status, code and public text of each, and how REST clients and agents get them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import structlog

from ludus.core.errors import InvalidInput, LudusError
from ludus.server.http.rate_limit import Quota
from ludus.service.decisions import StaleSequence

log = structlog.get_logger("ludus.http")

Json = dict[str, Any]


class Malformed(LudusError):
    """A request or an event that isn't what the endpoint takes."""

    code = "malformed"


class PathNotFound(LudusError):
    code = "not_found"

    def __init__(self, text: str = "Nothing found at this address") -> None:
        super().__init__(text)


class MethodNotAllowed(LudusError):
    code = "method_not_allowed"

    def __init__(self, allowed: Sequence[str]) -> None:
        super().__init__("This method is not allowed here")
        self.allowed = allowed


class TooManyRequests(LudusError):
    code = "too_fast"

    def __init__(self, quota: Quota) -> None:
        super().__init__(f"Too many requests; try again in {quota.retry_after} s")
        self.quota = quota
        self.retry_after = quota.retry_after


class ErrorEntry(NamedTuple):
    status: int
    code: str
    text: str | None = None
    """The public text; None where the error's own text is meant for clients."""
    arena_code: str = ""
    """The code in the arena's contract, where it differs."""
    has_details: bool = False
    """Whether agents get the error's text, as `details`."""


class PublicError(NamedTuple):
    code: str
    message: str


INTERNAL: Final = ErrorEntry(500, "internal", "Something went wrong on our side.")


def _entries(status: int, *codes: str, arena_code: str = "", has_details: bool = False) -> dict[str, ErrorEntry]:
    return {code: ErrorEntry(status, code, None, arena_code, has_details) for code in codes}


ERRORS: Final[Mapping[str, ErrorEntry]] = MappingProxyType({
    **_entries(400, "malformed", "malformed_position", "malformed_record", "unknown_option", "unknown_variant"),
    **_entries(400, "bad_address", "bad_forwarding"),
    "private_address": ErrorEntry(400, "private_address", "A webhook URL must have a public address."),
    **_entries(400, "invalid_input", "bad_input", arena_code="invalid_input", has_details=True),
    "bad_record": ErrorEntry(400, "bad_record", "A text in this request can't be stored.", "invalid_input", True),
    **_entries(
        400, "malformed_move", "illegal_move", "ambiguous_move", arena_code="invalid_action", has_details=True
    ),
    **_entries(401, "unauthorized", "expired", arena_code="unauthorized"),
    **_entries(403, "forbidden", "not_a_player", "not_available", "wrong_code", "wrong_passkey"),
    **_entries(403, "not_admitted"),
    **_entries(404, "not_found", "unknown_key", "unknown_tenant", "game_not_found", "match_not_found"),
    **_entries(404, "agent_not_found", "unknown_passkey"),
    **_entries(405, "method_not_allowed"),
    **_entries(408, "too_slow"),
    **_entries(409, "name_taken", "model_already_set", "already_claimed", "stale_sequence"),
    **_entries(409, "conflict", "no_offer", "not_over", "not_your_turn", "room_full", "stale_version"),
    **_entries(409, "too_many_offers", "nothing_to_take_back", "only_in_practice"),
    **_entries(409, "challenge_gone", "own_link"),
    **_entries(409, "too_many_blocks", "too_many_challenges", "too_many_friends", "too_many_reports"),
    **_entries(409, "too_many_live_games"),
    **_entries(409, "tournament_closed", "tournament_full", "too_many_tournaments"),
    **_entries(409, "game_over", arena_code="game_already_over"),
    **_entries(429, "too_fast", arena_code="rate_limited"),
    **_entries(429, "too_many_games", "too_many_phrases"),
    "engine_failed": ErrorEntry(503, "engine_failed", "The bot can't respond right now."),
    "stopping": ErrorEntry(503, "stopping", "The server is stopping. Come back in a moment."),
    "unavailable": ErrorEntry(503, "unavailable", "The server can't save anything right now. Try again in a moment."),
    INTERNAL.code: INTERNAL,
    "unreadable": ErrorEntry(500, "unreadable", "This game's record is damaged, so it can't continue."),
    # Raised only by learning code, the command line, startup and webhook delivery; in a response they are our fault.
    **dict.fromkeys(
        ("error", "illegal_action", "malformed_action", "malformed_observation", "malformed_policy", "malformed_state"),
        INTERNAL,
    ),
    **dict.fromkeys(
        ("bad_database", "broken_game", "cannot_listen", "no_answer", "no_device", "not_capturable", "other_secret"),
        INTERNAL,
    ),
    **dict.fromkeys(("malformed_network", "malformed_weights", "wrong_tables"), INTERNAL),
})  # fmt: skip
"""By the error's code; anything else is an internal error."""


def entry_of(error: Exception) -> ErrorEntry:
    return ERRORS.get(error.code, INTERNAL) if isinstance(error, LudusError) else INTERNAL


def status_of(error: Exception) -> int:
    return entry_of(error).status


def public(error: Exception) -> PublicError:
    """What a client may know about the error."""
    entry = entry_of(error)
    return PublicError(entry.code, str(error) if entry.text is None else entry.text)


def log_internal(error: Exception, **context: object) -> None:
    if entry_of(error) is INTERNAL:
        log.error("request failed", exc_info=error, **context)


def rest_body(error: Exception) -> Json:
    code, message = public(error)
    return {"error": message, "code": code}


def arena_body(error: Exception) -> Json:
    """What agents get over HTTP and in the `error` frames of WebSockets."""
    entry = entry_of(error)
    body: Json = {"error": entry.arena_code or entry.code}
    if isinstance(error, StaleSequence):
        body["currentSequence"] = error.current
    elif isinstance(error, InvalidInput):
        body["details"] = list(error.details)
    elif entry.has_details:
        body["details"] = [str(error)] if entry.arena_code == "invalid_input" else str(error)
    return body
