"""Counts of current activity: people at a board, people waiting for an opponent, public games."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from ludus.games import GAMES
from ludus.service.exhibitions import EXHIBITION, is_public
from ludus.service.lobby import base_pool
from ludus.service.platform import Platform
from ludus.service.sessions import PAGE_TENANT, TRAINING_POOL

SEARCHED: Final = 1000
"""Live games of one kind; where there are more, the number of public ones is a lower bound."""


class GameActivity(NamedTuple):
    waiting: int
    """People of the page who are waiting for a random opponent."""
    live: int
    """Public games, exhibitions not included."""


class Activity(NamedTuple):
    playing: int
    """People connected to a table, in any process."""
    games: dict[str, GameActivity]


async def activity(platform: Platform) -> Activity:
    waiting = Counter[str]()
    for game, pool in await platform.store.pools():
        if _is_of_page(pool):
            waiting[game] += await platform.store.count_entries(game, pool)
    games = {game: GameActivity(waiting[game], await _live(platform, game)) for game in GAMES}
    return Activity(await platform.presence.count(), games)


async def _live(platform: Platform, game: str) -> int:
    rows = await platform.store.live_tables(game, SEARCHED)
    return sum(is_public(row) and row.mode != EXHIBITION for row in rows)


def _is_of_page(pool: str) -> bool:
    """Whether people of the page are paired with each other in this pool."""
    name = base_pool(pool)
    return name == TRAINING_POOL or name.startswith(f"{PAGE_TENANT}/")
