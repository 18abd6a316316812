"""What a player is told when a match is over. All of it follows from the record and the change in the store."""

from __future__ import annotations

from typing import Any, Final

from ludus.games import ABOUT, GAMES
from ludus.server.arena.players import public_id, public_name
from ludus.service.records import RatingChange
from ludus.service.table import Table

REASONS: Final = {"afk_timeout": "timeout"}
"""Where the arena has a word of its own."""
RESULTS: Final = {True: ("win", "won against"), False: ("loss", "lost to"), None: ("draw", "drew with")}


def envelope(table: Table, seat: int, change: RatingChange | None, base: str, view: dict[str, Any]) -> dict[str, Any]:
    """`base` begins the links, `view` is the player's last look at the board."""
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
        "view": view,
        "replayUrl": record,
        "replayMarkdownUrl": f"{record}/replay.md",
    }


def results(table: Table) -> list[dict[str, str]]:
    return [{"agentId": public_id(table, seat), "outcome": outcome_of(table, seat)} for seat in (0, 1)]


def outcome_of(table: Table, seat: int) -> str:
    return RESULTS[_is_won(table, seat)][0]


def reason_of(reason: str) -> str:
    return REASONS.get(reason, str(reason))


def share_text(table: Table, seat: int, link: str) -> str:
    """One line that a person can pass on."""
    outcome = table.outcome
    assert outcome is not None
    word = RESULTS[_is_won(table, seat)][1]
    kind = ABOUT[table.opening.game].win(outcome.points) if outcome.winner is not None else ""
    worth = f" ({kind})" if outcome.points > 1 else ""
    names = public_name(table, seat), public_name(table, 1 - seat)
    return f"{names[0]} {word} {names[1]} at {table.opening.game}{worth}: {link}"


def _is_won(table: Table, seat: int) -> bool | None:
    winner = table.outcome.winner if table.outcome else None
    return None if winner is None else winner == seat
