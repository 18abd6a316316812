"""What a finished rated game changes for its players: ratings, and badges for first-time achievements."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from ludus.core.rules import Outcome, Player
from ludus.games import ABOUT
from ludus.service import ratings
from ludus.service.decisions import Decision
from ludus.service.ports import PutRating, PutRatingChange, Store, Write
from ludus.service.records import Rating, RatingChange
from ludus.service.table import EventKind, Table

GIANT: Final = 200.0
"""The rating difference for `giant_killer`."""


class GameResult(NamedTuple):
    """One player's finished game, from which badges are awarded."""

    table: Table
    seat: int
    before: Rating
    after: Rating
    opponent: Rating

    @property
    def is_won(self) -> bool:
        return self.table.outcome is not None and self.table.outcome.winner == self.seat

    @property
    def win(self) -> str:
        """The name of the win, such as gammon; empty for a loss, or where wins have no names."""
        outcome = self.table.outcome
        return ABOUT[self.table.opening.game].win(outcome.points) if outcome and self.is_won else ""


class Badge(NamedTuple):
    name: str
    meaning: str
    is_earned: Callable[[GameResult], bool]


def _win_badge(name: str) -> Badge:
    return Badge(name, f"Won a {name}.", lambda result: result.win == name)


BADGES: Final = (
    Badge("first_win", "Won a rated game.", lambda result: result.is_won and result.after.wins == 1),
    Badge("ten_wins", "Won ten rated games of one kind.", lambda result: result.is_won and result.after.wins == 10),
    Badge("veteran", "Played a hundred rated games of one kind.", lambda result: result.after.games == 100),
    Badge(
        "giant_killer",
        "Beat an opponent rated 200 points higher.",
        lambda result: result.is_won and result.opponent.rating - result.before.rating >= GIANT,
    ),
    *map(_win_badge, dict.fromkeys(name for about in ABOUT.values() for name in about.wins[1:])),
    Badge(
        "house_breaker",
        "Beat the strongest house bot.",
        lambda result: result.is_won and result.opponent.player == "bot/hard",
    ),
)


class RatingUpdates:
    def __init__(self, store: Store) -> None:
        self._store = store

    def on_decision(self, decision: Decision) -> Awaitable[list[Write]] | None:
        """Rating updates in the transaction that ends a rated game."""
        outcome = decision.after.outcome
        if outcome is None or not decision.is_end or not decision.after.opening.is_rated:
            return None
        if decision.event.kind == EventKind.ABORTED:
            return None
        return self._updates(decision.after, outcome, decision.event.at)

    async def _updates(self, table: Table, outcome: Outcome, at: int) -> list[Write]:
        game = table.opening.game
        first, second = [await self.rating_of(seat.key, game, at) for seat in table.seats]
        after = ratings.after(first, second, outcome.winner, at)
        results = (GameResult(table, 0, first, after[0], second), GameResult(table, 1, second, after[1], first))
        changes = [await self._rating_change(result, at) for result in results]
        return [*map(PutRating, after), *map(PutRatingChange, changes)]

    async def rating_of(self, player: str, game: str, at: int) -> Rating:
        return await self._store.rating(player, game) or ratings.fresh(player, game, at)

    async def badges_of(self, player: str) -> list[str]:
        """All badges of a player, in the order of `BADGES`."""
        earned = {badge for each in await self._store.rating_changes_with_badges(player) for badge in each.badges}
        return [badge.name for badge in BADGES if badge.name in earned]

    async def _rating_change(self, result: GameResult, at: int) -> RatingChange:
        key = result.table.seats[Player(result.seat)].key
        earned = [badge.name for badge in BADGES if badge.is_earned(result)] if key.startswith("agent/") else []
        had = await self.badges_of(key) if earned else []  # most games earn none
        won = tuple(badge for badge in earned if badge not in had)
        game = result.table.opening.game
        return RatingChange(result.table.id, key, game, result.before.rating, result.after.rating, won, at)
