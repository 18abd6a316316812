"""A match as its players and watchers see it."""

from __future__ import annotations

from typing import Any, Final

from ludus.core.rules import Outcome
from ludus.games import ABOUT, GAMES
from ludus.service.public import outcome_for, public_id, public_name, reason_of, results
from ludus.service.rating_updates import BADGES
from ludus.service.records import RatingChange
from ludus.service.sessions import result_options
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
    return _with_offer(table, seat, wire.view(table.game, seat, _ids(table)))


def state(table: Table, seat: int, status: str, sequence: int) -> dict[str, Any]:
    """What a player is shown of a match, without the time left and the result."""
    shown = wire.state(table.game, seat, _ids(table), match=table.id, status=status, sequence=sequence)
    return shown | {"view": _with_offer(table, seat, shown["view"])}


def _with_offer(table: Table, seat: int | None, view: dict[str, Any]) -> dict[str, Any]:
    """With the open resignation, which only the other player may answer."""
    offer = table.resignation
    if offer is None:
        return view
    shown = view | {"resignation": {"player": public_id(table, offer.seat), "points": offer.win}}
    if seat == 1 - offer.seat and "legalActions" in view:
        answers = [{"type": "accept_resignation"}, {"type": "decline_resignation"}]
        shown["legalActions"] = [*answers, *view["legalActions"]] if view["isYourTurn"] else []
    return shown


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
        **result_options(table, outcome),
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
    is_match = "match" in result_options(table, outcome)
    is_worth_more = outcome.winner is not None and (outcome.points > 1 or is_match)
    worth = f" ({_worth(table, outcome)})" if is_worth_more else ""
    names = public_name(table, seat), public_name(table, 1 - seat)
    return f"{names[0]} {verb} {names[1]} at {table.opening.game}{worth}: {link}"


def _worth(table: Table, outcome: Outcome) -> str:
    """In a match the last game's points say little."""
    if (match := result_options(table, outcome).get("match")) is not None:
        return f"a match to {match['length']}"
    name = ABOUT[table.opening.game].win(outcome.win)
    return name if name and outcome.stake == 1 else f"{outcome.points} points"


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
