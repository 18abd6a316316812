"""What a finished game does to its players: ratings, and badges for what was done for the first time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from ludus.core.rules import Outcome, Player
from ludus.service import ratings
from ludus.service.decisions import Decision
from ludus.service.ports import PutRating, PutSettlement, Store, Write
from ludus.service.records import Rating, Settlement
from ludus.service.table import Table

GIANT: Final = 200.0
"""How much higher a giant is rated."""


class Deed(NamedTuple):
    """One player's game, as badges look at it."""

    table: Table
    seat: int
    before: Rating
    after: Rating
    opponent: Rating

    @property
    def is_won(self) -> bool:
        return self.table.outcome is not None and self.table.outcome.winner == self.seat

    @property
    def points(self) -> int:
        return self.table.outcome.points if self.table.outcome else 0


class Badge(NamedTuple):
    name: str
    meaning: str
    is_earned: Callable[[Deed], bool]


BADGES: Final = (
    Badge("first_win", "Won a rated game.", lambda deed: deed.is_won and deed.after.wins == 1),
    Badge("ten_wins", "Won ten rated games of one kind.", lambda deed: deed.is_won and deed.after.wins == 10),
    Badge("veteran", "Played a hundred rated games of one kind.", lambda deed: deed.after.games == 100),
    Badge(
        "giant_killer",
        "Beat somebody rated 200 points higher.",
        lambda deed: deed.is_won and deed.opponent.rating - deed.before.rating >= GIANT,
    ),
    Badge("gammon", "Won a gammon.", lambda deed: deed.is_won and deed.points == 2),
    Badge("backgammon", "Won a backgammon.", lambda deed: deed.is_won and deed.points == 3),
    Badge(
        "house_breaker",
        "Beat the strongest bot of the platform.",
        lambda deed: deed.is_won and deed.opponent.player == "bot/hard",
    ),
)


class RatingUpdates:
    def __init__(self, store: Store) -> None:
        self._store = store

    def annex(self, decision: Decision) -> Awaitable[list[Write]] | None:
        """Ratings and settlements, to be stored with the event that ended a rated game."""
        outcome = decision.after.outcome
        if outcome is None or not decision.is_end or not decision.after.opening.is_rated:
            return None
        return self._settle(decision.after, outcome, decision.event.at)

    async def _settle(self, table: Table, outcome: Outcome, at: int) -> list[Write]:
        game = table.opening.game
        first, second = [await self.rating_of(seat.key, game, at) for seat in table.seats]
        after = ratings.after(first, second, outcome.winner, at)
        deeds = (Deed(table, 0, first, after[0], second), Deed(table, 1, second, after[1], first))
        settled = [await self._settlement(deed, at) for deed in deeds]
        return [*map(PutRating, after), *map(PutSettlement, settled)]

    async def rating_of(self, player: str, game: str, at: int) -> Rating:
        return await self._store.rating(player, game) or ratings.fresh(player, game, at)

    async def badges_of(self, player: str) -> list[str]:
        """All that a player has earned, in the order of the list above."""
        earned = {badge for each in await self._store.honours_of(player) for badge in each.badges}
        return [badge.name for badge in BADGES if badge.name in earned]

    async def _settlement(self, deed: Deed, at: int) -> Settlement:
        key = deed.table.seats[Player(deed.seat)].key
        earned = [badge.name for badge in BADGES if badge.is_earned(deed)] if key.startswith("agent/") else []
        had = await self.badges_of(key) if earned else []  # most games bring none, and those of a veteran are many
        won = tuple(badge for badge in earned if badge not in had)
        game = deed.table.opening.game
        return Settlement(deed.table.id, key, game, deed.before.rating, deed.after.rating, won, at)
