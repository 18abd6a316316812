"""The opening explorer over HTTP, for the page and for the arena."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ludus.games import GAMES
from ludus.openings import Name
from ludus.server.http.request import Request
from ludus.service.clock import iso
from ludus.service.explorer import Exploration, Explored
from ludus.service.records import TableRow

Json = dict[str, Any]


def asked_position(game: str, request: Request) -> Any:
    """The position in the query, as the game's notation writes it; without one, the start of the standard game."""
    rules, text = GAMES[game], request.query("position")
    return rules.start("standard") if text is None else rules.notation.read_position(text)


def serialize(found: Exploration, game_of: Callable[[TableRow], Json | None]) -> Json:
    """`game_of` shows a game, or nothing if the caller may not see it."""
    rules = GAMES[found.game]
    return {
        "gameId": found.game,
        "position": rules.notation.write_position(found.position),
        **_named(found.name),
        **_results([move.total for move in found.moves]),
        "moves": [_move(found.game, move) for move in found.moves],
        "examples": [shown for row in found.examples if (shown := game_of(row))],
    }


def _move(game: str, move: Explored) -> Json:
    return {
        "move": move.move,
        "isLegal": move.is_legal,
        "position": GAMES[game].notation.write_position(move.after),
        **_named(move.name),
        **_results([move.total]),
        "rating": move.rating,
        "lastPlayedAt": iso(move.total.last_at),
    }


def _named(name: Name | None) -> Json:
    return {"name": (name and name.text) or None, "ballot": (name and name.ballot) or None}


def _results(counts: list[Any]) -> Json:
    """Of those who made the moves."""
    games, wins, draws = (sum(getattr(count, name) for count in counts) for name in ("games", "wins", "draws"))
    return {"games": games, "wins": wins, "draws": draws, "losses": games - wins - draws}
