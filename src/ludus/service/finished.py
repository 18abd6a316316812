"""Which finished games lists show to everyone, those of agents and of the page's people; and which count as played."""

from __future__ import annotations

from typing import Final

from ludus.core.rules import Reason
from ludus.service.exhibitions import EXHIBITION, is_public
from ludus.service.records import TableRow
from ludus.service.table import ERASED

TEST: Final = "test"
"""The mode of games with which apps try out what they do, by their test key."""
MIN_MOVES: Final = 2
"""A game with fewer moves counts as not played."""
OWN_KEYS: Final = ("agent/", "anonymous/", "guest/", "person/", f"{ERASED}/")
"""Prefixes of the keys of players who did not come from an app. Apps' games are not listed."""


def is_played(row: TableRow) -> bool:
    return row.moves >= MIN_MOVES and row.result is not None and row.result["reason"] != Reason.CANCELLED


def is_counted(row: TableRow) -> bool:
    """Whether the explorer counts it; the store queues no others, as far as it can tell."""
    return is_played(row) and row.mode not in (EXHIBITION, TEST)


def is_listed(row: TableRow) -> bool:
    is_ours = all(player["key"].startswith(OWN_KEYS) or player["kind"] == "bot" for player in row.players)
    return is_ours and is_played(row) and is_public(row) and row.mode != EXHIBITION
