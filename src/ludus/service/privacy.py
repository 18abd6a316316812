"""Who may see a game. Games between friends on our own page are visible to them only, unless they let anyone watch.

An app's private rooms are not listed, but everyone who knows a room's id can watch it, as the published contract says.
"""

from __future__ import annotations

from ludus.service.public import page_identity
from ludus.service.table import Table


def is_hidden(table: Table) -> bool:
    """Whether only the players may see it, during the game and afterwards, even if they are deleted."""
    return table.opening.is_private and any(page_identity(player) for player in table.players)


def may_see(table: Table, *players: str | None) -> bool:
    """Whether someone with these keys may see it."""
    return not is_hidden(table) or any(key is not None and table.seat_of(key) is not None for key in players)
