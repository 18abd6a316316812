"""A match at a table as its players and watchers see it."""

from __future__ import annotations

from typing import Any

from ludus.server.arena.players import public_id
from ludus.service.table import Table
from ludus.wire import state as wire


def view(table: Table, seat: int | None) -> dict[str, Any]:
    """The board as the player in this seat sees it, or a watcher (None)."""
    return wire.view(table.game, seat, _ids(table))


def state(table: Table, seat: int, status: str, sequence: int) -> dict[str, Any]:
    """What a player is shown of a match, without the time left and the result."""
    return wire.state(table.game, seat, _ids(table), match=table.id, status=status, sequence=sequence)


def _ids(table: Table) -> tuple[str, str]:
    return public_id(table, 0), public_id(table, 1)
