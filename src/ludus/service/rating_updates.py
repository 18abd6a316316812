"""What a finished rated game changes for its players: ratings, and badges for first-time achievements.

A game that someone ends early is no win: the one who leaves loses rating as after any game, the other gains nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

from ludus.core.rules import Outcome, Player
from ludus.games import ABOUT
from ludus.service import ratings
from ludus.service.agents import name_key
from ludus.service.decisions import Decision
from ludus.service.player_keys import person_in
from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutEncounter, PutRating, PutRatingChange, Write
from ludus.service.ratings import Meeting
from ludus.service.records import Encounter, Rating, RatingChange
from ludus.service.table import EventKind, Seat, SeatKind, Table

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
        return ABOUT[self.table.opening.game].win(outcome.win) if outcome and self.is_won else ""


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


MARKS: Final = 8
"""How many of a player's addresses are compared, the latest first."""
HALF_LIFE: Final = 10 * 24 * 60 * 60 * 1000
"""Milliseconds after which an earlier game of two players counts half."""


class RatingUpdates:
    def __init__(self, store: Store) -> None:
        self._store = store

    def on_decision(self, decision: Decision) -> Awaitable[list[Write]] | None:
        """Rating updates in the transaction that ends a rated game."""
        outcome = decision.after.outcome
        opening = decision.after.opening
        if outcome is None or not decision.is_end or not opening.is_rated:
            return None
        if opening.is_private and any(person_in(seat.key) for seat in opening.seats):
            return None
        if decision.event.kind == EventKind.ABORTED:
            return None
        return self._updates(decision.after, outcome, decision.event.at)

    async def _updates(self, table: Table, outcome: Outcome, at: int) -> list[Write]:
        game = table.opening.game
        first, second = [await self.rating_of(seat.key, game, at) for seat in table.seats]
        marks = [await self._marks(seat) for seat in table.seats]
        are_related = not marks[0].isdisjoint(marks[1]) or await self._have_one_owner(table)
        encounters = [await self._encounters(table, seat, marks[1 - seat], at) for seat in (0, 1)]
        meetings = [_meeting(table.seats[1 - seat], encounters[seat], are_related, at) for seat in (0, 1)]
        after = ratings.after(first, second, outcome.winner, at, (meetings[0], meetings[1]))
        results = (GameResult(table, 0, first, after[0], second), GameResult(table, 1, second, after[1], first))
        writes: list[Write] = []
        for result in results:
            if not is_rated_for(table, result.seat):
                continue
            is_counted = result.after.opponents > result.before.opponents
            writes += [PutRating(result.after), PutRatingChange(await self._rating_change(result, at))]
            writes += [PutEncounter(_met_again(each, at, is_counted)) for each in encounters[result.seat]]
        return writes

    async def _marks(self, seat: Seat) -> set[str]:
        """Of the addresses where an agent or one of the page's people was seen lately; others' are not stored."""
        if seat.kind != SeatKind.AGENT and person_in(seat.key) is None:
            return set()
        return {each.mark for each in await self._store.address_marks(seat.key, MARKS)}

    async def _have_one_owner(self, table: Table) -> bool:
        """Whether one person has claimed both agents."""
        if any(seat.kind != SeatKind.AGENT for seat in table.seats):
            return False
        owners = [agent and agent.owner for agent in [await self._store.agent(seat.id) for seat in table.seats]]
        return owners[0] is not None and owners[1] is not None and name_key(owners[0]) == name_key(owners[1])

    async def _encounters(self, table: Table, seat: int, marks: set[str], at: int) -> list[Encounter]:
        """Earlier ones of the seat's player with the opponent and with anyone at the opponent's addresses."""
        player, game = table.seats[seat].key, table.opening.game
        keys = [table.seats[1 - seat].key, *sorted(marks)]
        known = {each.opponent: each for each in await self._store.encounters(player, game, keys)}
        return [known.get(key) or Encounter(player, game, key, 0.0, False, at) for key in keys]

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


def is_rated_for(table: Table, seat: int) -> bool:
    """Whether a finished game changes the rating of this seat's player.

    One that ended by the rules or after enough moves does so for both, an earlier end only for the one who lost by it.
    """
    outcome = table.outcome
    assert outcome is not None
    if table.game.ending is None or table.moves >= 2 * ABOUT[table.opening.game].rated_moves:
        return True
    return outcome.winner == 1 - seat


def _meeting(opponent: Seat, encounters: Sequence[Encounter], are_related: bool, at: int) -> Meeting:
    earlier = max(_lately(each, at) for each in encounters)
    is_new = not any(each.is_counted for each in encounters)
    return Meeting(earlier, are_related, opponent.kind == SeatKind.BOT, is_new)


def _met_again(encounter: Encounter, at: int, is_counted: bool) -> Encounter:
    counted = encounter.is_counted or is_counted
    return encounter._replace(games=_lately(encounter, at) + 1, is_counted=counted, updated_at=at)


def _lately(encounter: Encounter, at: int) -> float:
    """The number of games, each counting less the longer ago it was."""
    return float(encounter.games * 0.5 ** (max(0, at - encounter.updated_at) / HALF_LIFE))
