"""The codes of errors that agents can get."""

from __future__ import annotations

from ludus.server.http.errors import ERRORS

ELSEWHERE = {
    "malformed", "malformed_position", "malformed_record", "unknown_option", "unknown_variant", "bad_address",
    "private_address", "unknown_key", "unknown_tenant", "not_over", "room_full", "stale_version",
    "nothing_to_take_back", "only_in_practice", "too_many_phrases",
    "challenge_gone", "not_available", "own_link", "too_many_blocks", "too_many_challenges", "too_many_friends",
    "too_many_reports", "unknown_passkey", "wrong_passkey",
    "too_many_games", "too_many_live_games", "bad_forwarding", "too_slow",
}  # fmt: skip
"""Errors of things that can't be done in the arena, or can't fail there."""


def arena_codes() -> dict[str, int]:
    """With their statuses."""
    return {entry.arena_code or entry.code: entry.status for code, entry in ERRORS.items() if code not in ELSEWHERE}
