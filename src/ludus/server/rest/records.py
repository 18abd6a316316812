"""A finished game as a file: PDN or MAT, with what is needed to check it."""

from __future__ import annotations

from datetime import UTC, datetime

from ludus.service import proof
from ludus.service.table import Table


def record(table: Table) -> str:
    game = table.game.copy()
    game.tags.update(tags(table))
    return game.rules.notation.write_games([game])


def tags(table: Table) -> dict[str, str]:
    """The names by colour, the day (UTC), and where the dice came from."""
    colors = (name.capitalize() for name in table.game.rules.players)
    names = {color: seat.name for color, seat in zip(colors, table.seats, strict=True)}
    day = datetime.fromtimestamp(table.opened_at / 1000, UTC).strftime("%Y.%m.%d")
    return {"Date": day, **names, **proof.tags(table.id, table.opening.seed)}
