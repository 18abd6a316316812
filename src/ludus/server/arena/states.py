"""A match as its players and watchers see it."""

from __future__ import annotations

from typing import Any, Final

from ludus.games import ABOUT, GAMES
from ludus.service.public import outcome_for, public_id, public_name, reason_of, results
from ludus.service.records import RatingChange
from ludus.service.table import Table
from ludus.wire import state as wire

VERBS: Final = {"win": "won against", "loss": "lost to", "draw": "drew with"}


def view(table: Table, seat: int | None) -> dict[str, Any]:
    """The board as the player in this seat sees it, or a watcher (None)."""
    return wire.view(table.game, seat, _ids(table))


def state(table: Table, seat: int, status: str, sequence: int) -> dict[str, Any]:
    """What a player is shown of a match, without the time left and the result."""
    return wire.state(table.game, seat, _ids(table), match=table.id, status=status, sequence=sequence)


def _ids(table: Table) -> tuple[str, str]:
    return public_id(table, 0), public_id(table, 1)


def envelope(table: Table, seat: int, change: RatingChange | None, base: str) -> dict[str, Any]:
    """What a player gets besides the state when a match is over; `base` starts the links."""
    outcome = table.outcome
    assert outcome is not None
    record = f"{base}/api/matches/{table.id}"
    return {
        "results": results(table),
        "reason": reason_of(outcome.reason),
        "points": 0 if outcome.winner is None else outcome.points,
        "rating": change and {"before": change.before, "after": change.after},
        "newBadges": list(change.badges) if change else [],
        "suggestions": [game for game in GAMES if game != table.opening.game],
        "shareText": share_text(table, seat, f"{base}/matches/{table.id}"),
        "view": view(table, seat),
        "replayUrl": record,
        "replayMarkdownUrl": f"{record}/replay.md",
    }


def share_text(table: Table, seat: int, link: str) -> str:
    """One line for people to share."""
    outcome = table.outcome
    assert outcome is not None
    verb = VERBS[outcome_for(table, seat)]
    kind = ABOUT[table.opening.game].win(outcome.points) if outcome.winner is not None else ""
    worth = f" ({kind})" if outcome.points > 1 else ""
    names = public_name(table, seat), public_name(table, 1 - seat)
    return f"{names[0]} {verb} {names[1]} at {table.opening.game}{worth}: {link}"
