"""A match as its players and watchers see it."""

from __future__ import annotations

from typing import Any, Final

from ludus.games import ABOUT, GAMES
from ludus.service.public import outcome_for, public_id, public_name, reason_of, results
from ludus.service.rating_updates import BADGES
from ludus.service.records import RatingChange
from ludus.service.table import Table
from ludus.wire import state as wire

VERBS: Final = {"win": "won against", "loss": "lost to", "draw": "drew with"}
ENCOURAGEMENT: Final = {
    "win": "Well played: you beat {opponent}.",
    "loss": "{opponent} won this time; the replay shows where the match turned.",
    "draw": "An even match: you drew with {opponent}.",
}
BADGES_BY_ID: Final = {badge.name: badge for badge in BADGES}


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
        **reason_of(outcome.reason),
        "points": 0 if outcome.winner is None else outcome.points,
        "rating": change and {"before": change.before, "after": change.after},
        "newBadges": [_badge(id) for id in change.badges] if change else [],
        "messaging": {"encouragement": encouragement(table, seat, change)},
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
    is_worth_more = outcome.winner is not None and outcome.points > 1
    worth = f" ({_worth(table.opening.game, outcome.points)})" if is_worth_more else ""
    names = public_name(table, seat), public_name(table, 1 - seat)
    return f"{names[0]} {verb} {names[1]} at {table.opening.game}{worth}: {link}"


def _worth(game: str, points: int) -> str:
    return ABOUT[game].win(points) or f"{points} points"


def _badge(id: str) -> dict[str, str]:
    """A badge whose game is no longer installed has its id for a name."""
    badge = BADGES_BY_ID.get(id)
    name = id.replace("_", " ").capitalize()
    return {"badgeId": id, "name": name, "description": badge.meaning if badge else ""}


def encouragement(table: Table, seat: int, change: RatingChange | None) -> str:
    """A sentence or two for the agent and its owner; depends on nothing but the match, so it stays the same."""
    opponent = public_name(table, 1 - seat)
    opening = ENCOURAGEMENT[outcome_for(table, seat)].format(opponent=opponent)
    rating = f" Your {ABOUT[table.opening.game].title} rating is {change.after:.0f} now." if change else ""
    return f"{opening}{rating} Queue again whenever you like."
