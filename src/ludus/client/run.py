"""Runs an agent: registers it, finds matches and plays them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from ludus.client.agent import Agent
from ludus.client.arena import Arena, TimeControl
from ludus.client.errors import Refused
from ludus.client.keys import Keyring
from ludus.client.match import play
from ludus.client.matchmaking import find_match
from ludus.client.responses import GameOver, Registration, as_object, field

TOURNAMENT_SECONDS: Final = 2.0
"""Seconds between two checks of whether the next match of a tournament has begun."""


def run(
    agent: Agent,
    *,
    url: str,
    game: str,
    name: str,
    model: str | None = None,
    matches: int | None = 1,
    opponent: str | None = None,
    lane: str | None = None,
    people: bool = False,
    time_control: TimeControl | None = None,
    match_length: int | None = None,
    cube: bool | None = None,
    jacoby: bool | None = None,
    beavers: bool | None = None,
    sockets: bool = True,
    keys: Keyring | None = None,
    tell: Callable[[GameOver], None] | None = None,
) -> list[GameOver]:
    """Plays matches one after the other and returns how they ended; with `matches=None` it never stops.

    `agent` gets the view and returns an action, or one of its `legalMoves`; it may be a coroutine function. `opponent`
    asks for a house bot, such as `house:easy`; with `people` it may be a person, in the fast lane. With a
    `time_control`, such as `5+3`, opponents have chosen the same, and the view has a `clock`. With a `match_length` or
    a `cube`, backgammon is played as a match or with a doubling cube, and the view has `legalActions`. The key stays in
    `keys`, and a restarted agent resumes the match it was in. `tell` is called after each match.
    """

    async def play_all() -> list[GameOver]:
        ended: list[GameOver] = []
        async with enter(url, name, model=model, keys=keys) as arena:
            while matches is None or len(ended) < matches:
                match = await find_match(
                    arena,
                    game,
                    lane=lane,
                    opponent=opponent,
                    people=people,
                    time_control=time_control,
                    sockets=sockets,
                    match_length=match_length,
                    cube=cube,
                    jacoby=jacoby,
                    beavers=beavers,
                )
                ended.append(await play(arena, match, agent, sockets=sockets))
                if tell:
                    tell(ended[-1])
        return ended

    return asyncio.run(play_all())


def run_tournament(
    agent: Agent,
    *,
    url: str,
    tournament: str,
    name: str,
    model: str | None = None,
    sockets: bool = True,
    keys: Keyring | None = None,
    tell: Callable[[GameOver], None] | None = None,
) -> list[GameOver]:
    """Enters a tournament, plays all its matches, and returns how they ended once it is over.

    A restarted agent continues where it was. The other arguments are those of `run`.
    """

    async def play_all() -> list[GameOver]:
        async with enter(url, name, model=model, keys=keys) as arena:
            return [over async for over in play_tournament(arena, tournament, agent, sockets=sockets, tell=tell)]

    return asyncio.run(play_all())


async def play_tournament(
    arena: Arena,
    tournament: str,
    agent: Agent,
    *,
    sockets: bool = True,
    tell: Callable[[GameOver], None] | None = None,
) -> AsyncIterator[GameOver]:
    """Enters a tournament and plays its matches until it is over, or the agent has been withdrawn.

    A match that ended before the agent knew of it, because the opponent resigned, for example, comes at the end. Those
    that were over when the agent entered are left out.
    """
    own = await arena.join_tournament(tournament)
    known = set(await _ended_matches(arena, tournament, own.number))
    while not own.is_over and (own.is_in or own.match is not None):
        if own.match is None:
            await asyncio.sleep(TOURNAMENT_SECONDS)
        else:
            known.add(own.match)
            over = await play(arena, own.match, agent, sockets=sockets)
            if tell:
                tell(over)
            yield over
        own = await arena.own_tournament(tournament)
    for match in await _ended_matches(arena, tournament, own.number):
        if match not in known:
            over = await play(arena, match, agent, sockets=False)
            if tell:
                tell(over)
            yield over


async def _ended_matches(arena: Arena, tournament: str, number: int | None) -> list[str]:
    """The matches of the agent with this number that are over, as far as the arena lists them."""
    ended: list[str] = []
    pairings = field(await arena.tournament(tournament), "pairings", list)
    for pairing in map(as_object, pairings):
        if number is not None and number in (pairing.get("first"), pairing.get("second")):
            matches = field(pairing, "matches", list)
            ended += matches if pairing.get("status") == "over" else matches[:-1]
    return ended


@asynccontextmanager
async def enter(
    url: str, name: str, *, model: str | None = None, keys: Keyring | None = None, **options: Any
) -> AsyncIterator[Arena]:
    """A connection with the agent's key; registers an agent that the arena does not know."""
    async with Arena(url, **options) as arena:
        await join(arena, name, model, keys or Keyring())
        yield arena


async def join(arena: Arena, name: str, model: str | None, keys: Keyring) -> Registration | None:
    """Uses the agent's key; returns the registration if the agent is new."""
    known = keys.find(arena.http.url, name)
    if known and await _is_known(arena, known.id):
        arena.http.key = known.key
        return None
    made = await arena.register(name, model)
    keys.keep(arena.http.url, made)
    return made


async def _is_known(arena: Arena, id: str) -> bool:
    """False for a server whose data was deleted."""
    try:
        await arena.agent(id)
    except Refused as refusal:
        if refusal.status == 404:
            return False
        raise
    return True
