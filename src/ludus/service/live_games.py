"""How many games one of the page's people may have at once: games against bots and by correspondence wait for weeks."""

from __future__ import annotations

from typing import Final

from ludus.core.errors import LudusError
from ludus.service.player_keys import person_key
from ludus.service.ports.store import Store
from ludus.service.records import Person

MOST_LIVE: Final = 24


class TooManyLiveGames(LudusError):
    """The person has too many games that aren't over."""

    code = "too_many_live_games"


async def refuse_too_many(store: Store, person: Person) -> None:
    if len(await store.live_tables_of(person_key(person.id))) >= MOST_LIVE:
        raise TooManyLiveGames(f"you have {MOST_LIVE} games in progress; finish one first")
